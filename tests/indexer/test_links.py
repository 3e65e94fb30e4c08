"""Where the links of a Markdown text lead in its repository."""

from __future__ import annotations

from posixpath import dirname, relpath
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.chunking import chunk
from indexer.links import links, resolve, resolved
from indexer.types import Document

ANY = st.text(st.characters())
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1)
PATHS = st.lists(NAMES.filter(lambda name: name not in (".", "..")), min_size=1, max_size=4).map("/".join)
TARGETS = st.lists(st.sampled_from([*"./\\?#:%a é\0\n", "..", "%2e", "%2F", "%00", "%ff", "%25", "\ud800"])).map(
    "".join
)
PIECES = [
    *"[]()<>!`*#-=:'\"\\&\n\t\r \0",
    *("](", "](a.md)", "[a]: ", "[^1]: ", "    ", "\n\n", "> ", "```\n", "&#xd800;", "| a |\n| - |\n"),
    *("!!! note\n", '=== "T"\n', "<a href=", "<img src='", "<!--", "-->"),
]
MARKDOWN = st.lists(st.sampled_from(PIECES)).map("".join)


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("b.md", "docs/a/b.md"),
        ("./b.md", "docs/a/b.md"),
        ("../../examples/basic.py", "examples/basic.py"),
        ("../b/../c.md", "docs/c.md"),
        ("/docs/a.md", "docs/a.md"),
        ("b/", "docs/a/b"),
        (".", "docs/a"),
        ("..//./c.md", "docs/c.md"),
        ("b.md#part", "docs/a/b.md"),
        ("b.png?raw=true", "docs/a/b.png"),
        ("b.md?a#b?c", "docs/a/b.md"),
        ("my%20file%23%3F.md", "docs/a/my file#?.md"),
        ("%E4%BD%A0.md", "docs/a/你.md"),
        ("你.md", "docs/a/你.md"),
        ("100%.md", "docs/a/100%.md"),
        ("a%2Fb.md", "docs/a/a/b.md"),
        ("..\\b.md", "docs/a/..\\b.md"),
        (" b.md\n", "docs/a/b.md"),
        ("b/c:d.md", "docs/a/b/c:d.md"),
        ("...", "docs/a/..."),
        ("%252e%252e/b.md", "docs/a/%2e%2e/b.md"),
        ("/%2Fexample.com/x", "example.com/x"),
    ],
)
def test_a_relative_target_leads_to_a_path(target: str, path: str) -> None:
    assert resolve("docs/a/l.md", target) == path


@pytest.mark.parametrize(
    "target",
    [
        "https://example.com/a.md",
        "HTTP:a.md",
        "//example.com/a.md",
        "mailto:a@b.c",
        "C:\\a.md",
        "java\nscript:alert(1)",
        "\x01https:a",
        "/\t/example.com",
    ],
)
def test_an_absolute_target_leads_elsewhere(target: str) -> None:
    assert resolve("docs/a/l.md", target) is None


@pytest.mark.parametrize("target", ["", " ", "#part", "?plain=1", "#../a.md"])
def test_a_target_without_a_path_stays_in_its_document(target: str) -> None:
    assert resolve("docs/a/l.md", target) is None


@pytest.mark.parametrize(
    "target",
    [
        "../../../outside.md",
        "../../../docs/a/l.md",
        "/../a.md",
        "%2e%2e/%2E./../a.md",
        "..%2F..%2F..%2Fa.md",
        "../..",
        "/",
        "/docs/..",
    ],
)
def test_nothing_leads_to_the_root_or_above_it(target: str) -> None:
    assert resolve("docs/a/l.md", target) is None


@pytest.mark.parametrize("target", ["a\0.md", "a%00.md", "%FF.md", "%ED%A0%80", "\ud800.md", "a%41\udfff"])
def test_what_is_no_path_leads_nowhere(target: str) -> None:
    assert resolve("docs/a/l.md", target) is None


def test_a_target_of_a_megabyte_is_walked() -> None:
    assert resolve("a.md", "x/%2e%2e/" * 100_000 + "b.md") == "b.md"
    assert resolve("a.md", "%2e%2e/" * 100_000) is None
    assert resolve("a.md", "x" * 1_000_000) == "x" * 1_000_000


@given(PATHS, TARGETS | ANY)
def test_a_path_stays_in_the_repository(path: str, target: str) -> None:
    led = resolve(path, target)
    assert led is None or not {"", ".", ".."} & set(led.split("/"))
    assert led is None or ("\0" not in led and led.encode())


