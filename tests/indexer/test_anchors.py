"""The anchors by which sites link to the headings of a Markdown document."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.anchors import anchors_at, github_slug, headings, mkdocs_slug
from indexer.chunking import chunk
from indexer.chunking.markdown import outline
from indexer.chunking.outline import Rows
from indexer.types import Document

ANY = st.text(st.characters())
PIECES = [
    *"#-=_a1\n\t\r >[]{}`*é!&\0",
    *("# a\n", "# a_1\n", "## a-1\n", "# A {#a}\n", "a\n===\n", "> # a\n", "- # a\n", "---\n", "!!! note\n\n    # a\n"),
    *("```\n", "<!--", "-->", "[a]: b\n", "    ", "\n\n"),
]
MARKDOWN = st.lists(st.sampled_from(PIECES)).map("".join)
TITLES = st.lists(st.sampled_from(["a", "a_1", "a_2", "a_9", "a_01", "a_1_1", "a-1", "a-1-1", "b", "b-2", "?"]))


def anchors(text: str, site: str) -> list[str]:
    return [heading.anchors.get(site, "") for heading in headings(text)]


def document(titles: list[str]) -> str:
    return "".join(f"# {title}\n\n" for title in titles)


# Answers of github.com, from its documentation and from the test data of github-slugger.
@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Sample Section", "sample-section"),
        ("This'll  be a Helpful Section About the Letter Θ!", "thisll--be-a-helpful-section-about-the-letter-θ"),
        ("heading with a - dash", "heading-with-a---dash"),
        ("heading with an _ underscore", "heading-with-an-_-underscore"),
        ("bind_headers(exchange, routing [, bindCallback])", "bind_headersexchange-routing--bindcallback"),
        (" a ", "-a-"),
        ("I ♥ unicode", "i--unicode"),
        ("en–dash", "endash"),
        ("😄-😄 unicode emoji", "--unicode-emoji"),
        ("🛠️ Tools", "\ufe0f-tools"),
        (":ok_hand: Single", "ok_hand-single"),
        ("Привет non-latin 你好", "привет-non-latin-你好"),
        ("e\u0301 ४ Ⅷ ² ½ Ⓐ a\u00a0b\tc", "e\u0301-४-ⅷ---ⓐ-abc"),
        ("!?", ""),
    ],
)
def test_github_slug(title: str, slug: str) -> None:
    assert github_slug(title) == slug


# https://github.com/Python-Markdown/markdown/blob/master/tests/test_syntax/extensions/test_toc.py and its `slugify`.
@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Some Header", "some-header"),
        ("  A -- b  -c ", "a-b-c"),
        ("žlutý ﬁsh", "zluty-fish"),
        ("it's `x_y` & <b>!", "its-x_y-b"),
        ("a\u00a0b", "a-b"),
        ("😄 unicode", "unicode"),
        ("-a-", "-a-"),
        ("你好", ""),
    ],
)
def test_mkdocs_slug(title: str, slug: str) -> None:
    assert mkdocs_slug(title) == slug


def test_equal_titles_are_numbered_in_reading_order() -> None:
    text = "# Install\n\nx\n\n## Notes\n\nfirst\n\n# Build\n\n## Notes\n\nsecond\n\n## Notes\n\nthird\n"
    assert anchors(text, "github") == ["#install", "#notes", "#build", "#notes-1", "#notes-2"]
    assert anchors(text, "mkdocs") == ["#install", "#notes", "#build", "#notes_1", "#notes_2"]


def test_the_heading_above_a_chunk_gives_its_anchors() -> None:
    text = "# Install\n\nx\n\n## Notes\n\nfirst\n\n# Build\n\n## Notes\n\nsecond\n\n## Notes\n\nthird\n"
    found = {}
    for piece in chunk(Document("h.md", "", "markdown", "docs", text)):
        # A chunk may begin with headings that have no text of their own: the one that names it counts.
        named = (place.start_line for place in piece.definitions if place.name == piece.symbol)
        found[piece.text.split()[-1]] = anchors_at(headings(text), next(named, piece.start_line))
    assert found["first"] == {"github": "#notes", "mkdocs": "#notes"}
    assert found["second"] == {"github": "#notes-1", "mkdocs": "#notes_1"}
    assert found["third"] == {"github": "#notes-2", "mkdocs": "#notes_2"}


def test_a_numbered_title_is_a_title_as_any_other() -> None:
    titles = ["echo", "echo", "echo 1", "echo-1", "echo", "foxtrot-1", "foxtrot", "foxtrot"]
    expected = ["echo", "echo-1", "echo-1-1", "echo-1-2", "echo-2", "foxtrot-1", "foxtrot", "foxtrot-2"]
    assert anchors(document(titles), "github") == [f"#{slug}" for slug in expected]
    titles = ["a", "a", "a_1", "a_5", "a_5", "a", "a_05", "a_05"]
    expected = ["a", "a_1", "a_2", "a_5", "a_6", "a_3", "a_05", "a_7"]
    assert anchors(document(titles), "mkdocs") == [f"#{slug}" for slug in expected]


def test_headings_are_those_of_commonmark() -> None:
    text = (
        "---\ntitle: T\n# a comment\n---\n\nTitle\n=====\n\n<!--\n# hidden\n-->\n\n```\n# code\n```\n\n#hashtag\n\n"
        "   ## Closed ##\n\n> # Title\n\n- # Title\n\n## Title\n"
    )
    found = [(heading.line, heading.name, heading.anchors["github"]) for heading in headings(text)]
    assert found == [
        (6, "Title", "#title"),
        (19, "Title > Closed", "#closed"),
        (25, "Title > Title", "#title-3"),
    ]
    assert anchors(text, "mkdocs") == ["#title", "#closed", "#title_3"]


def test_the_rendered_text_counts() -> None:
    text = (
        "# `a_b` [link](x.md) *and* **more** ![image](y.png) <kbd>K</kbd> &amp; \\* [full][ref]\n\n"
        "Two  blanks\nand a line\n---\n\n[ref]: z.md\n"
    )
    assert anchors(text, "github") == ["#a_b-link-and-more--k---full", "#two--blanksand-a-line"]
    assert anchors(text, "mkdocs") == ["#a_b-link-and-more-k-full", "#two-blanks-and-a-line"]


@pytest.mark.parametrize(
    ("written", "mkdocs", "github"),
    [
        ("Notes { #my-id }", "#my-id", "#notes--my-id-"),
        ("Notes {#my-id}", "#my-id", "#notes-my-id"),
        ("Notes {: #my-id .cls } ##", "#my-id", "#notes--my-id-cls-"),
        ("Notes { data-toc-label='see #no' #Id }", "#Id", "#notes--data-toc-labelsee-no-id-"),
        ('Notes { id="x" }', "#x", "#notes--idx-"),
        ("Notes { .cls }", "#notes", "#notes--cls-"),
        ("Notes { data-search-exclude }", "#notes", "#notes--data-search-exclude-"),
        ("Notes{#my-id}", "#notesmy-id", "#notesmy-id"),
        ("`Notes {#my-id}`", "#notes-my-id", "#notes-my-id"),
        ("Notes {}", "#notes", "#notes-"),
        ("Notes {{ x }}", "#notes-x", "#notes--x-"),
    ],
)
def test_explicit_ids_are_of_mkdocs_alone(written: str, mkdocs: str, github: str) -> None:
    (heading,) = headings(f"# {written}\n")
    assert heading.anchors == {"github": github, "mkdocs": mkdocs}


def test_explicit_ids_are_taken_first_and_once() -> None:
    text = "# Notes\n\n# Other {#notes}\n\n# Third {#notes}\n\n> # Quoted {#notes_1}\n\n# Notes\n"
    assert anchors(text, "mkdocs") == ["#notes_2", "#notes", "", "#notes_3"]


def test_a_title_without_letters() -> None:
    assert anchors("# ?\n\n# ?\n\n# 你好\n", "github") == ["", "#-1", "#你好"]
    assert anchors("# ?\n\n# ?\n\n# 你好\n", "mkdocs") == ["#_1", "#_2", "#_3"]


def test_github_shows_no_headings_in_admonitions() -> None:
    text = '# A\n\n!!! note\n\n    ## B\n\n    === "T"\n\n        C\n        ---\n\n## B\n'
    assert [dict(heading.anchors) for heading in headings(text)] == [
        {"github": "#a", "mkdocs": "#a"},
        {"mkdocs": "#b"},
        {"mkdocs": "#c"},
        {"github": "#b", "mkdocs": "#b_1"},
    ]


def test_the_heading_open_at_a_line() -> None:
    found = headings("text\n\n# A\n\nx\n\nB\n---\nx\n")
    lines = [anchors_at(found, line).get("github") for line in range(1, 11)]
    assert lines == [None, None, "#a", "#a", "#a", "#a", "#b", "#b", "#b", "#b"]
    assert anchors_at([], 1) == {}


def test_thousands_of_equal_titles_and_long_numbers() -> None:
    text = document(["a"] * 2000 + [f"a_{number}" for number in range(2000)])
    assert anchors(text, "mkdocs")[-1] == "#a_3998"
    assert anchors(document(["a_" + "9" * 5000] * 2), "mkdocs")[1].endswith("9_1")


@given(TITLES)
def test_numbers_are_those_of_the_simple_rules(titles: list[str]) -> None:
    github: dict[str, int] = {}
    mkdocs: dict[str, None] = {}
    for title in titles:
        slug = anchor = github_slug(title)
        while anchor in github:
            github[slug] += 1
            anchor = f"{slug}-{github[slug]}"
        github[anchor] = 0
        anchor = mkdocs_slug(title)
        while anchor in mkdocs or not anchor:
            counted = re.fullmatch(r"(.*)_(\d+)", anchor)
            anchor = f"{counted[1]}_{int(counted[2]) + 1}" if counted else f"{anchor}_1"
        mkdocs[anchor] = None
    assert anchors(document(titles), "github") == [f"#{anchor}" if anchor else "" for anchor in github]
    assert anchors(document(titles), "mkdocs") == [f"#{anchor}" for anchor in mkdocs]


@given(MARKDOWN | ANY)
def test_any_text_gives_the_headings_of_its_chunks(text: str) -> None:
    found = headings(text)
    assert [(heading.line, heading.name) for heading in found] == [
        (place.start + 1, place.name) for place in outline(Rows(text)).definitions
    ]


@given(MARKDOWN | ANY)
def test_anchors_are_unique(text: str) -> None:
    for site in ("github", "mkdocs"):
        given_anchors = [anchor for anchor in anchors(text, site) if anchor]
        assert len(set(given_anchors)) == len(given_anchors)
        assert "#" not in given_anchors
