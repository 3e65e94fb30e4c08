"""The parts of section A that need no program: its remote, what hurries, and which requests a script is for."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cases.case import Case
from cases.github_remote import Remote, offered
from cases.github_section import _named, hurried
from cases.repository import Repository


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[Remote]:
    repository = Repository.created(tmp_path / "repo")
    (repository.path / "a.py").write_text("A = 1\n")
    repository.commit_all()
    offered(repository, tmp_path / "offered" / "acme" / "engine.git")
    with Remote(tmp_path / "offered") as server:
        yield server


def read(remote: Remote) -> str:
    """The branches that git sees."""
    command = ("git", "ls-remote", f"{remote.url}/acme/engine.git")
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_git_reads_from_the_remote_and_is_counted(remote: Remote) -> None:
    assert "refs/heads/main" in read(remote) + read(remote)
    remote.settle()
    for _ in range(3):
        read(remote)
    assert remote.jobs == 2  # two reads were one job; the third belongs to a second


def test_whoever_reads_is_held(remote: Remote) -> None:
    with remote.holding():
        reader = threading.Thread(target=read, args=(remote,))
        reader.start()
        reader.join(0.3)
        assert reader.is_alive()
    reader.join(5)
    assert not reader.is_alive() and remote.reads == 1


@pytest.mark.parametrize(("delay_s", "expected"), [(0, False), (3, True), (60, False)])
def test_a_case_that_waits_a_few_seconds_hurries(delay_s: float, expected: bool) -> None:
    assert hurried(Case("A-1", "t", {"requests": [{"delay_s": delay_s}]}, {})) is expected


@pytest.mark.parametrize(
    ("name", "script", "expected"),
    [
        ("POST /repos/o/r/issues/1/comments", {"status": 410}, "POST /repos/o/r/issues/1/comments"),
        ("POST /graphql", {"status": 502}, "POST /graphql addDiscussionComment"),
        ("POST /graphql", {"sequence": ["ok", {"json": {"data": {"node": None}}}]}, "POST /graphql query"),
    ],
)
def test_a_script_for_graphql_is_for_the_comment(name: str, script: object, expected: str) -> None:
    assert _named(name, script) == expected
