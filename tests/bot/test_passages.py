"""Chunks are cut to what was asked for, and joined where they stand together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from bot.passages import JOINED_GAP, LONGEST_JOINED, MOST_OF_ONE_FILE, cut, narrowed, passages
from bot.types import Passage
from indexer.records import Collection, Snapshot, StoredChunk
from indexer.types import Chunk, Definition, Origin

SNAPSHOT = Snapshot(1, Collection(1, "c", "acme/demo", "e", 1), Origin("acme/demo", "v1", "v1", None, ""), "", 1, 1)
LINES = [f"line {n}" for n in range(1, 1_001)]


def stored(text: str, *definitions: tuple[str, int, int], start: int = 10, language: str = "rust") -> StoredChunk:
    chunk = Chunk(start, start + text.count("\n"), text, "", tuple(Definition(*found) for found in definitions))
    return StoredChunk(1, "a.rs", language, "code", False, chunk)


TWO = stored("fn a() {\n}\n\n/// Frees.\n#[inline]\nfn b() {\n}", ("Cache::a", 10, 11), ("Cache::b", 15, 16))


def test_a_chunk_is_cut_to_the_definition_that_is_asked_for() -> None:
    assert narrowed(TWO, {"a", "Other"}).chunk == Chunk(
        10, 11, "fn a() {\n}", "Cache::a", (Definition("Cache::a", 10, 11),)
    )


def test_the_comment_above_a_definition_belongs_to_it() -> None:
    cut = narrowed(TWO, {"b"}).chunk
    assert (cut.start_line, cut.end_line, cut.text) == (13, 16, "/// Frees.\n#[inline]\nfn b() {\n}")


@pytest.mark.parametrize("names", [set[str](), {"c"}, {"a", "b"}, {"Cache"}])
def test_a_chunk_stays_whole_when_no_single_definition_is_asked_for(names: set[str]) -> None:
    assert narrowed(TWO, names) is TWO


def test_a_field_prose_and_a_notebook_stay_whole() -> None:
    field = stored("class A:\n    x = 1\n    y = 2", ("A.x", 11, 11), language="python")
    assert narrowed(field, {"x"}) is field
    prose = replace(TWO, kind="docs")
    assert narrowed(prose, {"a"}) is prose
    # A notebook's chunk has the text of its cell, whose lines are not those of the file.
    cell = replace(TWO, language="notebook", path="a.ipynb")
    assert narrowed(cell, {"a"}) is cell


def lines(first: int, last: int, path: str = "a.py", language: str = "python") -> StoredChunk:
    chunk = Chunk(first, last, "\n".join(LINES[first - 1 : last]), f"from {first}")
    return StoredChunk(first, path, language, "code", False, chunk)


def found(*ranked: StoredChunk, limit: int = 10, asked: frozenset[str] = frozenset()) -> tuple[Passage, ...]:
    chunks: Mapping[int, StoredChunk] = {n: replace(chunk, id=n) for n, chunk in enumerate(ranked)}
    scores = [(n, 1.0 - n / 100) for n in chunks]
    return passages(scores, chunks, asked, limit, SNAPSHOT, lambda path: "\n".join(LINES))


def spans(made: tuple[Passage, ...]) -> list[tuple[int, int]]:
    return [(passage.start_line, passage.end_line) for passage in made]


def test_chunks_that_stand_together_are_one_passage_with_all_lines_between() -> None:
    made = found(lines(30, 40), lines(1, 2, "b.py"), lines(45, 60), lines(10, 20))
    assert spans(made) == [(10, 60), (1, 2)]
    assert made[0].text == "\n".join(LINES[9:60])
    assert (made[0].symbol, made[0].score) == ("from 30", 1.0)  # of the best of them
    assert made[0].url.endswith("#L10-L60")


def test_what_stands_apart_stays_apart() -> None:
    far = lines(42 + JOINED_GAP, 50 + JOINED_GAP)
    assert spans(found(lines(30, 40), far)) == [(30, 40), (far.chunk.start_line, far.chunk.end_line)]
    assert spans(found(lines(30, 40), lines(41 + JOINED_GAP, 80))) == [(30, 41 + JOINED_GAP - 1 + 40 - JOINED_GAP)]
    assert spans(found(lines(1, 80), lines(81, LONGEST_JOINED + 1))) == [(1, 80), (81, LONGEST_JOINED + 1)]


def test_joining_does_not_use_up_the_limit() -> None:
    assert spans(found(lines(1, 10), lines(1, 2, "b.py"), lines(11, 20), lines(500, 510), limit=2)) == [(1, 20), (1, 2)]


def test_few_passages_of_one_file_are_left() -> None:
    made = found(*(lines(n, n + 5) for n in range(1, 1_000, 100)), lines(1, 2, "b.py"))
    assert [passage.path for passage in made] == ["a.py"] * MOST_OF_ONE_FILE + ["b.py"]


def test_what_was_asked_for_by_name_stays_alone() -> None:
    asked_for = lines(20, 29)
    cut = replace(asked_for, chunk=replace(asked_for.chunk, definitions=(Definition("A.get", 22, 25),)))
    assert spans(found(cut, lines(30, 40), asked=frozenset({"get"}))) == [(22, 25), (30, 40)]


def test_cells_of_a_notebook_are_not_joined() -> None:
    assert len(found(lines(1, 2, "n.ipynb", "notebook"), lines(3, 4, "n.ipynb", "notebook"))) == 2


def test_a_passage_is_cut_to_lines_of_its_file_with_their_own_link() -> None:
    (made,) = found(lines(101, 130, "a b.py"))
    part = cut(made, 105, 110, SNAPSHOT.origin)
    assert part.text == "\n".join(LINES[104:110]) and (part.start_line, part.end_line) == (105, 110)
    assert part.url == made.url.replace("#L101-L130", "#L105-L110") != made.url
    assert (part.path, part.symbol, part.score) == (made.path, made.symbol, made.score)
    assert cut(made, 130, 130, SNAPSHOT.origin).text == "line 130"


def test_a_passage_that_is_not_cut_and_a_notebooks_stay_as_they_are() -> None:
    (made,) = found(lines(101, 130))
    assert cut(made, 101, 130, SNAPSHOT.origin) is made
    (cell,) = found(lines(101, 130, "n.ipynb", "notebook"))
    assert cut(cell, 105, 110, SNAPSHOT.origin) is cell  # its rows are not the file's
