"""A tree that was written is read as the same tree, and no character is escaped that need not be."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, example, given

from bot.markdown import Node, markdown, parse, plain, walk
from fakes.markdown import markdown_texts


def starts_a_line_with_html(tree: Node) -> bool:
    """Raw HTML that a blank or an indentation kept from being a block of its own: there is no other way to write it."""
    return any(
        child.kind == "html_inline" and (at == 0 or node.children[at - 1].kind in ("softbreak", "hardbreak"))
        for node in walk(tree)
        for at, child in enumerate(node.children)
    )


@given(markdown_texts)
@example("a|a|b|\n|-|:-|\n|c|d|\n-")
@example("- <b>\n\n  # ")
@example("~*~https://a.b/c_d_~")
@example("`a``a`")
@example("- - -\n")
@example("_a_*b*__c__")
@example("***a** b*\n===")
@example("- a\n  > b\n- 1. c\n\n       d\n")
@example("999999999. a\n1. b")
@example("> ```\n> \n>   x\n> ````\n\n~~~a`b\n```\n~~~")
def test_the_way_there_and_back(source: str) -> None:
    tree = parse(source)
    assume(not starts_a_line_with_html(tree))
    assert parse(markdown(tree)) == tree


@pytest.mark.parametrize(
    "source",
    [
        "It is 16 [1], as `a[1]` and [[2]](https://a.b/c) say: max_num_seqs, a__b? 2 * 3, a_b_c ~16, C:\\temp.",
        "# A\n\n## B #1\n\n> quoted\n> twice\n>\n> > deeper",
        "3. a\n4. b\n   - c\n     - d\n   - e\n5. f",
        "- [ ] open\n- [x] done",
        "- loose\n\n- list\n\n  more",
        "| flag | default |\n|:--|--:|\n| `--a\\|b` | 16 \\| 4 |",
        "````md\n```py\nx\n```\n````",
        "a\nb\\\nc",
        "<https://a.b/__init__.py>",
        "***",
    ],
)
def test_what_is_written_well_stays_as_it_is(source: str) -> None:
    assert markdown(parse(source)) == source.replace("***", "___")


@pytest.mark.parametrize(
    ("shown", "source"),
    [
        ("# no heading", "\\# no heading"),
        ("1. no list", "1\\. no list"),
        ("- no list", "\\- no list"),
        ("+", "\\+"),
        ("> no quotation", "\\> no quotation"),
        ("===", "\\==="),
        ("f(*args)", "f(\\*args)"),
        ("_a_", "\\_a\\_"),
        ("a`b", "a\\`b"),
        ("[x](y)", "[x\\](y)"),
        ("[x]: y", "\\[x]: y"),
        ("[^1]", "\\[^1]"),
        ("<b>", "&lt;b>"),
        ("a < b <= 5 <5", "a < b <= 5 <5"),
        ("&lt; R&D", "\\&lt; R&D"),
        ("https://a.b", "https\\://a.b"),
        ("a\\*b", "a\\\\\\*b"),
        ("~~a~~", "\\~\\~a\\~\\~"),
        (" a ", "&#32;a&#32;"),
    ],
)
def test_text_that_looks_like_markup_is_escaped(shown: str, source: str) -> None:
    tree = Node("paragraph", (Node("text", text=shown),))
    assert markdown(tree) == source
    assert parse(source).children == (tree,)


def test_what_was_changed_is_written_so_that_it_reads_the_same() -> None:
    (quote,) = parse("> a *b* c").children
    (paragraph,) = quote.children
    first, em, last = paragraph.children
    glued = replace(
        paragraph, children=(replace(first, text="a"), replace(em, children=(Node("text", text=" b."),)), last)
    )
    assert parse(markdown(glued)).children == (glued,)


def test_emphasis_that_cannot_be_written_leaves_its_text() -> None:
    blank = Node("paragraph", (Node("text", text="a"), Node("em", (Node("text", text=" "),)), Node("text", text="b")))
    assert plain(parse(markdown(blank)).children) == "a b"


def test_two_lists_side_by_side_stay_two() -> None:
    item = Node("list_item", (Node("paragraph", (Node("text", text="a"),)),))
    tree = Node("document", tuple(Node("bullet_list", (item,)) for _ in range(3)))
    assert markdown(tree) == "- a\n\n* a\n\n- a"
    assert parse(markdown(tree)) == tree


def test_two_paragraphs_of_an_item_are_never_one() -> None:
    a, b = (Node("paragraph", (Node("text", text=letter),)) for letter in "ab")
    assert markdown(Node("bullet_list", (Node("list_item", (a, b)),))) == "- a\n\n  b"


def test_an_empty_document_is_an_empty_text() -> None:
    assert markdown(parse("")) == ""
