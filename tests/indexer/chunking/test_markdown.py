"""How Markdown is cut: by heading, and never inside code."""

from __future__ import annotations

from indexer.chunking import chunk
from indexer.types import Chunk, Document

PARAGRAPH = "Some words that explain what is going on here, at length. " * 10 + "\n\n"


def chunks_of(text: str) -> tuple[Chunk, ...]:
    return chunk(Document("a.md", "", "markdown", "docs", text))


def symbols(text: str) -> list[str]:
    return [piece.symbol for piece in chunks_of(text)]


def test_headings_are_those_of_commonmark() -> None:
    text = "Title\n=====\n\nSub\n---\n\n<!--\n# hidden\n-->\n\n#hashtag\n\n    # indented code\n\n## Closed ##\n\nend\n"
    chunks = chunks_of(text)
    assert [found.name for piece in chunks for found in piece.definitions] == ["Title", "Title > Sub", "Title > Closed"]
    assert [piece.symbol for piece in chunks] == ["Title > Sub", "Title > Closed"]


def test_same_heading_twice_gives_two_chunks() -> None:
    text = "# Install\n\nx\n\n## Notes\n\nfirst\n\n# Build\n\n## Notes\n\nsecond\n\n## Notes\n\nthird\n"
    assert symbols(text) == ["Install", "Install > Notes", "Build > Notes", "Build > Notes"]


def test_heading_text_is_without_markup() -> None:
    assert symbols("# `code` [link](x.md) *and* **more** { #anchor }\n\nx\n") == ["code link and more"]


def test_front_matter_stays_in_the_first_chunk_and_may_name_it() -> None:
    assert symbols("---\ntitle: Guide\n---\n\n# Other\n\nx\n") == ["Other"]
    (only,) = chunks_of("---\ntitle: 'Guide'\n---\n\nx\n")
    assert (only.start_line, only.symbol) == (1, "Guide")
    assert symbols("---\ntitle: Guide\n---\n\n## Sub\n\nx\n") == ["Guide > Sub"]


def test_fences_are_never_cut_and_hold_no_headings() -> None:
    fence = "```python\n# not a heading\n" + "run()\n\n" * 900 + "```\n\n"
    chunks = chunks_of("# A\n\n" + PARAGRAPH * 4 + fence + PARAGRAPH * 4)
    (code,) = (piece for piece in chunks if "run()" in piece.text)
    assert code.text.count("run()") == 900
    assert {piece.symbol for piece in chunks} == {"A"}


def test_long_section_is_cut_between_list_items() -> None:
    text = "# A\n\n" + "".join(f"- item {n}\n  {PARAGRAPH.strip()}\n\n  more\n" for n in range(12))
    chunks = chunks_of(text)
    assert len(chunks) > 3
    assert all(piece.text.startswith("- item") for piece in chunks[1:])


def test_tabs_extend_the_path_and_admonitions_do_not() -> None:
    tab = '=== "NVIDIA CUDA"\n\n    ' + PARAGRAPH + "    ```bash\n    # not a heading\n    pip install\n    ```\n\n"
    text = (
        "# Guide\n\n"
        + PARAGRAPH
        + tab
        + '!!! note "Heads up"\n    Use `--flag-a`.\n\n??? code\n\n    ```\n    # no\n\n    x\n    ```\n'
    )
    assert symbols(text) == ["Guide", "Guide > NVIDIA CUDA", "Guide"]


def test_small_tabs_stay_with_their_section() -> None:
    assert symbols('# Guide\n\n=== "A"\n\n    Install it.\n\n=== "B"\n\n    --8<-- "b.md"\n') == ["Guide"]


def test_line_above_the_first_heading_goes_with_it() -> None:
    assert symbols("<!-- lint -->\n\n# A\n\nx\n") == ["A"]
