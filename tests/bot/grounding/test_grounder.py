"""Whatever a model writes, cut in any way: what is shown is Markdown whose every `[n]` leads to lines that carry it."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from bot.grounding.layout import numbers_of
from bot.grounding.numbers import LONGEST_RANGE
from bot.markdown import markdown, parse, walk
from bot.reading.narrowing import LONGEST_CITATION
from bot.types import Passage
from fakes.found import passage
from fakes.grounding import PASSAGES, SECRET, Grounded, ground, knowledge

INVENTED, STRANGE, ELSEWHERE = "bogus_name_x", "77777", "evil.example"
CLAIMS = [
    "At most 4096 requests wait",
    "The oldest pages are spilled to disk",
    "Set `--spill-dir`",
    "`Ring::push_back()` returns the evicted page",
    "**Note:** requests wait",
    "Gnomes dance all night long",
    f"`{INVENTED}` is great",
    f"It is {STRANGE}",
    f"{SECRET} leaks",
    f"Read https://{ELSEWHERE}/x",
    "Yes",
    "No.",
    "What now?",
    "The passages do not say how",
    "To start the server:",
    "默认值是 0.85",
]
MARKS = [
    "[1]",
    "[2]",
    "[3]",
    "[9]",
    "[0]",
    "[1, 3]",
    "[2-9]",
    "[^2]",
    "【3】",
    "【9†L1-L2】",
    "([1], [2])",
    "[1](u)",
    "[[2]]",
]
JOINTS = [
    " ",
    ". ",
    ".\n",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "> ",
    "  - ",
    "## ",
    "*",
    "**",
    "`",
    "_",
    "[",
    "]",
    "(",
    ")",
    "\\",
    ":\n\n",
]
BLOCKS = [
    "| a | b |\n|---|---|\n| ",
    "|",
    "---\n",
    "===\n",
    "```\n",
    "~~~\n",
    "```markdown\n",
    "<b>",
    "<answer>\n",
    "![i](u)",
]
BLOCKS += ["Sources:\n", "tidepool serve --spill-dir /mnt/nvme\n", "\r\n", "&#91;1]", "**Memory**\n\n", "<!-- x -->\n"]
ENDS = [".\n\n", ". ", ".\n- ", ".\n  - ", ":\n\n", ".\n\n> ", ".\n1. ", ".\n\n## ", ".\n\n```\nx = 1\n```\n"]
pieced = st.lists(st.sampled_from([*CLAIMS, *MARKS * 2, *JOINTS * 2, *BLOCKS]), max_size=25).map("".join)
composed = st.lists(
    st.tuples(
        st.sampled_from(CLAIMS[:7]), st.sampled_from([" [1]", " [2]", " [1][3]", " [9]", ""]), st.sampled_from(ENDS)
    ),
    max_size=12,
).map(lambda parts: "".join("".join(part) for part in parts))
texts = st.one_of(composed, pieced, st.text(max_size=60))

LINES = [f"line {number} of requests that wait and pages that are spilled" for number in range(1, 201)]


@st.composite
def shown_passages(draw: st.DrawFn) -> tuple[Passage, ...]:
    """Parts of two files, which may overlap, in any language."""
    found = []
    for number in range(draw(st.integers(0, 5))):
        start, length = draw(st.integers(1, 100)), draw(st.integers(1, 90))
        text = "\n".join(LINES[start - 1 : start - 1 + length])
        path, language = (
            draw(st.sampled_from(["a.py", "b.md"])),
            draw(st.sampled_from(["python", "markdown", "notebook"])),
        )
        found.append(passage(number + 1, text, path, start_line=start, language=language))
    return tuple(found)


sources = st.one_of(st.just(PASSAGES), shown_passages())


def cut(text: str, places: Sequence[int]) -> list[str]:
    borders = sorted({place % (len(text) + 1) for place in places} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(borders)]


def marks(text: str) -> list[int]:
    """The citations in a text as a reader's Markdown has them, `list[0]` left out."""
    texts = (node.text for node in walk(parse(text)) if node.kind == "text")
    return [int(number) for text in texts for number in re.findall(r"\[(\d+)\]", text) if int(number)]


