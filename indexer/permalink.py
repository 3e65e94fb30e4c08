"""The link to exact lines of a file at one version, in the form of the code host that shows the repository."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from indexer.types import Origin


@dataclass(frozen=True, slots=True)
class _Host:
    """How a code host writes its links; `revision` is "commit" or "tag" where the host wants to know which it is."""

    file: str
    line: str = "#L{start}"
    lines: str = "#L{start}-L{end}"


_GITHUB = _Host("{web}/blob/{commit}/{path}")
_GITEA = _Host("{web}/src/{revision}/{commit}/{path}")
# Recognised by a label of the host's name, so that github.example.com and gitlab.company.net are known too.
_HOSTS = {
    "github": _GITHUB,
    "gitlab": _Host("{web}/-/blob/{commit}/{path}", lines="#L{start}-{end}"),
    "codeberg": _GITEA,
    "gitea": _GITEA,
    "forgejo": _GITEA,
    "bitbucket": _Host("{web}/src/{commit}/{path}", line="#lines-{start}", lines="#lines-{start}:{end}"),
}
_OWN_SERVER = _Host("/source/{repository}/{commit}/{path}")
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def permalink(origin: Origin, path: str, start_line: int, end_line: int) -> str:
    """Return the link to lines `start_line`..`end_line` (1-based, inclusive) of `path` at `origin.commit`.

    Forms: https://docs.github.com/repositories/working-with-files/using-files/getting-permanent-links-to-files and the
    hosts' own. An unknown host is taken to speak like GitHub; without a host the link leads to our own server.
    """
    host = _host(origin.web)
    fragment = host.line if start_line == end_line else host.lines
    return file_link(origin, path) + fragment.format(start=start_line, end=end_line)


def file_link(origin: Origin, path: str) -> str:
    """Return the link to the whole file, percent-encoded segment by segment (RFC 3986)."""
    return _host(origin.web).file.format(
        web=origin.web,
        repository=quote(origin.repository),
        revision="commit" if _SHA.fullmatch(origin.commit) else "tag",
        commit=quote(origin.commit),
        path=quote(path),
    )


def is_code_host(hostname: str) -> bool:
    """Return whether repositories are known to live at this host."""
    return any(label in _HOSTS for label in hostname.lower().split("."))


def _host(web: str | None) -> _Host:
    if web is None:
        return _OWN_SERVER
    labels = (urlsplit(web).hostname or "").split(".")
    return next((_HOSTS[label] for label in labels if label in _HOSTS), _GITHUB)
