"""Every claim leads to its lines, on hosts that would show the file rendered too."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.markdown import markdown, parse
from bot.rendering.sources import lines_url, public_links, read_from, sources, warnings, with_links
from bot.types import Index
from fakes.answers import COMMIT, INDEX, answer, url

HOST = "https://github.com/o/r/blob/abc"


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        (f"{HOST}/docs/a.md#L1-L2", f"{HOST}/docs/a.md?plain=1#L1-L2"),
        (f"{HOST}/A%20B.RST#L1", f"{HOST}/A%20B.RST?plain=1#L1"),
        (f"{HOST}/n.ipynb#L1", f"{HOST}/n.ipynb?plain=1#L1"),
        (f"{HOST}/a.md.py#L1", f"{HOST}/a.md.py#L1"),
        (f"{HOST}/a.md?plain=0#L1", f"{HOST}/a.md?plain=0#L1"),
        ("https://example.org/a.md#L1", "https://example.org/a.md#L1"),
        ("/source/o/r/abc/a.md#L1-L2", "/source/o/r/abc/a.md#L1-L2"),
    ],
)
def test_rendered_files_are_shown_with_their_lines(link: str, shown: str) -> None:
    assert lines_url(link) == shown


def test_a_link_of_our_own_server_is_not_posted() -> None:
    own = replace(answer("x", 2).citations[0], url="/source/o/r/abc/a.py#L1")
    made = replace(answer("x", 2), citations=(own, answer("x", 2).citations[1]))
    assert list(public_links(made.citations)) == [2]
    listed = "\n".join(map(markdown, sources(made, public_links(made.citations))))
    assert "1. `hull/part1.py` lines 1–10\n2. [`hull/part2.py` lines 2–11](" in listed


def test_numbers_outside_code_become_links() -> None:
    tree = with_links(parse("# A [1]\n\n- `[1]` [2][9] **[1]** [x](u)\n\n```\n[1]\n```"), {1: "u1", 2: "u2"})
    assert markdown(tree) == "# A [[1]](u1)\n\n- `[1]` [[2]](u2)[9] **[[1]](u1)** [x](u)\n\n```\n[1]\n```"


def test_numbers_that_are_left_out_keep_the_others() -> None:
    cited = answer("x", 4).citations
    made = replace(answer("x"), citations=(cited[0], cited[1], cited[3]))
    listed = "\n\n".join(map(markdown, sources(made, {})))
    assert [line[:2] for line in listed.split("\n") if "part" in line] == ["1.", "2.", "4."]


def test_a_single_line_is_one_line() -> None:
    made = answer("x", 1)
    one = replace(made, citations=(replace(made.citations[0], end_line=1),))
    assert "`hull/part1.py` line 1" in markdown(sources(one, {})[1])


def test_warnings_are_safe_words() -> None:
    (warning,) = warnings(answer("x", warnings=("Model <b>down</b>: @ops, see https://evil.example", "<!-- -->")))[:1]
    assert markdown(warning) == "> ⚠ Model down: `@ops`, see (link removed)"


@pytest.mark.parametrize(
    ("index", "said"),
    [
        (INDEX, "`v1.2.0` at `0123456`"),
        (replace(INDEX, stale=True), "`v1.2.0` at `0123456`, whose source has moved on since"),
        (replace(INDEX, commit="v1.2.0"), "`v1.2.0`"),
        (replace(INDEX, ref=COMMIT), f"`{COMMIT}`"),
        (replace(INDEX, ref="a`b"), "``a`b`` at `0123456`"),
    ],
)
def test_what_was_read(index: Index, said: str) -> None:
    assert "".join(markdown(parse(said))) == said
    (paragraph,) = parse(said).children
    assert paragraph.children == read_from(index)


def test_the_stand_in_cites_what_it_says() -> None:
    assert url(3) in {citation.url for citation in answer("x", 3).citations}