@given(PATHS, PATHS)
def test_the_way_from_one_file_to_another_leads_there(start: str, end: str) -> None:
    way = quote(relpath("/" + end, "/" + dirname(start)))
    assert resolve(start, way) == resolve(start, f"/{quote(end)}") == end
    assert resolved(start, f"See [x]({way}).") == {way: end}


def test_each_way_to_write_a_link() -> None:
    text = (
        "# [heading](a.md)\n\n[inline](b.md 'title') ![image](c.png) [![badge](d.svg)](e.yml) [full][ref] [ref]\n"
        "[blanks](<f g.md>) [again](b.md)\n\n| a |\n| --- |\n| [cell](h.md) |\n\n> - [nested](i.md)\n\n"
        "[ref]: j.md\n[unused]: <k.md> 'title'\n"
    )
    assert ", ".join(links(text)) == "a.md, b.md, c.png, e.yml, d.svg, j.md, f g.md, h.md, i.md, k.md"


def test_html_links_and_images() -> None:
    text = (
        '<p align="center">\n  <img alt="src=no >"\n   src="a.png" w=3>\n  <A title=\'href="no"\' HREF = b.md>x</A>\n'
        '</p>\n\nText <a class="x" href=\'c.md?x&amp;y\'>c</a> <a name="d"> <i href="no"> <a href=""> <img src=e/f>.\n'
    )
    assert links(text) == ["a.png", "b.md", "c.md?x&y", "e/f"]


def test_nothing_in_code_comments_and_scripts() -> None:
    text = (
        "`[a](a.md)` ``<a href='a.md'>``\n\n```\n[b](b.md)\n<a href='b.md'>\n\n[b]: b.md\n```\n\n    [c](c.md)\n\n"
        "<!--\n[d](d.md)\n\n<a href='d.md'>\n-->\n\ntext <!-- <a href='e.md'> --> \\[f](f.md) <https://example.com>\n\n"
        "<div>\n<!-- <img src='g.png'> -->\n<script>'<a href=\"h.md\">'</script>\n<a href='unclosed\n</div>\n"
    )
    assert links(text) == []


def test_targets_are_as_their_author_means_them() -> None:
    text = "[a](a\\_b.md) [b](b&amp;c.md) [c](c%20d.md) [d](é.md) [e](e_(f).md) [g](javascript:alert(1))"
    assert links(text) == ["a_b.md", "b&c.md", "c%20d.md", "é.md", "e_(f).md"]


def test_indented_content_of_mkdocs_is_no_code() -> None:
    text = (
        '!!! note "See [title](a.md)"\n    [first](b.md)\n\n    [second](c.md)\n\n'
        '    ??? tip\n\n        === "Tab"\n\n            [deep](d.md)\n\n            ```\n            [no](no.md)\n'
        "            ```\n\n[^1]: word\n\n    [footnote](e.md)\n\nTerm\n\n:   [definition](f.md)\n\n    [more](g.md)\n"
        "\nText[^1]\n\n    [code](no.md)\n"
    )
    assert links(text) == ["a.md", "b.md", "c.md", "d.md", "e.md", "f.md", "g.md"]


def test_a_piece_of_a_document_may_start_inside_a_list_or_a_tab() -> None:
    assert links("        [a](a.md)\n\n    [b](b.md)\n\n        [no](no.md)\n\nc [c](c.md)\n") == [
        "a.md",
        "b.md",
        "c.md",
    ]
    assert links("\n\t[a](a.md)\r\n\r\n\t[b]: b.md\r\n") == ["a.md", "b.md"]


def test_links_out_of_docs_into_code() -> None:
    text = (
        "# L\n\nSee [ex](../../examples/basic.py), [up](../../../outside.md), [abs](/docs/a/l.md), [anchor](#l), "
        "![i](../img.png)\n"
    )
    (piece,) = chunk(Document("docs/a/l.md", "", "markdown", "docs", text))
    assert resolved("docs/a/l.md", piece.text) == {
        "../../examples/basic.py": "examples/basic.py",
        "../../../outside.md": None,
        "/docs/a/l.md": "docs/a/l.md",
        "#l": None,
        "../img.png": "docs/img.png",
    }


@given(MARKDOWN | ANY)
def test_any_text_gives_each_of_its_targets_once(text: str) -> None:
    found = links(text)
    assert len(set(found)) == len(found)
    assert "" not in found
    assert list(resolved("a/b.md", text)) == found
