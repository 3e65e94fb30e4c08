"""What commands that deploy are held to: the manifests and units of deploy/, and nothing that would have to run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import yaml

from bot import reference
from docs.reading import ROOT, Shown
from docs.shell import Simple

UNITS = {path.stem: path.read_text("utf-8") for path in (ROOT / "deploy" / "systemd").glob("*.service")}


def kubectl(_: object, command: Simple, __: Shown) -> None:
    """Files are there; names are those of the manifests."""
    folder = ROOT / "deploy" / "kubernetes"
    manifests = [m for path in folder.glob("*.yaml") for m in yaml.safe_load_all(path.read_text("utf-8"))]
    spaces = {m["metadata"]["name"] for m in manifests if m["kind"] == "Namespace"}
    words = list(command.arguments)
    if words[:1] in (["--namespace"], ["-n"]):
        assert words[1] in spaces, words[1]
        del words[:2]
    if words[:1] == ["apply"]:
        named_files(words[1:], command, after=("-f", "--filename", "-k", "--kustomize"))
        return
    assert words[:3] == ["create", "secret", "generic"], "no rule for this verb of kubectl: teach tests/docs/rules.py"
    (pods,) = (m["spec"]["template"]["spec"] for m in manifests if m["kind"] == "StatefulSet")
    assert words[3] in {volume["secret"]["secretName"] for volume in pods["volumes"] if "secret" in volume}
    keys = {word.removeprefix("--from-literal=").partition("=")[0].upper() for word in words[4:]}
    assert keys and keys <= {setting.variable for setting in reference.settings()}


def systemctl(_: object, command: Simple, __: Shown) -> None:
    """Units are those of deploy/systemd."""
    verb, *rest = command.arguments
    assert verb in ("enable", "disable", "start", "stop", "restart", "status", "daemon-reload"), verb
    assert {word.removesuffix(".service") for word in rest if not word.startswith("-")} <= UNITS.keys()


def as_the_units_say(_: object, command: Simple, __: Shown) -> None:
    """The folders and files that are made are those that the units name."""
    for path in (word for word in command.arguments if word.startswith("/")):
        assert all(path in unit.replace("%S", "/var/lib") for unit in UNITS.values()), f"no unit names {path}"


def useradd(bench: object, command: Simple, shown: Shown) -> None:
    """The account is the one that the units run as."""
    as_the_units_say(bench, command, shown)
    assert all(f"User={command.words[-1]}\n" in unit for unit in UNITS.values())


def cp(_: object, command: Simple, __: Shown) -> None:
    """What is copied is there, and goes to where units lie, or into the checkout."""
    *sources, to = command.arguments
    assert all(list(ROOT.glob(source)) for source in sources), sources
    assert to == "/etc/systemd/system/" or (ROOT / to).parent.is_dir(), to


def named_files(words: Sequence[str], command: Simple, after: Sequence[str]) -> None:
    """What comes after one of the options is there."""
    named = [to for option, to in pairwise(words) if option in after]
    assert named and all((ROOT / command.folder / name).exists() for name in named), named
