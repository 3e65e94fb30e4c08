"""What each program's commands in the documents are held to. None is passed over: what cannot be held is named."""

from __future__ import annotations

import importlib.util
import os
import re
import sqlite3
import subprocess
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import yaml

from bot import reference
from docs.deploying import as_the_units_say, cp, kubectl, named_files, systemctl, useradd
from docs.desk import ADDED, ONLY_READ, Desk, read, spoken_of, verbs_of
from docs.reading import ROOT, Shown
from docs.shell import Simple
from evals.__main__ import main as evals_main

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
COMPOSE: Mapping[str, Any] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
SERVICE = "localhost:8080"
# Variables of other programs.
OTHERS = {
    "OTEL_EXPORTER_OTLP_ENDPOINT": "OpenTelemetry's; tests/bot/test_telemetry.py has a collector",
    "URL": "the reader's, for the language model's address",
}
# What nothing here can tell whether it is right.
UNCHECKED = {
    "gh attestation": "asks GitHub about what was released",
    "git clone": "the address is the reader's",
    "git push": "it releases",
    "git tag": "it writes into the repository that is tested",
    "vllm bench": "vLLM is no part of what is installed",
    "vllm serve": "vLLM is no part of what is installed; tests/vllm starts its server by its module",
}
# What a setting needs beside it, wherever it is spoken of alone.
BESIDE = {
    "REPOPILOT_LLM_URL": {"REPOPILOT_LLM_MODEL": "a-model"},
    "REPOPILOT_LLM_MODEL": {"REPOPILOT_LLM_URL": "http://127.0.0.1:8000/v1"},
    "REPOPILOT_GITHUB_TOKEN": {"REPOPILOT_GITHUB_WEBHOOK_SECRET": "a-secret"},
}
VALUED = {"-e", "--env", "-v", "--volume", "-u", "--user", "--entrypoint", "-p", "--publish"}


