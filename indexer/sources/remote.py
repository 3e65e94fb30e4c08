"""Where a repository lives on the web, read from the address that git or a package's metadata has for it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from indexer.permalink import is_code_host

_SCP = re.compile(r"\w[\w.-]*@(?P<host>[\w.-]+):(?P<path>(?!/?/).+)")
_CREDENTIALS = re.compile(r"(?<=://)[^/\s]*@")
# The labels of https://packaging.python.org/en/latest/specifications/well-known-project-urls/, best first.
_LABELS = ("source", "sourcecode", "repository", "github", "code", "homepage")


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository on a web host: `repository` is "owner/name", `web` its page."""

    repository: str
    web: str


def parse_remote(url: str) -> Remote | None:
    """Return the repository behind an https, ssh or scp-like git address, or None when it is no web host's.

    Credentials and the port of an ssh address are dropped. Addresses: https://git-scm.com/docs/git-clone#_git_urls
    """
    if scp := _SCP.fullmatch(url):
        return _remote("https", scp["host"], scp["path"])
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return None
    if parts.scheme in ("http", "https"):
        return _remote(parts.scheme, f"{host}:{port}" if port else host, parts.path)
    return _remote("https", host, parts.path) if parts.scheme in ("ssh", "git", "git+ssh") else None


def is_scp_address(text: str) -> bool:
    """Return whether `text` has git's short ssh form, `git@host:owner/name`."""
    return _SCP.fullmatch(text) is not None


def without_credentials(text: str) -> str:
    """Return `text` with `user:password@` taken out of every URL in it."""
    return _CREDENTIALS.sub("", text)


def web_page(remote: Remote | None, repository: str | None) -> str | None:
    """Return the page that links lead to: the remote's own, since the commit is surely there, else GitHub's.

    A repository that the user named is looked for on github.com only when nothing says where it lives.
    """
    if remote is not None:
        return remote.web
    return f"https://github.com/{repository}" if repository else None


def find_remote(addresses: Iterable[tuple[str, str]]) -> Remote | None:
    """Return the repository among a package's (label, URL) pairs: the best label first, known code hosts only."""
    ranked = []
    for label, url in addresses:
        remote = parse_remote(url)
        if remote is not None and is_code_host(urlsplit(remote.web).hostname or ""):
            key = re.sub(r"[^a-z]", "", label.lower())
            ranked.append((_LABELS.index(key) if key in _LABELS else len(_LABELS), _root(remote)))
    return min(ranked, key=lambda candidate: candidate[0])[1] if ranked else None


def _root(remote: Remote) -> Remote:
    """Return the repository itself when the address leads to a page below it (`/tree/main`, `/-/issues`)."""
    name = remote.repository.partition("/-/")[0]
    if "gitlab" not in remote.web:  # where groups nest, so that a name may have many parts
        name = "/".join(name.split("/")[:2])
    return Remote(name, remote.web.removesuffix(remote.repository) + name)


def _remote(scheme: str, host: str, path: str) -> Remote | None:
    name = path.strip("/").removesuffix(".git")
    # A host without a dot behind ssh is an alias of the user's own ssh configuration, not a web host.
    if "/" not in name or (scheme == "https" and "." not in host and ":" not in host and host != "localhost"):
        return None
    return Remote(name, f"{scheme}://{host}/{name}")
