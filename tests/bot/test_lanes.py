from __future__ import annotations

import pytest

from bot.lanes import lanes
from indexer.records import Place
from indexer.types import FileKind


def weight(question: str, path: str, kind: FileKind = "code", generated: bool = False) -> float:
    return lanes(question).weight(Place(path, kind, generated))


def test_code_and_prose_speak_louder_than_tests_and_generated_files() -> None:
    why = "why is it slow"
    assert weight(why, "a.py") == weight(why, "a.md", "docs") > weight(why, "tests/t.py", "test")
    assert weight(why, "tests/t.py", "test") > weight(why, "tests/t.py", "test", generated=True)


@pytest.mark.parametrize(
    ("question", "code_first"),
    [
        ("Where is the block size defined?", True),
        ("how is sharding implemented in code", True),
        ("which function frees a block", True),
        ("How do I set the block size?", False),
        ("what is the default", False),
    ],
)
def test_who_asks_for_code_gets_code_first(question: str, code_first: bool) -> None:
    assert (weight(question, "docs/a.md", "docs") < weight(question, "a.py")) == code_first


@pytest.mark.parametrize(
    ("path", "asks_for_it"),
    [
        ("CHANGELOG.md", "what has changed in the scheduler"),
        ("doc/topics/releases/2015.5.4.rst", "since which version is it there"),
        ("docs/release-notes.md", "when was the flag removed"),
        ("LICENSE", "which license is it"),
        ("third_party/fmt/core.h", "is fmt bundled"),
        ("external_libs/eigen/Core.h", "which third-party code is there"),
        (".agents/skills/debug/notes.md", "which skills are there for agents"),
        (".github/workflows/test.yml", "which workflow runs the tests"),
        ("AGENTS.md", "what does it say to agents"),
        ("requirements/cuda.txt", "which dependencies does it have"),
    ],
)
def test_what_stands_aside_comes_last_unless_it_is_asked_for(path: str, asks_for_it: str) -> None:
    assert weight("how does the scheduler pick", path, "docs") == 0.5 * weight(asks_for_it, path, "docs")


@pytest.mark.parametrize("path", ["vllm/agents/tool.py", "src/history_buffer.py", "newsletter.md", "vendors/acme.py"])
def test_what_only_sounds_like_it_does_not(path: str) -> None:
    assert weight("how does it pick", path) == 1.0
