"""What of a model's Markdown states nothing."""

from __future__ import annotations

import pytest

from bot.grounding.layout import (
    announces,
    inline,
    is_source_list,
    is_source_title,
    lone_numbers,
    numbers_of,
    split,
    title_level,
    trimmed,
    unwrapped,
)
from bot.grounding.numbers import normal
from bot.markdown import Node, markdown, parse, plain


def block(text: str) -> Node:
    (node,) = parse(text).children
    return node


def test_a_fence_of_markdown_at_the_start_is_the_answer_itself() -> None:
    nodes = parse("```markdown\n# Title\n\nText [1].\n```\n\nMore.").children
    assert [node.kind for node in unwrapped(nodes, first=True)] == ["heading", "paragraph", "paragraph"]
    assert list(unwrapped(nodes, first=False)) == list(nodes)
    code = parse("```python\nx = 1\n```").children
    assert list(unwrapped(code, first=True)) == list(code)


@pytest.mark.parametrize(
    "text", ["<answer>\nText [1].\n</answer>", "<answer>\n\nText [1].\n\n</answer>", "Text [1].\n\n</answer>"]
)
def test_tags_around_an_answer_go(text: str) -> None:
    nodes = list(unwrapped(parse(text).children, first=True))
    assert [markdown(node) for node in nodes] == ["Text [1]."]


def test_other_html_is_left_to_be_dropped() -> None:
    nodes = parse("<!-- x -->\n\n<div onclick='x()'>\ntext\n</div>").children
    assert all(node.kind == "html_block" for node in unwrapped(nodes, first=True))


def test_the_text_of_a_block_has_blanks_between_its_parts() -> None:
    assert plain(inline(block("| a | b |\n|---|---|\n| c | d |"))).split() == ["a", "b", "c", "d"]
    assert plain(inline(block("- one\n- two\n  - three"))).split() == ["one", "two", "three"]
    assert numbers_of(block("- one [2]\n- two\n  - three [1, 2]")) == [2, 1]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("[1]", [1]), ("([1], [2])", [1, 2]), ("**[3]**.", [3]), ("See [1]", []), ("- [1]", []), ("", [])],
)
def test_citations_that_stand_alone(text: str, numbers: list[int]) -> None:
    assert lone_numbers(block(text or "x")) == numbers


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("# a", 1),
        ("a\n---", 2),
        ("###### a", 6),
        ("**Memory**", 7),
        ("**Memory**:", 7),
        ("**Memory:**", 7),
        ("**It is 16.**", 0),
        ("**Memory** is used", 0),
        ("*Memory*", 0),
        ("text", 0),
        ("- **a**", 0),
    ],
)
def test_titles(text: str, level: int) -> None:
    assert title_level(block(text)) == level


@pytest.mark.parametrize("text", ["To do so:", "To do so [1]:", "**To do so:** [1]", "So：", "Do: "])
def test_announcements(text: str) -> None:
    assert announces(normal(block(text).children))


@pytest.mark.parametrize("text", ["Do: so", "`a:`b", "It is."])
def test_no_announcements(text: str) -> None:
    assert not announces(normal(block(text).children))


def test_a_last_sentence_that_announces_is_a_paragraph_of_its_own() -> None:
    assert [markdown(node) for node in split([block("It is 16 [1]. To change it:")])] == [
        "It is 16 [1].",
        "To change it:",
    ]
    for text in ("To change it:", "It is 16 [1]. To change it [2]:", "It is 16 [1]."):
        assert [markdown(node) for node in split([block(text)])] == [text]


def test_a_statement_over_a_rule_is_no_heading() -> None:
    kinds = [node.kind for node in split(parse("It is 16 [1].\n---\n\nSize\n---\n\n## Why?").children)]
    assert kinds == ["paragraph", "heading", "heading"]


@pytest.mark.parametrize(
    "text", ["Sources:", "## References", "**Sources**", "*Citations:*", "Quellen", "参考文献：", "Sources used:"]
)
def test_titles_of_lists_of_sources(text: str) -> None:
    assert is_source_title(block(text))


@pytest.mark.parametrize("text", ["Sources are files.", "## Reference counting", "The source:", "- Sources"])
def test_other_titles(text: str) -> None:
    assert not is_source_title(block(text))


@pytest.mark.parametrize(
    "text",
    [
        "[1] src/ring.rs",
        "[1] src/ring.rs\n[2] docs/tuning.md, lines 3-9",
        "[^1]: See docs/tuning.md.",
        "Sources: [1], [2]",
        "Source: `src/ring.rs` [1]",
        "[1]: https://x.example/a and more",
    ],
)
def test_lists_of_sources(text: str) -> None:
    assert is_source_list(block(text))


def test_under_a_title_a_path_is_a_source() -> None:
    for text in ("- src/ring.rs\n- `docs/tuning.md` (lines 3-9)", "1. [1] Tuning guide", "docs/tuning.md"):
        assert is_source_list(block(text), titled=True) and not is_source_list(block(text))


@pytest.mark.parametrize(
    "text",
    [
        "[1] says that requests wait in src/ring.rs.",
        "The limit is in src/ring.rs [1]",
        "Source: the ring appends pages to src/ring.rs and evicts the oldest of them",
        "- git [1]\n- pypi [1]",
    ],
)
def test_what_says_something_is_no_source(text: str) -> None:
    assert not is_source_list(block(text))


def test_a_list_of_things_is_none_of_sources_whatever_its_title() -> None:
    assert not is_source_list(block("- git [1]\n- pypi, which is read at start [1]"), titled=True)


def test_a_paragraph_is_trimmed() -> None:
    nodes = (Node("softbreak"), Node("text", text="  a "), Node("hardbreak"), Node("text", text=" "))
    assert trimmed(nodes) == (Node("text", text="a"),)
    assert trimmed(()) == ()
