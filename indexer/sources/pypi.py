"""A source archive comes from the package index that pip is configured for (the only module that knows unearth)."""

from __future__ import annotations

import ast
import logging
import os
import re
import ssl
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from indexer.errors import SourceError
from indexer.sources.archive import SUFFIXES
from indexer.sources.remote import without_credentials

if TYPE_CHECKING:
    from unearth import PackageFinder

_SETTING = re.compile(r"(global|download)\.([\w-]+)=(.+)")
_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class PackageIndex:
    """Where packages come from, in pip's own terms (https://pip.pypa.io/en/stable/topics/configuration/)."""

    default: bool = True
    """Whether the index that everybody uses is asked too: unless another is set in its place, or none is allowed."""
    index_urls: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    trusted_hosts: tuple[str, ...] = ()
    certificates: str | None = None


def download(name: str, version: str, folder: Path) -> Path:
    """Fetch the source archive of `name` at `version` into `folder`, whole or not at all, and return its path.

    Raises SourceError when there is no such version, naming the nearest, or when the index cannot be reached.
    """
    from unearth.errors import UnpackError  # half a second of imports, which only a download needs
    from unearth.preparer import HTTPErrors

    failures: tuple[type[Exception], ...] = (*HTTPErrors, UnpackError, OSError, ValueError)
    try:
        with TemporaryDirectory(dir=folder.parent, prefix="download-") as partial:
            archive = _fetch(_finder(pip_configuration(), name), name, version, Path(partial))
            folder.mkdir(exist_ok=True)
            return archive.replace(folder / archive.name)
    except failures as error:
        detail = without_credentials(str(error)) or type(error).__name__
        raise SourceError(
            f"cannot download {name} {version} ({detail}): check the network and `pip config list`"
        ) from error


def _fetch(finder: PackageFinder, name: str, version: str, folder: Path) -> Path:
    from packaging.version import Version

    found = [p for p in finder.find_matches(f"{name}=={version}") if p.link.filename.endswith(SUFFIXES)]
    if found:
        return finder.download(found[0].link, folder)
    versions = list(dict.fromkeys(p.version for p in finder.find_all_packages(name) if p.version))
    if not versions:
        raise SourceError(
            f"the package index has no source archive of {name}: check the name, and the index in `pip config list`"
        )
    newer = sum(Version(known) > Version(version) for known in versions)  # the newest comes first
    near = versions[max(0, newer - 2) : newer + 2]
    raise SourceError(
        f"the package index has no source archive of {name} {version}: pin a version that it has, such as "
        + ", ".join(near)
    )


def _finder(index: PackageIndex, name: str) -> PackageFinder:
    from unearth import PackageFinder
    from unearth.fetchers import PyPIClient

    logging.getLogger("unearth").setLevel(logging.ERROR)  # what it warns of is in our own sentence
    client = PyPIClient(
        trusted_hosts=index.trusted_hosts,
        verify=ssl.create_default_context(cafile=index.certificates) if index.certificates else True,
        timeout=_TIMEOUT,
        follow_redirects=True,
        # unearth takes a failing index for an empty one; a person must not read "no such version" then.
        event_hooks={"response": [lambda response: response.raise_for_status() if response.is_server_error else None]},
    )
    finder = PackageFinder(
        session=client,  # type: ignore[arg-type] # its own client, which its protocol does not quite describe
        trusted_hosts=index.trusted_hosts,
        no_binary=[name],
        ignore_compatibility=True,  # the code is read, never run: an archive for another Python is as good
    )
    if not index.default:
        finder.sources.clear()  # where none is given, it starts with the default
    for url in index.index_urls:
        finder.add_index_url(url)
    for url in index.find_links:
        finder.add_find_links(url)
    return finder


def pip_configuration() -> PackageIndex:
    """Return pip's settings, from `pip config list` or, where pip is not installed, its environment variables."""
    command = (sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "list")
    answer = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    return package_index(parse_pip_settings(answer.stdout) | _environment(os.environ))


def parse_pip_settings(listing: str) -> dict[str, str]:
    """Return the settings in the text of `pip config list`, which are lines of `section.name='value'`."""
    found = [match.groups() for match in map(_SETTING.fullmatch, listing.splitlines()) if match]
    by_section = sorted(found, key=lambda setting: setting[0] == "download")  # what is said for downloads wins
    return {name: str(ast.literal_eval(value)) for _, name, value in by_section}


def package_index(settings: Mapping[str, str]) -> PackageIndex:
    """Return the index that these pip settings describe; PyPI unless they name or forbid one."""
    indexes = settings.get("no-index", "") not in ("1", "true", "yes")
    urls = " ".join((settings.get("index-url", ""), settings.get("extra-index-url", "")))
    return PackageIndex(
        default=indexes and "index-url" not in settings,
        index_urls=tuple(urls.split()) if indexes else (),
        find_links=tuple(settings.get("find-links", "").split()),
        trusted_hosts=tuple(settings.get("trusted-host", "").split()),
        certificates=settings.get("cert"),
    )


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    prefix = "PIP_"
    return {
        name.removeprefix(prefix).lower().replace("_", "-"): value
        for name, value in environ.items()
        if name.startswith(prefix) and value
    }