def fences(text: str) -> list[str]:
    return [node.text.rstrip("\n") for node in walk(parse(text)) if node.kind == "fence"]


def taken(text: str, passages: Sequence[Passage] = PASSAGES) -> Grounded:
    return ground(text, known=knowledge(passages=passages))


@settings(deadline=None)
@given(texts, sources, st.lists(st.integers(0, 500), max_size=8))
@example("At most 4096 requests wait. [2, 3] of `a`\n```\n[9]\n```", PASSAGES, [24, 25, 26, 40])
def test_the_cuts_do_not_matter(text: str, passages: tuple[Passage, ...], places: list[int]) -> None:
    assume(not re.search(r"^.*(?:>| {4}|\t).*(?:```|~~~)", text, re.MULTILINE))
    known = knowledge(passages=passages)
    whole = ground(text, known=known)
    for pieces in (cut(text, places), list(text)):
        assert ground(*pieces, known=known) == whole


@settings(deadline=None)
@given(texts, sources)
@example("[[9]7]", PASSAGES)
@example("At most 4096 requests wait [7[9]].", PASSAGES)
@example("At most 4096 requests wait1. Yes[2]", PASSAGES)
@example("At most 4096 requests wait &#91;2].", PASSAGES)
def test_every_number_is_a_citation_by_first_use(text: str, passages: tuple[Passage, ...]) -> None:
    shown = taken(text, passages)
    assert list(dict.fromkeys(marks(shown.text))) == list(range(1, len(shown.cited) + 1))
    # Neither is there one that a reader in another form would take for a citation,
    tree = parse(shown.text)
    assert {number for node in tree.children for number in numbers_of(node) if number} == set(marks(shown.text))
    # nor does writing it anew change any.
    assert marks(markdown(tree)) == marks(shown.text)


@settings(deadline=None)
@given(texts, sources)
def test_what_is_cited_are_few_lines_of_the_passages_and_none_twice(text: str, passages: tuple[Passage, ...]) -> None:
    cited = taken(text, passages).cited
    assert len({(part.path, part.start_line, part.end_line) for part in cited}) == len(cited)
    for part in cited:
        assert part.language == "notebook" or part.end_line - part.start_line < LONGEST_CITATION
        first, last = part.start_line, part.end_line
        within = [p for p in passages if p.path == part.path and p.start_line <= first and last <= p.end_line]
        assert any(
            "\n".join(p.text.split("\n")[first - p.start_line :][: last - first + 1]) == part.text for p in within
        )


@settings(deadline=None)
@given(texts)
@example(f"# {INVENTED}\n\nAt most 4096 requests wait [1].")
@example(f"At most 4096 requests wait [1]. To call {INVENTED}:\n\n- The oldest pages are spilled to disk [2].")
@example(f"| {INVENTED} | b |\n|---|---|\n| max_workers | 8 [1] |")
@example(f"At most 4096 requests wait [1]:\n\n```\n{INVENTED}()\n```")
@example(f"The passages do not say how {INVENTED} works. At most 4096 requests wait [1].")
def test_nothing_unknown_is_ever_shown(text: str) -> None:
    shown = taken(text).text
    assert INVENTED not in shown and SECRET not in shown
    outside_code = shown if not fences(shown) else ""
    assert ELSEWHERE not in outside_code and not re.search(rf"(?<!\w){STRANGE}(?!\w)", outside_code)


@settings(deadline=None)
@given(composed)
def test_code_is_untouched_and_no_block_is_broken(text: str) -> None:
    tree = parse(taken(text).text)
    assert set(fences(taken(text).text)) <= set(fences(text))
    for node in walk(tree):
        assert node.kind != "table" or len(node.children) > 1
        assert node.kind not in ("list_item", "bullet_list", "ordered_list", "blockquote", "heading") or node.children
    assert not tree.children or tree.children[-1].kind != "heading"


