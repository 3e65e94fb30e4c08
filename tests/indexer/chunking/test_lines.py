"""Text without a grammar, cut by lines."""

from __future__ import annotations

from indexer.chunking import chunk, language_of
from indexer.types import Chunk, Document


def chunks_of(path: str, text: str) -> tuple[Chunk, ...]:
    return chunk(Document(path, "", language_of(path), "config", text))


def test_yaml_is_cut_at_top_level_keys_with_the_comments_above_them() -> None:
    text = "".join(f"# about key{n}\nkey{n}:\n" + "  - some: value of this entry\n" * 30 + "\n" for n in range(6))
    chunks = chunks_of("a.yaml", text)
    assert [piece.symbol for piece in chunks] == [f"key{n}" for n in range(6)]
    assert all(piece.text.startswith("# about") for piece in chunks)


def test_sections_of_toml_and_keys_of_json_name_their_chunks() -> None:
    (toml,) = chunks_of("a.toml", "[tool.ruff]\nline-length = 120\n")
    (json,) = chunks_of("a.json", '{\n  "first": {\n    "second": 1\n  }\n}\n')
    assert (toml.symbol, json.symbol) == ("tool.ruff", "first")


def test_text_is_cut_at_blank_lines() -> None:
    text = ("A line of some paragraph, long enough to count.\n" * 9 + "\n") * 12
    assert all(piece.text.count("\n") % 10 == 8 for piece in chunks_of("a.txt", text))


def test_form_feed_and_line_separator_end_no_line() -> None:
    (only,) = chunks_of("a.txt", "a\x0cb\u2028c\rd\ne")
    assert (only.start_line, only.end_line) == (1, 2)
