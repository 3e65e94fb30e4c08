"""An answer's Markdown as the nodes that the web page is made of."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.rendering.web import Growing, WebNode, answer_nodes, web_nodes
from fakes.answers import answer, url
from fakes.markdown import hostile

KINDS = {
    "paragraph", "heading", "quote", "bullets", "numbers", "item", "code", "rule", "table",
    "em", "strong", "deleted", "mono", "break", "citation",
}  # fmt: skip


def every(nodes: Any) -> list[Any]:
    """All nodes, at any depth."""
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, list):
            found += every(node)
        else:
            found.append(node)
            found += every(node.get("children", [])) + every(node.get("rows", [])) if isinstance(node, dict) else []
    return found


def said(nodes: list[WebNode]) -> str:
    return "".join(node if isinstance(node, str) else node.get("text", "") for node in every(nodes))


def test_blocks_and_what_they_hold() -> None:
    source = "## Size\n\nIt *is* **16** `tokens`.\n\n> said\n\n1. one\n2. two\n\n---\n\n```python\nx = 1\n```\n"
    heading, paragraph, quote, numbers, rule, code = web_nodes(source)
    assert heading == {"kind": "heading", "level": 1, "children": ["Size"]}
    assert paragraph["children"] == [  # type: ignore[index]
        "It ", {"kind": "em", "children": ["is"]}, " ", {"kind": "strong", "children": ["16"]}, " ",
        {"kind": "mono", "text": "tokens"}, ".",
    ]  # fmt: skip
    assert quote == {"kind": "quote", "children": [{"kind": "paragraph", "children": ["said"]}]}
    assert (numbers["kind"], numbers["start"], len(numbers["children"])) == ("numbers", 1, 2)  # type: ignore[index]
    assert rule == {"kind": "rule"}
    assert code == {"kind": "code", "language": "python", "lines": ((("", "x = "), ("number", "1")),)}


def test_headings_leave_no_level_out() -> None:
    nodes = web_nodes("### a\n###### b\n#### c\n> # d\n\n## e\n### f\n")
    assert [node["level"] for node in every(nodes) if node != str(node) and node["kind"] == "heading"] == [
        1,
        2,
        2,
        1,
        2,
        3,
    ]


def test_a_table_has_rows_of_cells() -> None:
    (table,) = web_nodes("| a | b |\n|:--|--:|\n| 1 | `2` [1] |\n")
    head, row = table["rows"]  # type: ignore[index]
    assert head == [{"align": "left", "children": ["a"]}, {"align": "right", "children": ["b"]}]
    assert row[1]["children"] == [{"kind": "mono", "text": "2"}, " ", {"kind": "citation", "number": 1}]


def test_only_citations_that_exist_are_references() -> None:
    nodes = answer_nodes(answer("A [1][2], B `x[1]` [7].", citations=2))
    assert [node["number"] for node in every(nodes) if isinstance(node, dict) and node["kind"] == "citation"] == [1, 2]
    assert "[7]" in said(nodes) and "x[1]" in said(nodes)


def test_a_link_to_a_citation_is_that_citation_and_no_other_is_one() -> None:
    nodes = answer_nodes(answer(f"[here]({url(1)}) and [there](https://example.net/x)", citations=1))
    assert {"kind": "citation", "number": 1, "children": ["here"]} in every(nodes)
    assert "there" in said(nodes)
    assert "://" not in json.dumps(nodes)


HOSTILE = """<script>alert(1)</script><img src=x onerror=alert(1)> [go](javascript:alert(1)) ![i](https://example.net/p.png)

<iframe src="https://example.net"></iframe>

[1]: javascript:alert(1)

<a href="javascript:alert(1)">click</a> \u202eevil\u202c &lt;b&gt;
"""


def test_nothing_hostile_is_left_but_words() -> None:
    nodes = web_nodes(HOSTILE)
    assert {node["kind"] for node in every(nodes) if isinstance(node, dict)} <= KINDS
    shown = said(nodes)
    assert "\u202e" not in shown and "example.net" not in shown and "javascript:" not in shown
    assert "go" in shown and "click" in shown and "<b>" in shown


def test_the_kinds_of_code_are_those_that_have_a_colour() -> None:
    (code,) = web_nodes("```python\n@d\nclass A(B):\n    '''Doc.'''\n    x: int = 1  # c\n```\n")
    kinds = {kind for line in code["lines"] for kind, _ in line}  # type: ignore[index]
    assert kinds == {"decorator", "keyword", "type", "comment", "number", ""}


@given(hostile)
def test_any_text_is_made_of_known_kinds(text: str) -> None:
    nodes = web_nodes(text)
    assert all(isinstance(node, str) or node["kind"] in KINDS for node in every(nodes))
    json.dumps(nodes).encode()


def grown(pieces: list[str]) -> list[WebNode]:
    growing, shown = Growing(), list[WebNode]()
    for piece in pieces:
        if change := growing.fed(piece):
            kept, nodes = change
            assert nodes or kept < len(shown)
            shown = [*shown[:kept], *nodes]
    return shown


@pytest.mark.parametrize("size", [1, 7, 40])
def test_a_growing_text_ends_as_the_whole(size: int) -> None:
    text = "One [1].\n\n- a\n- b\n\n```python\nx = 1\n\ny = 2\n```\n\n| a |\n|---|\n| 1 |\n\nLast **word**."
    assert grown([text[at : at + size] for at in range(0, len(text), size)]) == web_nodes(text)


def test_what_stays_is_not_sent_again() -> None:
    growing = Growing()
    assert growing.fed("One.\n\n") == (0, web_nodes("One."))
    assert growing.fed("- a\n") == (1, web_nodes("- a"))
    assert growing.fed("- b\n\n") == (1, web_nodes("- a\n- b"))
    assert growing.fed("\n") is None


@settings(max_examples=40)
@given(hostile, st.integers(1, 30))
def test_how_a_text_was_cut_changes_nothing(text: str, size: int) -> None:
    pieces = [text[at : at + size] for at in range(0, min(len(text), 400), size)]
    assert grown(pieces) == web_nodes("".join(pieces))