@pytest.mark.parametrize(
    "code",
    [
        "`x[9]`",
        "``a ` b[9]``",
        "```python\nx[9]\n```",
        "````md\n```\nx[9]\n```\n````",
        "~~~\nx[9]\n```\n~~~",
        "```\nx[9]\n\ny[8]\n```",
    ],
)
def test_numbers_in_code_are_no_citations(code: str) -> None:
    shown = (
        taken(f"At most 4096 requests wait {code} [1].")
        if "\n" not in code
        else taken(f"Set `--spill-dir` [2]:\n\n{code}")
    )
    assert len(shown.cited) == 1 and ("[9]" in shown.text or "\n" in code)


def test_code_of_the_passages_with_an_index_in_it_is_shown_as_it_is() -> None:
    source = passage(1, "def first(pages):\n    return pages[9] or pages[0]", "a.py", "first")
    shown = taken("`first` returns one of the pages [1].\n\n```python\nreturn pages[9] or pages[0]\n```\n", [source])
    assert shown.text.endswith("```python\nreturn pages[9] or pages[0]\n```") and len(shown.cited) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("At most 4096 requests wait[1].", "At most 4096 requests wait [1]."),
        ("At most 4096 requests wait [1-300].", "At most 4096 requests wait [1]."),
        (f"At most 4096 requests wait [1-{LONGEST_RANGE}].", "At most 4096 requests wait [1][2][3]."),
        ("At most 4096 requests wait [" + "1" * 5_000 + "].", "At most 4096 requests wait [1]."),
        ("`max_workers` reads a[0] of [0, 1] requests [1].", "`max_workers` reads a[0] of [0, 1] requests [1]."),
        (
            "At most 4096 requests wait [1].\r\n\r\nThe oldest pages are spilled [2].\r\n",
            "At most 4096 requests wait [1].\n\nThe oldest pages are spilled [2].",
        ),
        ("~~At most 4096 requests wait [1]~~", "~~At most 4096 requests wait~~ [1]"),
        ("- [9] At most 4096 requests wait", "- [1] At most 4096 requests wait"),
        ("  At most 4096 requests wait [1]", "At most 4096 requests wait [1]"),
    ],
)
def test_forms(text: str, expected: str) -> None:
    assert taken(text).text == expected


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("- At most 4096 requests wait [1].\n", "- The oldest pages are spilled [2].\n", "\n"),
        ("- At most 4096 requests wait [1].\n\n", "- The oldest pages are spilled [2].\n", "\n\n"),
        ("- At most 4096 requests wait [1].\n", "1. The oldest pages are spilled [2].\n", "\n\n"),
        ("- At most 4096 requests wait [1].\n- Gnomes.\n", "- The oldest pages are spilled [2].\n", "\n"),
        ("- At most 4096 requests wait [1].\n\nGnomes.\n\n", "- The oldest pages are spilled [2].\n", "\n\n"),
        ("At most 4096 requests wait [1].\n", "- The oldest pages are spilled [2].\n", "\n\n"),
        ("## Requests\n\nAt most 4096 requests wait [1].\n", "# Gnomes\n", ""),
    ],
)
def test_blocks_are_set_off(first: str, second: str, joined: str) -> None:
    shown = taken(first + second).text
    assert shown == (f"{taken(first).text}{joined}{second.strip()}" if joined else taken(first).text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Pages\n\nGnomes.\n\nThe oldest pages are spilled [2].", "# Pages\n\nThe oldest pages are spilled [1]."),
        (
            "# Requests\n\nGnomes.\n\n# Pages\n\nThe oldest pages are spilled [2].",
            "# Pages\n\nThe oldest pages are spilled [1].",
        ),
        (
            "# Pages\n\n## Disk\n\nThe oldest pages are spilled [2].",
            "# Pages\n\n## Disk\n\nThe oldest pages are spilled [1].",
        ),
        (
            "Pages\n===\n\nThe oldest pages are spilled [2].\n\nDisk\n---\n",
            "# Pages\n\nThe oldest pages are spilled [1].",
        ),
        ("## Gnome shop of Mallory Example\n\nThe oldest pages are spilled [2].", "The oldest pages are spilled [1]."),
        (
            "The oldest pages are spilled [2].\n---\nAt most 4096 requests wait [1].",
            "The oldest pages are spilled [1].\n\nAt most 4096 requests wait [2].",
        ),
        ("#hashtag of gnomes\n\nThe oldest pages are spilled [2].", "The oldest pages are spilled [1]."),
        (
            "Yes.\n\nHere is how:\n\nThe oldest pages are spilled [2].",
            "Yes.\n\nHere is how:\n\nThe oldest pages are spilled [1].",
        ),
        (
            "To set the memory share:\n\nGnomes.\n\nThe oldest pages are spilled [2].",
            "The oldest pages are spilled [1].",
        ),
        (
            "To set the memory share:\n\n- Gnomes.\n- The oldest pages are spilled [2].",
            "To set the memory share:\n\n- The oldest pages are spilled [1].",
        ),
        (
            "To set the memory share:\n\n- Gnomes.\n\nThe oldest pages are spilled [2].",
            "The oldest pages are spilled [1].",
        ),
        (
            "The oldest pages are spilled [2]. To set the memory share:\n\n- `--memory-share`: share of memory [2]",
            "The oldest pages are spilled [1].\n\nTo set the memory share:\n\n- `--memory-share`: share of memory [1]",
        ),
        ("The oldest pages are spilled [2]. To set the memory share:\n\nGnomes.", "The oldest pages are spilled [1]."),
        (
            "The pages are spilled to [2]:\n\n- Gnomes.\n\nAt most 4096 requests wait [1].",
            "The pages are spilled to [1].\n\nAt most 4096 requests wait [2].",
        ),
        ("The pages are spilled to [2]:\n\n- Gnomes.", "The pages are spilled to [1]"),
        ("> The pages are spilled to [2]:\n>\n> - Gnomes.", "> The pages are spilled to [1]."),
    ],
)
def test_titles_and_introductions_are_shown_with_what_they_lead_to(text: str, expected: str) -> None:
    assert taken(text).text == expected


