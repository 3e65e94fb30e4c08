"""Notebooks: cells, never outputs."""

from __future__ import annotations

import json

from indexer.chunking import chunk
from indexer.types import Chunk, Document

OUTPUT = {"output_type": "display_data", "data": {"image/png": "iVBOR" + "A" * 100_000}, "metadata": {}}
CELLS = [
    {"cell_type": "markdown", "metadata": {}, "source": ["# Title\n", "Some prose about sharding"]},
    {
        "cell_type": "code",
        "metadata": {"source": "odd"},
        "outputs": [OUTPUT],
        "source": ["def nbfunc():\n", "    return 1"],
    },
    {"cell_type": "code", "metadata": {}, "outputs": [], "source": []},
    {"cell_type": "code", "metadata": {}, "outputs": [], "source": "print(1)"},
]


def chunks_of(text: str) -> tuple[Chunk, ...]:
    return chunk(Document("n.ipynb", "", "notebook", "docs", text))


def test_cells_have_names_and_the_lines_of_the_file() -> None:
    text = json.dumps({"cells": CELLS, "nbformat": 4}, indent=1)
    chunks = chunks_of(text)
    assert [piece.symbol for piece in chunks] == ["Title", "nbfunc", "Title"]
    assert chunks[1].text == "def nbfunc():\n    return 1"
    lines = text.split("\n")[chunks[1].start_line - 1 : chunks[1].end_line]
    assert [line.strip() for line in lines] == ['"def nbfunc():\\n",', '"    return 1"']


def test_one_line_notebook_shares_its_line() -> None:
    chunks = chunks_of(json.dumps({"cells": CELLS}))
    assert {(piece.start_line, piece.end_line) for piece in chunks} == {(1, 1)}
    assert not any("iVBOR" in piece.text for piece in chunks)


def test_long_cell_is_cut_with_its_own_lines() -> None:
    source = [f"value_{n} = compute({n}, with_some_arguments=True)\n" for n in range(100)]
    text = json.dumps({"cells": [{"cell_type": "code", "source": source}]}, indent=1)
    chunks = chunks_of(text)
    assert len(chunks) > 2
    assert "value_99" in text.split("\n")[chunks[-1].end_line - 1]


def test_what_is_no_notebook_is_cut_by_lines_without_data() -> None:
    chunks = chunks_of('{\n"a": 1\n"image": "' + "A" * 3000 + '"\nend')
    assert [piece.text for piece in chunks] == ['{\n"a": 1', "end"]
    assert chunks_of("[1]")[0].text == "[1]"


def test_definitions_have_the_lines_of_the_file() -> None:
    source = ["import x\n", "def f():\n", "    return 1\n"]
    text = json.dumps(
        {"cells": [{"cell_type": "markdown", "source": ["# T"]}, {"cell_type": "code", "source": source}]}, indent=1
    )
    found = [
        definition
        for piece in chunk(Document("a.ipynb", "", "notebook", "code", text))
        for definition in piece.definitions
        if definition.name == "f"
    ]
    rows = text.split("\n")
    assert [rows[d.start_line - 1 : d.end_line] for d in found] == [['    "def f():\\n",', '    "    return 1\\n"']]


def test_half_a_surrogate_pair_is_text_all_the_same() -> None:
    text = '{"cells": [{"cell_type": "code", "source": "name = \'\\ud800\'"}]}'
    (piece,) = chunk(Document("a.ipynb", "", "notebook", "code", text))
    assert piece.text == "name = '?'"
