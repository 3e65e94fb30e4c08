"""Names and citations are looked up in a real index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.evaluation.indexed import Indexed
from fakes.evaluation import citation
from fakes.library import FILES, GUIDE, Library


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Indexed]:
    library = Library.empty(tmp_path_factory.mktemp("indexed"))
    path = library.folder / "rust" / "qualified.rs"
    path.parent.mkdir(parents=True)
    path.write_text("fn main() { serde_json::from_slice(Qwen3-A22B); }\n// reads etc/deep/nested.toml\n")
    library.index()
    snapshot = library.retriever.snapshot()
    yield Indexed(snapshot, library.stores.catalog, library.stores.lexical(snapshot.collection.name))
    library.close()


@pytest.mark.parametrize(
    "name",
    [
        "BLOCK_SIZE",
        "--block-size",
        "block_size",
        "from_slice",  # only within a longer name
        "A22B",
        "cache/blocks.py",
        "./cache/blocks.py",
        GUIDE,
        "deep/nested.toml",  # written in a text, no file of it
    ],
)
def test_what_is_there_is_known(indexed: Indexed, name: str) -> None:
    assert indexed.unknown([name]) == []


@pytest.mark.parametrize(
    "name", ["BLOCK_SIZES", "--blocking", "block_siz", "from_slices", "slice_from", "cache/block.py", "ache/blocks.py"]
)
def test_what_is_not_there_is_unknown(indexed: Indexed, name: str) -> None:
    assert indexed.unknown(["BLOCK_SIZE", name]) == [name]


def test_what_was_asked_is_remembered_and_repeats_are_kept(indexed: Indexed) -> None:
    assert indexed.unknown(["no_such", "BLOCK_SIZE", "no_such"]) == ["no_such", "no_such"]
    assert indexed.unknown([]) == []


def test_cited_lines_are_those_of_the_file(indexed: Indexed, tmp_path: Path) -> None:
    lines = FILES["cache/blocks.py"].split("\n")
    assert indexed.stored(citation("cache/blocks.py", 4, 5)) == "\n".join(lines[3:5])
    for path, start, end in (
        ("cache/blocks.py", 0, 3),
        ("cache/blocks.py", 3, 99),
        ("cache/blocks.py", 3, 2),
        ("x", 1, 1),
    ):
        assert indexed.stored(citation(path, start, end)) is None


def test_the_link_is_the_permanent_one(indexed: Indexed) -> None:
    assert indexed.link(citation("cache/blocks.py", 4, 5)).endswith("/cache/blocks.py#L4-L5")
