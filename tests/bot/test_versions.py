from __future__ import annotations

import pytest
from packaging.version import Version

from bot.versions import choose, release, removable
from indexer.errors import IndexMissing
from indexer.records import Collection, Snapshot
from indexer.types import Origin

SHA = "0123456789abcdef0123456789abcdef01234567"


def snapshots(*versions: str) -> list[Snapshot]:
    """Versions as `OWNER/NAME REF [COMMIT]`, latest indexed first."""
    made = []
    for number, version in enumerate(versions):
        repository, ref, *commit = version.split()
        origin = Origin(repository, ref, commit[0] if commit else f"c{number}", None, "")
        made.append(Snapshot(number, Collection(1, "c", repository, "e", 1), origin, "", 1, 1))
    return made


def chosen(there: list[Snapshot], repository: str | None = None, ref: str | None = None) -> str | None:
    found = choose(there, repository, ref)
    return f"{found.origin.repository} {found.origin.ref}" if found else None


@pytest.mark.parametrize(
    ("there", "answers"),
    [
        (snapshots(), None),
        (snapshots("a/b main", "a/b dev"), "a/b main"),
        (snapshots("a/b main", "a/b v0.9.0", "a/b v0.10.1", "a/b v0.10.0"), "a/b v0.10.1"),
        (snapshots("a/b v2.0rc1", "a/b v1.9"), "a/b v1.9"),
        (snapshots("a/b v2.0rc1", "a/b main"), "a/b v2.0rc1"),
        (snapshots("a/b main", "c/d v9.9"), "a/b main"),
    ],
)
def test_the_newest_release_of_the_repository_indexed_last_answers(there: list[Snapshot], answers: str | None) -> None:
    assert chosen(there) == answers


def test_a_version_is_named_in_many_ways() -> None:
    there = snapshots(f"a/b main {SHA}", "a/b v0.8.5", "c/d v0.8.5", "a/b release-1.2")
    assert chosen(there, "A/B", "main") == "a/b main"
    assert chosen(there, "c/d", "0.8.5") == "c/d v0.8.5"
    assert chosen(there, None, "v0.8.5") == "a/b v0.8.5"
    assert chosen(there, "a/b", "1.2.0") == "a/b release-1.2"
    assert chosen(there, "a/b", SHA) == chosen(there, "a/b", SHA[:7]) == "a/b main"
    for repository, ref in (("a/b", SHA[:6]), ("a/b", "0.8"), ("c/d", "main"), ("x/y", None)):
        assert chosen(there, repository, ref) is None


@pytest.mark.parametrize(
    ("ref", "number"),
    [
        ("v0.8.5", "0.8.5"),
        ("1.0.0rc1", "1.0rc1"),
        ("release/1.2", "1.2"),
        ("pkg-1.2.3", "1.2.3"),
        ("v1.2.3.post1", "1.2.3.post1"),
    ],
)
def test_a_tag_names_a_release(ref: str, number: str) -> None:
    assert release(ref) == Version(number)


@pytest.mark.parametrize("ref", ["main", "v1", "worktree", "feature-2", "v1.x", "1.2.three", "", "2026"])
def test_a_branch_names_none(ref: str) -> None:
    assert release(ref) is None


def test_one_version_is_removed_by_its_repository_and_several_by_name() -> None:
    there = snapshots("a/b main", "a/b v1.0", "c/d main")
    assert removable(there, "C/D", None, False) == there[2:]
    assert removable(there, "a/b", "1.0", False) == there[1:2]
    assert removable(there, "a/b", None, True) == there[:2]
    with pytest.raises(IndexMissing, match=r"a/b has several versions \(main, v1\.0\); name one with --ref"):
        removable(there, "a/b", None, False)
    with pytest.raises(IndexMissing, match=r"no index of a/b at v2; its versions are main, v1\.0\."):
        removable(there, "a/b", "v2", False)
    with pytest.raises(IndexMissing, match="no index of x/y; `repopilot status` shows"):
        removable(there, "x/y", None, False)
