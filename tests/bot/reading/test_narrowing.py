"""A passage becomes the few of its lines that carry a claim: exact, between statements, with their own link."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.reading.interest import interest_in
from bot.reading.narrowing import LONGEST_CITATION, narrowed
from bot.types import Passage
from fakes.found import ORIGIN, passage
from indexer.permalink import permalink

BODY = "\n".join(f"    value_{n} = compute({n})\n" for n in range(40))
FUNCTION = """def step_{0}(queue):
    \"\"\"Step {0} of the work.\"\"\"
    for item in queue:
        item.call(
            step_{0},
            1,
        )
    return queue"""
FUNCTIONS = "\n\n\n".join(FUNCTION.format(number) for number in range(30))
PROSE = "\n\n".join(
    f"## Topic {n}\n\nTopic {n} is about subject{n}.\nIt goes on for a second line.\n\n```bash\nrun --subject{n}\n```"
    for n in range(20)
)


def narrow(text: str, claim: str, language: str = "python", start_line: int = 101) -> Passage:
    given = passage(1, text, "a/b c.py", "", language=language, start_line=start_line)
    return narrowed(given, interest_in(claim, [given]), ORIGIN)


def test_a_short_passage_stays_as_it_is() -> None:
    given = passage(1, "\n".join(f"x{n} = {n}" for n in range(LONGEST_CITATION)))
    assert narrowed(given, interest_in("x3", [given]), ORIGIN) is given


@pytest.mark.parametrize("number", [0, 7, 29])
def test_the_lines_that_are_looked_for_are_kept_whole(number: int) -> None:
    found = narrow(FUNCTIONS, f"What does step_{number} do?")
    lines = FUNCTIONS.split("\n")[found.start_line - 101 : found.end_line - 100]
    assert found.text.split("\n") == lines and len(lines) <= LONGEST_CITATION
    assert f"def step_{number}(queue):" in lines and f"            step_{number}," in lines
    assert lines[0].startswith("def ") and lines[-1] in ("        )", "    return queue")  # cut between statements


def test_the_link_is_to_these_lines() -> None:
    found = narrow(FUNCTIONS, "step_7")
    assert found.url == permalink(ORIGIN, "a/b c.py", found.start_line, found.end_line)
    assert "/a/b%20c.py#L" in found.url


def test_a_function_that_is_too_long_is_cut_between_its_lines() -> None:
    found = narrow(f"def work():\n{BODY}", "Where is value_33 computed?")
    assert "    value_33 = compute(33)" in found.text.split("\n")
    assert len(found.text.split("\n")) <= LONGEST_CITATION and found.text.strip()


def test_nothing_that_is_looked_for_gives_the_beginning() -> None:
    found = narrow(FUNCTIONS, "gnomes")
    assert (found.start_line, found.end_line) == (101, 100 + LONGEST_CITATION)
    assert found.text == "\n".join(FUNCTIONS.split("\n")[:LONGEST_CITATION])


def test_prose_is_cut_between_paragraphs_and_fences() -> None:
    found = narrow(PROSE, "subject13", "markdown")
    lines = found.text.split("\n")
    assert "Topic 13 is about subject13." in lines and "run --subject13" in lines
    assert lines.count("```") * 2 == sum(line.startswith("```") for line in lines)
    assert lines[0].startswith(("## ", "Topic", "```bash")) and lines[-1].startswith(("## ", "It goes on", "```"))


def test_a_notebook_is_not_cut() -> None:
    given = passage(1, FUNCTIONS, "a.ipynb", "", language="notebook", start_line=5)
    assert narrowed(given, interest_in("step_7", [given]), ORIGIN) == given


LINES = st.sampled_from(
    [
        "def needle(a):",
        "    needle(a)",
        "x = [",
        "]",
        '"""',
        "# note",
        "}",
        "{",
        "",
        "",
        "text",
        "```",
        "/*",
        "*/",
        "  - item",
    ]
)


@settings(deadline=None)
@given(st.lists(LINES, min_size=1, max_size=130), st.sampled_from(["python", "rust", "markdown", "yaml", "notebook"]))
def test_whatever_a_file_holds_its_lines_are_exact_and_few(lines: list[str], language: str) -> None:
    found = narrow("\n".join(lines), "needle", language)
    first, last = found.start_line - 101, found.end_line - 101
    assert 0 <= first <= last < len(lines)
    assert found.text == "\n".join(lines[first : last + 1])
    assert language == "notebook" or last - first < LONGEST_CITATION
    assert not any("needle" in line for line in lines) or "needle" in found.text
