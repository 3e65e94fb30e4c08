"""Which indexed version a question is about: the one it names, else the default one. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from packaging.version import Version

from bot.releases import Mention, mentions, release
from bot.standing import Standing
from indexer.errors import IndexMissing
from indexer.records import Snapshot

SHORTEST_SHA = 7
# Lines of somebody else; `>>>` is Python's prompt.
_QUOTED: Final = re.compile(r"^ {0,3}>(?!>>)[^\n]*", re.MULTILINE)
_BUILT_FROM: Final = re.compile(r"(?:^|\.)g([0-9a-f]{7,40})(?:\.|$)")


def choose(snapshots: Sequence[Snapshot], repository: str | None, ref: str | None) -> Snapshot | None:
    """The version that answers, of those given latest indexed first; None when there is no such.

    A repository goes by its name in any case, a version by its ref, by its number with or without the `v`, or by its
    commit, which may be cut short. Without a ref the newest release answers, or what was indexed last when nothing is
    a release; without a repository that of the version indexed last.
    """
    if repository is None and ref is None and snapshots:
        repository = snapshots[0].origin.repository
    named = [s for s in snapshots if repository is None or s.origin.repository.lower() == repository.lower()]
    if ref is not None:
        return next(iter(_called(named, ref)), None)
    releases = [(number, -at) for at, s in enumerate(named) if (number := release(s.origin.ref))]
    final = [found for found in releases if not found[0].is_prerelease] or releases
    return named[-max(final)[1]] if final else next(iter(named), None)


def removable(snapshots: Sequence[Snapshot], repository: str, ref: str | None, every_version: bool) -> list[Snapshot]:
    """What a person means to remove. Raises IndexMissing when it is not there, or when it takes a ref to tell."""
    of_repository = [s for s in snapshots if s.origin.repository.lower() == repository.lower()]
    named = of_repository if ref is None else _called(of_repository, ref)[:1]
    refs = ", ".join(s.origin.ref for s in of_repository)
    if not named:
        there = f"its versions are {refs}" if refs else "`repopilot status` shows what is indexed"
        raise IndexMissing(f"There is no index of {repository}{f' at {ref}' if ref else ''}; {there}.")
    if len(named) > 1 and not every_version:
        raise IndexMissing(f"{repository} has several versions ({refs}); name one with --ref, or use --all.")
    return named


def asked_version(text: str, repository: str, known: Sequence[str]) -> Version | None:
    """The release of a repository (OWNER/NAME) that a message is about, or None when it names none that its asker runs.

    `known` are the refs that are indexed. Of several, what the asker runs now: what a tool printed or a form holds;
    else what they say they run or moved to; else where it broke; else what is named; else where it works, or a link.
    What they ran before, and in what release something changed, does not count. Of equals the last counts where a story
    is told (printed, run), else the highest. Lines quoted with `>` count when the asker's own name none.
    """
    releases = [found for ref in known if (found := release(ref))]
    own = _QUOTED.sub("", text)
    quoted = "\n".join(line.lstrip(" >") for line in _QUOTED.findall(text))
    project = repository.rpartition("/")[2]
    return _best(mentions(own, project, releases)) or _best(mentions(quoted, project, releases))


def _best(found: Sequence[Mention]) -> Version | None:
    standings = [mention.standing for mention in found if mention.standing]
    surest = max(standings, default=None)
    versions = [mention.version for mention in found if mention.standing and mention.standing == surest]
    if surest is None:
        return None
    return versions[-1] if surest >= Standing.RUN else max(versions)


def for_asker(snapshots: Sequence[Snapshot], repository: str, version: Version) -> Snapshot | None:
    """The indexed version that answers for a release that was asked about, or None. `snapshots` come latest indexed
    first.

    A build of a commit (`0.10.1.dev12+gabc1234`) is that commit, or nothing: what it has of the release after it is not
    known. Two numbers (`0.9`) are the newest release of that series.
    """
    named = [s for s in snapshots if s.origin.repository.lower() == repository.lower()]
    sha = _BUILT_FROM.search(version.local or "")
    if sha and (built := next((s for s in named if s.origin.commit.startswith(sha[1])), None)):
        return built
    numbers = [(number, -at) for at, s in enumerate(named) if (number := release(s.origin.ref))]
    wanted = [found for found in numbers if answers_for(found[0], version)]
    final = [found for found in wanted if not found[0].is_prerelease] or wanted
    return named[-max(final)[1]] if final else None


def answers_for(number: Version, version: Version) -> bool:
    """Whether a release is the one that was asked about, or one of the series that was."""
    if is_series(version) and not number.is_devrelease:
        return number.release[:2] == version.release
    return Version(number.public) == Version(version.public)


def is_series(version: Version) -> bool:
    """Whether two numbers name all of `0.9.x`."""
    return len(version.release) == 2 and version.public == version.base_version


def reading_note(version: Version, answering: Snapshot) -> str | None:
    """What to say when a message named a release and a version answers; None when it is exactly that one."""
    ref, number = answering.origin.ref, release(answering.origin.ref)
    if for_asker([answering], answering.origin.repository, version) is None:
        return f"You mention {version}, which is not indexed; this was read from {ref}."
    if is_series(version) and number and number.release != version.release:
        return f"You mention {version}; this was read from {ref}."
    return None


def _called(snapshots: Sequence[Snapshot], ref: str) -> list[Snapshot]:
    """Those that a ref names: as it is written first, then as a number, then as a commit."""
    number = release(ref)
    exact = [s for s in snapshots if ref in (s.origin.ref, s.origin.commit)]
    equal = [s for s in snapshots if number is not None and release(s.origin.ref) == number]
    short = [s for s in snapshots if len(ref) >= SHORTEST_SHA and s.origin.commit.startswith(ref.lower())]
    return [*exact, *equal, *short]