def test_an_item_without_a_number_is_carried_by_what_its_introduction_cites_or_by_others() -> None:
    text = (
        "The settings of the pool [1]:\n\n- waiting requests queue: refused beyond bounds today\n"
        "- The oldest pages are spilled to disk"
    )
    assert taken(text.partition("- ")[2].partition("\n")[0]).text == ""
    shown = taken(text)
    assert shown.text == (
        "The settings of the pool [1]:\n\n- waiting requests queue: refused beyond bounds today [1]\n"
        "- The oldest pages are spilled to disk [2]"
    )
    assert shown.paths == ["tidepool/config.py", "docs/tuning.md"]


def test_the_names_of_the_index_are_known() -> None:
    assert (
        taken("`Reservoir` makes requests wait [1]. See `tidepool/cli.py` on how requests wait [1].").text.count("[1]")
        == 2
    )
    assert taken("`Reservoirs` makes requests wait [1]. See `tidepool/clip.py` on how requests wait [1].").text == ""


def test_paths_and_values_of_the_question_may_be_repeated() -> None:
    known = knowledge("Why does my_script.py say that 12345 requests wait?")
    assert ground("In `my_script.py`, the 12345 requests wait in the queue [1].", known=known).text.endswith("[1].")


def test_what_is_left_out_is_counted_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        ground(
            f"`{INVENTED}` makes requests wait [1]. It is {STRANGE} requests that wait [1]. Gnomes dance all night [1]."
        )
    logged = [record.getMessage() for record in caplog.records]
    assert len(logged) == 3 and INVENTED in logged[0] and STRANGE in logged[1] and "nothing carries" in logged[2]


def test_long_replies_take_no_longer_than_they_are() -> None:
    pieces = [
        "[",
        "`",
        "` ",
        " ",
        "[1,",
        "word [1] ",
        "word [1]. ",
        "- a [1]\n",
        "(see [1] ",
        "a_b ",
        "**a [1]** ",
        "[[1]7]",
        "# a\n\n",
    ]
    for piece in pieces:
        text = piece * (6_000 // len(piece))
        started = time.perf_counter()
        ground(text)
        ground(*(text[at : at + 4] for at in range(0, 2_000, 4)))
        assert time.perf_counter() - started < 30, piece
