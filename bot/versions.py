"""Which indexed version a question is about: the one it names, else the default one. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from packaging.version import InvalidVersion, Version

from indexer.errors import IndexMissing
from indexer.records import Snapshot

SHORTEST_SHA = 7
_RELEASE = re.compile(r"(?:.*[-_/])?(v?\d+(?:\.\d+)+\S*)")


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


def release(ref: str) -> Version | None:
    """The number of the release that a tag names (`v0.8.5`, `release-1.2`, `1.0.0rc1`), or None for anything else."""
    number = _RELEASE.fullmatch(ref)
    try:
        return Version(number[1]) if number else None
    except InvalidVersion:
        return None


def _called(snapshots: Sequence[Snapshot], ref: str) -> list[Snapshot]:
    """Those that a ref names: as it is written first, then as a number, then as a commit."""
    number = release(ref)
    exact = [s for s in snapshots if ref in (s.origin.ref, s.origin.commit)]
    equal = [s for s in snapshots if number is not None and release(s.origin.ref) == number]
    short = [s for s in snapshots if len(ref) >= SHORTEST_SHA and s.origin.commit.startswith(ref.lower())]
    return [*exact, *equal, *short]
