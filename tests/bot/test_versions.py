from __future__ import annotations

import pytest
from packaging.version import Version

from bot.versions import asked_version, choose, for_asker, reading_note, removable
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


def asked(
    text: str, repository: str = "acme/paperboat", known: tuple[str, ...] = ("v2.14.0", "v2.13.1", "main")
) -> str | None:
    version = asked_version(text, repository, known)
    return str(version) if version else None


@pytest.mark.parametrize(
    ("text", "version"),
    [
        # a story is told to its end
        ("We ran paperboat 2.11 for a year. Yesterday I bumped it to 2.14.0 and every worker stops.", "2.14.0"),
        ("Upgraded from 2.11.3 to 2.14.0, now it is slower", "2.14.0"),
        ("Upgraded paperboat from v2.11.3 to v2.14.0, now it is slower", "2.14.0"),
        ("2.11.3 -> 2.14.0 broke my queues", "2.14.0"),
        ("I downgraded from 2.14.0 to 2.13.1 and it works again, why?", "2.13.1"),
        ("It worked in 2.11, broken in 2.14.0.", "2.14.0"),
        ("It used to work in 2.11.3 but not in 2.14.0", "2.14.0"),
        ("In v2.13 it was a list, in v2.14 it is a tuple. Intended?", "2.14"),
        ("Compared with 2.13.1, 2.14.0 is 30% slower (1.25 s, not 0.96 s)", "2.14.0"),
        ("Same here with 2.14.0 (docker). 2.13.1 is fine.", "2.14.0"),
        ("since 2.14 I see this warning. what does it mean?", "2.14"),
        ("after upgrade to 2.14 our lambda logs on each write", "2.14"),
        # what is run beats what else is named
        ("We are on 2.13.1. It is broken since 2.12.0.", "2.13.1"),
        ("I read the docs for 2.14.0 but run 2.13.1", "2.13.1"),
        ("I run v2.13.1. Is it fixed in 2.14.0?", "2.13.1"),
        ("Running 2.13.1; https://github.com/acme/paperboat/blob/v2.14.0/queue.py says otherwise", "2.13.1"),
        ("what should `workers` be in 2.14? I had 8 with 2.11.3 and it gave good gains", "2.14"),
        # what is printed beats prose
        ("paperboat Version: 2.13.1\n\nI also tried 2.14.0 with the same result", "2.13.1"),
        ("```text\n[pip3] numpy==1.26.4\n[pip3] paperboat==2.13.1\n```\nis 2.14.0 better?", "2.13.1"),
        # own words beat quoted ones
        ("> We run paperboat 2.12.0\n> and it hangs\n\nSame for us with 2.14.0", "2.14.0"),
        ("> paperboat Version: 2.13.1\n\nDid you find out why?", "2.13.1"),
        (">>> paperboat.__version__\n'2.13.1'", "2.13.1"),
        # newer than all that is indexed, and what nobody runs any more
        ("does paperboat 2.19.0 have it?", "2.19.0"),
        ("It worked in an old 2.11 image. What is the replacement?", None),
        ("In the 2.4 days I passed a list", None),
        ("The flag that was added in v2.13.1: what does it do?", None),
        ("Python 3.12.4, numpy 2.1.0, temperature 0.7", None),
        ("What does --workers do?", None),
    ],
)
def test_what_the_asker_runs_now_is_what_a_message_is_about(text: str, version: str | None) -> None:
    assert asked(text) == version


@pytest.mark.parametrize(
    ("text", "repository", "known", "version"),
    [
        ("PyTorch version: 2.4.0+cu121\nPython version: 3.11.7", "pytorch/pytorch", ("v2.9.0",), "2.4.0+cu121"),
        ("PyTorch version: 2.4.0+cu121\nvLLM Version: 0.10.1", "vllm-project/vllm", ("v0.33.0",), "0.10.1"),
        ("docker run vllm/vllm-openai:v0.9.2 --model Qwen/Qwen2.5-7B", "vllm-project/vllm", ("v0.33.0",), "0.9.2"),
        ("salt-master 3008.5, 3000 minions", "saltstack/salt", ("v3008.5",), "3008.5"),
        ("can lightgbm 4.7 train on two GPUs", "microsoft/LightGBM", ("v4.7.0",), "4.7"),
        ("We run python 3.11 and airship 3.0", "acme/airship", ("3.1.2",), "3.0"),
        ("on python 3.11.7, I'm running 3.0.0", "acme/airship", ("3.1.2",), "3.0.0"),
        ("we use v0.4 in production", "acme/engine", (), "0.4"),
    ],
)
def test_any_project_has_versions(text: str, repository: str, known: tuple[str, ...], version: str) -> None:
    assert asked(text, repository, known) == version


def answering(there: list[Snapshot], version: str, repository: str = "a/b") -> str | None:
    found = for_asker(there, repository, Version(version))
    return found.origin.ref if found else None


def test_the_release_that_was_asked_about_answers() -> None:
    there = snapshots("a/b main", "a/b v0.9.2", "a/b v0.9.10", "a/b v0.9.11rc1", "a/b v1.0rc1", "c/d v0.8.0")
    assert answering(there, "0.9.2", "A/B") == answering(there, "0.9.2+cu129") == "v0.9.2"
    assert answering(there, "0.9") == "v0.9.10"
    assert answering(there, "1.0") == answering(there, "1.0rc1") == "v1.0rc1"
    for version in ("0.9.3", "0.9.2.post1", "0.9.2rc1", "0.8", "0.8.0", "2.0"):
        assert answering(there, version) is None


def test_a_build_of_a_commit_is_that_commit_and_no_release() -> None:
    there = snapshots(f"a/b main {SHA}", "a/b v0.10.1", "a/b v0.10.0", "a/b 0.10.1.dev7")
    assert answering(there, f"0.10.1.dev12+g{SHA[:9]}.d20261130") == "main"
    assert answering(there, "0.10.1.dev7") == "0.10.1.dev7"
    assert answering(there, "0.10.1.dev12+gfedcba987") is None
    assert answering(there, "0.10.1+gfedcba987") == "v0.10.1"


def test_the_reply_says_when_another_version_was_read() -> None:
    (read,) = snapshots("a/b v0.33.0")
    assert reading_note(Version("0.33.0"), read) is None
    assert reading_note(Version("0.10.1"), read) == (
        "You mention 0.10.1, which is not indexed; this was read from v0.33.0."
    )
    assert reading_note(Version("0.33"), read) == "You mention 0.33; this was read from v0.33.0."
    (branch,) = snapshots(f"a/b main {SHA}")
    assert reading_note(Version("0.33"), branch) == "You mention 0.33, which is not indexed; this was read from main."
    assert reading_note(Version(f"0.1.dev1+g{SHA[:8]}"), branch) is None


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
