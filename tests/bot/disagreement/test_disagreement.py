"""Cited documents against cited code: an invented queue."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.disagreement import Undeclared, disagreements, sentence
from bot.types import Passage
from fakes.found import passage

CONFIG = "class QueueConfig:\n    queue_size: int = 16\n    spill_mode: str = 'lazy'\n    spill_ratio: float = 0.90"


def docs(text: str, path: str = "docs/queue.md") -> Passage:
    return passage(text=text, path=path, kind="docs", language="markdown", symbol="Queue")


def code(text: str = CONFIG, path: str = "queue/config.py") -> Passage:
    return passage(text=text, path=path, symbol="QueueConfig")


def said(*passages: Passage, declared: Collection[str] | None = None, others: Sequence[Passage] = ()) -> list[str]:
    known = (lambda name: name in declared) if declared is not None else lambda name: True
    return [sentence(found) for found in disagreements(passages, known, lambda name: others)]


def test_both_values_are_said_with_both_citations() -> None:
    assert said(docs("Intro."), docs("`queue_size` defaults to `8`."), code()) == [
        "The documentation gives `8` as the default of `queue_size` [2], the code `16` (`QueueConfig`) [3]."
    ]
    assert said(code('os.getenv("QUEUE_MODE", "now")'), docs("`QUEUE_MODE` defaults to `lazy`.")) == [
        "The documentation gives `lazy` as the default of `QUEUE_MODE` [2], the code `now` [1]."
    ]


def test_the_flag_of_a_document_is_the_field_of_the_code() -> None:
    (found,) = disagreements([docs("- `--queue-size`: how many wait (default 8)"), code()], lambda name: True)
    assert not isinstance(found, Undeclared)
    assert (found.documented.name, found.coded.name, found.coded.start_line) == ("--queue-size", "queue_size", 2)


@pytest.mark.parametrize(
    "text",
    [
        "`queue_size` defaults to 16. `spill_mode` defaults to `LAZY`. `spill_ratio` (default 0.9).",
        "`queue_size` defaults to `auto`.",
        "`queue_size` defaults to `None`.",
        "`queue_size` defaults to 8 on small machines.",
        "`QUEUE_SIZE` defaults to 8.",
        "`queue_depth` defaults to 8.",
        "Here `queue_size` defaults to 8.\n\nThere `queue_size` defaults to 16.",
        "| Option | Default |\n|---|---|\n| `queue_size` | the cores |\n\n`queue_size` defaults to 8.",
    ],
)
def test_what_agrees_or_cannot_be_compared_is_not_said(text: str) -> None:
    assert said(docs(text), code()) == []


@pytest.mark.parametrize(
    "other",
    [
        "class Other:\n    queue_size: int = 8",
        "class Other:\n    queue_size: int | None = None",
        'size = options.get("queue_size", 8)',
        'parser.add_argument("--queue-size", default=cores())',
    ],
)
def test_a_name_with_several_owners_is_passed_over(other: str) -> None:
    document = docs("`queue_size` defaults to 8.")
    assert said(document, code(), code(other, "queue/other.py")) == []
    assert said(document, code(), others=[code(other, "queue/other.py")]) == []
    assert len(said(document, code(), others=[code(), docs(other), code(other, "tests/test_queue.py")])) == 1


def test_documents_alone_code_alone_and_examples_say_nothing() -> None:
    document = docs("`queue_size` defaults to 8.")
    assert said(document) == said(code()) == said(document, docs("`queue_size` defaults to 16.", "docs/x.md")) == []
    assert said(document, code(path="examples/config.py")) == said(document, code(path="queue/testing/config.py")) == []
    assert said(docs("`queue_size` defaults to 8.", "docs/release-notes/2.0.md"), code()) == []
    assert said(docs("`queue_size` defaults to 8.", "CHANGELOG.md"), code()) == []


def test_a_fallback_is_no_default() -> None:
    assert said(docs("`queue_size` defaults to 8."), code('size = options.get("queue_size", 16)')) == []


def test_an_argument_counts_where_the_document_names_its_function() -> None:
    function = code("def open_queue(queue_size: int = 16): ...")
    assert said(docs("`queue_size` defaults to 8."), function) == []
    assert len(said(docs("For `open_queue` see there.\n\n`queue_size` defaults to 8."), function)) == 1


OPTIONS = "- `--queue-size`: how many\n- `--spill-mode`: how\n- `--no-spill`: not\n- `QUEUE_HOME`: where"


def test_an_option_that_is_nowhere_is_said_once() -> None:
    known = {"--queue-size", "--spill", "QUEUE_HOME"}
    assert said(docs(OPTIONS), docs(OPTIONS, "docs/again.md"), code(), declared=known) == [
        "The documentation describes `--spill-mode` [1], but nothing in the code has that name."
    ]
    (found,) = disagreements([docs(OPTIONS)], lambda name: name in known)
    assert isinstance(found, Undeclared)
    assert (found.start_line, found.end_line) == (2, 2)


def test_only_names_that_are_asked_about_are_looked_at() -> None:
    passages = [docs(f"`queue_size` defaults to 8.\n\n{OPTIONS}"), code()]
    asked_for: list[str] = []

    def declared(name: str) -> bool:
        asked_for.append(name)
        return name != "--spill-mode"

    assert len(disagreements(passages, declared)) == 2
    assert len(disagreements(passages, declared, about={"spill_mode"})) == 1
    asked_for.clear()
    assert len(disagreements(passages, declared, about={"queue_size"})) == 1
    assert asked_for == ["--queue-size"]


def test_options_of_another_program_are_none_of_ours() -> None:
    assert said(docs(OPTIONS), declared={"--queue-size"}) == said(docs(OPTIONS), declared=()) == []
    assert said(docs(OPTIONS, "docs/history.md"), declared={"--queue-size", "--spill", "QUEUE_HOME"}) == []


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["`a_b` defaults to `8`.", "- `--a-b`: x (default 9)", "class A:\n    a_b: int = 7", "A_B = 1"])
    ),
    st.booleans(),
)
def test_a_sentence_cites_a_document_and_then_code(texts: list[str], known: bool) -> None:
    passages = [docs(text) if "`" in text else code(text) for text in texts]
    for told in (sentence(found) for found in disagreements(passages, lambda name: known)):
        numbers = [int(number) for number in re.findall(r"\[(\d+)\]", told)]
        assert [passages[number - 1].kind for number in numbers] in (["docs", "code"], ["docs"])


def test_this_project_agrees_with_its_own_documents() -> None:
    root = Path(__file__).parents[3]
    readme = docs((root / "README.md").read_text(encoding="utf-8"), "README.md")
    settings = code((root / "bot/settings.py").read_text(encoding="utf-8"), "bot/settings.py")
    assert said(readme, settings) == []
