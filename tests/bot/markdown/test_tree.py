"""What is a node of what kind, as CommonMark and GitHub have it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given

from bot.markdown import Node, joined, parse, plain, walk
from fakes.markdown import markdown_texts


def text(content: str) -> Node:
    return Node("text", text=content)


def inline(source: str) -> tuple[Node, ...]:
    return parse(source).children[0].children


@pytest.mark.parametrize(
    ("source", "nodes"),
    [
        ("`[1]` [1]", (Node("code_inline", text="[1]"), text(" [1]"))),
        ("**a *b***", (Node("strong", (text("a "), Node("em", (text("b"),)))),)),
        ("~a~ ~~b~~", (Node("s", (text("a"),)), text(" "), Node("s", (text("b"),)))),
        ("[x](javascript:y)", (Node("link", (text("x"),), url="javascript:y"),)),
        ("![*x*](y 'z')", (Node("image", text="x", url="y", title="z"),)),
        ("a\nb\\\nc", (text("a"), Node("softbreak"), text("b"), Node("hardbreak"), text("c"))),
        ("&lt;a&#64;", (text("<a@"),)),
        ("a<br>b", (text("a"), Node("html_inline", text="<br>"), text("b"))),
        ("**&nbsp;**", (text("\xa0"),)),
        ("*a*\x00\x1b", (Node("em", (text("a"),)),)),
    ],
)
def test_inline_nodes(source: str, nodes: tuple[Node, ...]) -> None:
    assert inline(source) == nodes


@pytest.mark.parametrize(
    ("source", "url"),
    [
        ("see https://a.b/__init__.py#L1-L2, and", "https://a.b/__init__.py#L1-L2"),
        ("(https://a.b/c_(d))", "https://a.b/c_(d)"),
        ("https://a.b/c&amp; x", "https://a.b/c"),
        ("HTTP://a.b!", "HTTP://a.b"),
        ("<https://a.b/*c*>", "https://a.b/*c*"),
        ("**https://a.b**", "https://a.b"),
        ("_https://a.b/c_", "https://a.b/c"),
        ("'https://a.b/'", "https://a.b/"),
    ],
)
def test_a_bare_url_is_a_link(source: str, url: str) -> None:
    links = [node for node in walk(parse(source)) if node.kind == "link"]
    assert [(link.url, plain(link.children)) for link in links] == [(url, url)]


@pytest.mark.parametrize(
    "source", ["https:// x", "xhttps://a.b", "`https://a.b`", "https\\://a.b", "ftp://a.b", "www.a.b"]
)
def test_other_urls_are_text(source: str) -> None:
    assert all(node.kind != "link" for node in walk(parse(source)))


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("It is 16 [1].\n\n[1]: https://evil.example", "It is 16 [1]."),
        ("The [cache][1] is.\n\n[1]: https://evil.example", "The cache[1] is."),
        ("A [note][^2].\n\n[^2]: https://evil.example", "A note[^2]."),
    ],
)
def test_a_reference_by_number_is_a_citation(source: str, shown: str) -> None:
    assert plain(inline(source)) == shown
    assert len(parse(source).children) == 1


def test_other_references_are_resolved_and_definitions_gone() -> None:
    assert parse("[x][y]\n\n[y]: https://a.b 't'") == Node(
        "document", (Node("paragraph", (Node("link", (text("x"),), url="https://a.b", title="t"),)),)
    )
    assert parse("[y]: https://a.b") == Node("document")


@pytest.mark.parametrize(
    ("source", "tight"),
    [
        ("- a\n- b", True),
        ("- a\n\n- b", False),
        ("- a\n\n  b", False),
        ("- a\n\n  [b]: c", True),
        ("- ```\n  ```\n\n- b", False),
    ],
)
def test_a_list_is_tight_when_no_blank_line_is_in_it(source: str, tight: bool) -> None:
    assert parse(source).children[0].tight is tight


def test_a_table_has_rows_of_aligned_cells() -> None:
    head, row = parse("|a|b|\n|:-|-:|\n|`x\\|y`|").children[0].children
    assert [(cell.info, plain(cell.children)) for cell in head.children] == [("left", "a"), ("right", "b")]
    assert [plain(cell.children) for cell in row.children] == ["x|y", ""]


def test_indented_and_unclosed_code_is_a_fence() -> None:
    assert parse("    x\n\n```py\ny").children == (Node("fence", text="x\n"), Node("fence", text="y\n", info="py"))


@given(markdown_texts)
def test_neighbouring_texts_are_one(source: str) -> None:
    for node in walk(parse(source)):
        assert joined(node.children) == node.children


def test_long_texts_take_no_longer_than_they_are() -> None:
    start = time.monotonic()
    for long in (
        ":" * 50_000,
        "http://" * 5_000,
        "https://a.b/" + ")" * 50_000,
        "*a " * 10_000,
        "> " * 10_000,
        "|a" * 10_000,
    ):
        parse(long)
    assert time.monotonic() - start < 20
