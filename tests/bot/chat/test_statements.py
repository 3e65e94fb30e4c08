"""JSON of statements becomes cited Markdown while it streams, and a model that runs away is noticed."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat.statements import MOST_STATEMENTS, Statements, markdown, response_format
from bot.model import NOT_FOUND


def document(*statements: tuple[str, list[int]], answerable: bool = True, **layout: Any) -> str:
    told = [{"text": text, "sources": sources} for text, sources in statements]
    return json.dumps({"answerable": answerable, "statements": told}, **layout)


def read(*pieces: str) -> tuple[str, Statements]:
    statements = Statements()
    return "".join([statements.feed(piece) for piece in pieces]) + statements.finish(), statements


TWO = document(("The block size is 16.", [1]), ("Set it with `--block-size`.", [2, 1]))
TWO_CITED = "The block size is 16 [1].\n\nSet it with `--block-size` [2][1]."


@pytest.mark.parametrize("text", [TWO, f"```json\n{TWO}\n```", f"\n {TWO} \n", TWO.replace(", ", ",\n    ")])
def test_statements_become_cited_markdown_in_pieces_of_any_size(text: str) -> None:
    assert read(text)[0] == TWO_CITED
    assert read(*text)[0] == TWO_CITED


def test_a_statement_is_told_as_soon_as_the_next_begins() -> None:
    statements = Statements()
    told = [statements.feed(character) for character in TWO]
    first = next(at for at, text in enumerate(told) if text)
    assert told[first] == "The block size is 16 [1]." and first < TWO.index("--block")
    assert not statements.ended and not statements.plain


def test_what_is_not_answerable_ends_at_once() -> None:
    text, statements = read('{"answerable": false')
    assert (text, statements.ended) == (NOT_FOUND, True)
    assert read(*document(answerable=False))[0] == NOT_FOUND
    assert read(document())[0] == NOT_FOUND


def test_a_half_statement_is_not_told() -> None:
    assert read(TWO[:-20])[0] == "The block size is 16 [1]."
    assert read('{"answerable": true, "statements": [{"text": "It is 16.", "sources": [1')[0] == ""


def test_the_same_is_not_said_twice() -> None:
    assert read(document(*[("It is 16.", [1])] * 5))[0] == "It is 16 [1]."


@pytest.mark.parametrize("space", ["\n" * 70, "\n" + " " * 70, " " * 120, "\n \n\t" * 20])
@pytest.mark.parametrize("before", ["", '{"answerable": true, "statements": [', TWO[:-2], '{"answerable": '])
def test_white_space_without_end_is_noticed(before: str, space: str) -> None:
    _, statements = read(before, space)
    assert statements.ran_away and statements.ended


def test_escaped_line_ends_without_end_are_noticed() -> None:
    assert read('{"answerable": true, "statements": [{"text": "It' + "\\n" * 120)[1].ran_away


def test_a_statement_without_end_is_noticed() -> None:
    text, statements = read(TWO[:-2], ', {"text": "', *["and so on "] * 300)
    assert (text, statements.ran_away) == (TWO_CITED, True)
    assert not read(*document(*((f"{'word ' * 300}{at}.", [1]) for at in range(8))))[1].ran_away


def test_the_layout_of_json_and_code_is_no_running_away() -> None:
    code = "Do so:\n```python\nif x:\n" + " " * 60 + "y()\n```"
    text, statements = read(*document((code, [1]), indent=8))
    assert " " * 60 + "y()" in text and not statements.ran_away


@pytest.mark.parametrize("text", ["It is 16 [1].", "```python\nx = 1\n```", "`x` is", "[1] It is 16.", "`", "``` js"])
def test_what_is_no_json_is_plain_text(text: str) -> None:
    for pieces in ([text], list(text)):
        assert read(*pieces)[0] == text


def test_a_server_that_ignores_the_schema_is_noticed() -> None:
    assert read("It is 16 [1].")[1].plain and not read(TWO)[1].plain


@pytest.mark.parametrize(
    ("text", "sources", "wanted"),
    [
        ("It is 16.", [1], "It is 16 [1]."),
        ("It is 16", [3, 3, 1], "It is 16 [3][1]"),
        ("Is it? Yes!", [1], "Is it? Yes [1]!"),
        ("Run this:\n```bash\nmake\n```", [2], "Run this [2]:\n\n```bash\nmake\n```"),
        ("```bash\nmake\n```", [2], "```bash\nmake\n```\n\n[2]"),
        ("```bash\nmake", [2], "```bash\nmake\n```\n\n[2]"),
        ("Run:\n~~~\na\n~~~\nThen stop.", [1], "Run [1]:\n\n~~~\na\n~~~\n\nThen stop [1]."),
        ("````\n```\nx\n```\n````", [1], "````\n```\nx\n```\n````\n\n[1]"),
        ("Steps:\n1. Open.\n2. Close.", [1], "Steps:\n1. Open [1].\n2. Close [1]."),
        ("It is 16 [4].", [1], "It is 16 [1]."),
        ("It is `a[4]` and [x](y) [2, 3].", [1], "It is `a[4]` and [x](y) [1]."),
        ("它是 16。", ["1"], "它是 16 [1]。"),
        ("  ", [1], ""),
        ("It is 16.", [], ""),
    ],
)
def test_a_statement_is_cited_where_it_speaks(text: str, sources: list[Any], wanted: str) -> None:
    assert markdown({"text": text, "sources": sources}) == wanted


@pytest.mark.parametrize("statement", [None, 5, "x", [], {}, {"text": 5, "sources": [1]}, {"text": "x", "sources": 1}])
def test_what_is_no_statement_says_nothing(statement: object) -> None:
    assert markdown(statement) == ""


def test_list_items_stay_one_list() -> None:
    assert read(document(("Two ways:", [1]), ("- a", [1]), ("- b", [2])))[0] == "Two ways [1]:\n\n- a [1]\n- b [2]"


def test_the_schema_offers_the_passages_and_bounds_everything() -> None:
    schema: Any = response_format(4)["json_schema"]["schema"]
    statements = schema["properties"]["statements"]
    sources = statements["items"]["properties"]["sources"]
    assert list(schema["properties"]) == ["answerable", "statements"] and schema["additionalProperties"] is False
    assert statements["maxItems"] == MOST_STATEMENTS
    assert sources["items"]["enum"] == [1, 2, 3, 4] and sources["minItems"] == 1


@given(
    st.lists(st.tuples(st.text(), st.lists(st.integers(1, 12), max_size=3)), max_size=4),
    st.integers(1, 7),
    st.integers(0, 400),
)
def test_any_document_cut_anywhere_tells_whole_statements(
    told: list[tuple[str, list[int]]], size: int, length: int
) -> None:
    text = document(*told)
    whole = read(text)[0]
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert read(*pieces)[0] == whole
    part = read(text[:length])[0]
    assert whole.startswith(part) or part == NOT_FOUND


@given(st.text(alphabet='{}[]":,answerbl tuefs0123`\n\\'))
def test_any_text_is_read(text: str) -> None:
    statements = Statements()
    for character in text:
        statements.feed(character)
    assert isinstance(statements.finish(), str)


def test_every_line_of_prose_that_ends_a_statement_carries_a_number() -> None:
    said = markdown({"text": "A.\n\nB.\n```\nc\n```\nD", "sources": [7]})
    assert re.findall(r"\[7\]", said) == ["[7]", "[7]"]