class Addresses(Protocol):
    """Where a served index and a language model are; they start when they are asked for."""

    def service(self) -> str: ...
    def model(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Bench:
    desk: Desk
    addresses: Addresses


Rule = Callable[[Bench, Simple, Shown], None]


def hold(bench: Bench, command: Simple, shown: Shown) -> None:
    """Hold a command to its program's rule. Fails when it is wrong, or when there is no rule."""
    for name in command.variables:
        tests = [ROOT / word for word in command.arguments if command.program == "pytest" and not word.startswith("-")]
        read_there = any(f'environ.get("{name}"' in path.read_text("utf-8") for path in tests if path.is_file())
        settings = {setting.variable for setting in reference.settings()}
        assert name in OTHERS or name in settings or read_there, f"{name} is no setting"
    rule = _scripts if command.program.startswith("./") else RULES.get(command.program)
    if rule is None:
        named = " ".join((command.program, *command.arguments[:1]))
        assert named in UNCHECKED, "no rule: teach tests/docs/rules.py this program, or mend the document"
        return
    rule(bench, command, shown)


def _settings(bench: Bench, command: Simple, _: Shown) -> None:
    """Values that the settings take."""
    ours = {name: _value(bench, value) for name, value in command.variables.items() if name.startswith("REPOPILOT_")}
    for name in tuple(ours):
        ours = BESIDE.get(name, {}) | ours
    if ours:
        done = bench.desk.ran(["settings"], ours)
        assert (done.exit_code, done.stderr) == (0, ""), done.output


def _value(bench: Bench, value: str) -> str:
    return bench.desk.filled([value])[0] if value.startswith("/") or value == "…" else value


def _repopilot(bench: Bench, command: Simple, shown: Shown) -> None:
    """It is run, or read where it cannot be; a verb that is only spoken of has to be there."""
    _settings(bench, command, shown)
    verbs, words = verbs_of(command.arguments), bench.desk.filled(command.arguments)
    if shown.within_prose and spoken_of(command.arguments):
        return
    if verbs in ONLY_READ and not (verbs == ("github", "setup") and "--url" in words and "--wait" not in words):
        read(words)
        return
    desk = bench.desk
    if verbs == ("remove",):  # what it removes is asked of further below
        desk = desk.copy(desk.folder / f"without-{len(list(desk.folder.iterdir()))}")
    variables = {name: _value(bench, value) for name, value in command.variables.items()}
    done = desk.ran([*words, *ADDED.get(verbs, [])], variables)
    assert done.exit_code == 0, done.output or done.exception


def _make(_: Bench, command: Simple, shown: Shown) -> None:
    targets = [word for word in command.arguments if "=" not in word]
    for target in targets or ["demo"]:
        assert re.search(rf"^{re.escape(target)}:", MAKEFILE, re.MULTILINE), f"no target {target}"
    for name in (word.partition("=")[0] for word in command.arguments if "=" in word):
        assert f"$({name})" in MAKEFILE, f"the Makefile does not use {name}"
    done = subprocess.run(["make", "-n", *command.arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def _curl(bench: Bench, command: Simple, shown: Shown) -> None:
    """As it is written, at the service or the model's server that runs here."""
    text = shown.text
    url = bench.addresses.model() if "$URL" in text else ""
    if SERVICE in text:
        text = text.replace(f"http://{SERVICE}", SERVICE).replace(SERVICE, bench.addresses.service())
    assert text != shown.text or url, "which server is that?"
    script = text.replace("curl", "curl --fail --silent --show-error", 1)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env={**os.environ, "URL": url, "no_proxy": "*"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and done.stdout, done.stderr


def _docker(bench: Bench, command: Simple, shown: Shown) -> None:
    """Services, profiles and files are those of compose.yaml and deploy/; what a service of ours runs is run."""
    if command.arguments[:1] == ("build",):
        named_files(command.arguments[1:], command, after=("-f", "--file"))
        return
    assert command.arguments[:1] == ("compose",), "only `docker compose` and `docker build` are known"
    rest = list(command.arguments[1:])
    while rest and rest[0].startswith("-"):
        option, value = rest.pop(0), rest.pop(0)
        assert option in ("--profile", "-f", "--file"), option
        profiles = {profile for service in COMPOSE["services"].values() for profile in service.get("profiles", ())}
        assert value in profiles if option == "--profile" else (ROOT / command.folder / value).is_file(), value
    verb, *rest = rest
    assert verb in ("up", "down", "ps", "logs", "pull", "build", "run", "exec", "restart", "stop", "config"), verb
    _services(bench, verb, rest, shown)


def _services(bench: Bench, verb: str, rest: list[str], shown: Shown) -> None:
    while rest and rest[0].startswith("-"):
        rest = rest[2:] if rest[0] in VALUED else rest[1:]
    named = rest[:1] if verb in ("run", "exec") else rest
    assert set(named) <= COMPOSE["services"].keys(), named
    if verb == "run" and COMPOSE["services"][named[0]]["image"] == COMPOSE["services"]["repopilot"]["image"]:
        _repopilot(bench, Simple(("repopilot", *rest[1:]), {}), shown)
    if verb == "exec" and rest[1:2] == ["repopilot"]:
        _repopilot(bench, Simple(tuple(rest[1:]), {}), shown)


def _pip(_: Bench, command: Simple, __: Shown) -> None:
    assert command.arguments[0] == "install"
    rest = list(command.arguments[1:])
    while rest:
        word = rest.pop(0)
        if word in ("-r", "--requirement", "--constraint", "-c"):
            assert (ROOT / rest.pop(0)).is_file()
            continue
        found = re.fullmatch(r"repopilot(?:\[([\w,]+)\])?", word)
        assert found, f"no rule for installing {word}"
        assert set((found[1] or "").split(",")) - {""} <= EXTRAS.keys()


def _python(bench: Bench, command: Simple, shown: Shown) -> None:
    assert command.arguments[:1] == ("-m",)
    module, *words = command.arguments[1:]
    assert importlib.util.find_spec(module), module
    if module == "venv":
        as_the_units_say(bench, command, shown)
    elif module == "evals":
        assert not words or words[0] in evals_main.commands, words
        verb = evals_main.commands[words[0]] if words else evals_main
        if len(words) > 1 or not shown.within_prose:
            verb.make_context(str(verb.name), bench.desk.filled(words[1:]))
    else:
        _argparse(module, words)


def _argparse(module: str, words: Sequence[str]) -> None:
    """Each option is one of the module's: torch is not imported to ask it."""
    path = ROOT / module.replace(".", "/")
    source = (path / "__main__.py" if path.is_dir() else path.with_suffix(".py")).read_text("utf-8")
    for option in (word for word in words if word.startswith("--")):
        assert f'add_argument("{option}"' in re.sub(r"add_argument\(\s+", "add_argument(", source), option


def _pytest(_: Bench, command: Simple, __: Shown) -> None:
    for word in command.arguments:
        assert word.startswith("-") or (ROOT / word.partition("::")[0]).exists(), word
    profiles = re.findall(r'register_profile\("(\w+)"', (ROOT / "tests" / "conftest.py").read_text("utf-8"))
    for word in command.arguments:
        if word.startswith("--hypothesis-profile="):
            assert word.partition("=")[2] in profiles, word


def _sqlite3(bench: Bench, command: Simple, _: Shown) -> None:
    """The database is one of those that are stored, and takes what it is asked."""
    path, query = command.arguments
    file = Path(path.replace("$REPOPILOT_HOME", str(bench.desk.home)))
    assert file.is_file(), file
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(query)


def _cd(_: Bench, command: Simple, shown: Shown) -> None:
    assert "git clone" in shown.text or (ROOT / command.folder / command.words[1]).is_dir()


def _scripts(_: Bench, command: Simple, __: Shown) -> None:
    script = ROOT / command.folder / command.program
    assert script.is_file() and os.access(script, os.X_OK), f"{script} cannot be run"


RULES: Mapping[str, Rule] = {
    "": _settings,
    "repopilot": _repopilot,
    "make": _make,
    "curl": _curl,
    "docker": _docker,
    "kubectl": kubectl,
    "systemctl": systemctl,
    "install": as_the_units_say,
    "touch": as_the_units_say,
    "useradd": useradd,
    "cp": cp,
    "pip": _pip,
    "python": _python,
    "python3": _python,
    "pytest": _pytest,
    "sqlite3": _sqlite3,
    "cd": _cd,
}
