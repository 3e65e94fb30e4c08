"""Where blocks stand."""

from __future__ import annotations

from hypothesis import given

from bot.markdown.lines import blocks_of, code_lines, quoted_lines, with_line_feeds
from fakes.markdown import markdown_texts

TEXT = "# A\n\n> b\nlazy\n\n- c\n\n  ```py\n  d\n  ```\n\n    e\n"


def test_blocks_have_their_lines() -> None:
    found = [(block.kind, block.start, block.end, block.depth) for block in blocks_of(TEXT)]
    assert found[:3] == [("heading", 0, 1, 0), ("blockquote", 2, 4, 0), ("paragraph", 2, 4, 1)]
    assert ("fence", 7, 10, 2) in found


def test_lines_of_quotations_and_code() -> None:
    assert quoted_lines(blocks_of(TEXT)) == {2, 3}
    assert {7, 8, 9} <= code_lines(blocks_of(TEXT))


@given(markdown_texts)
def test_blocks_lie_in_the_text_and_in_each_other(text: str) -> None:
    text = with_line_feeds(text)
    count = text.count("\n") + 1
    outer = []
    for block in blocks_of(text):
        outer = outer[: block.depth]
        assert 0 <= block.start <= block.end <= count
        assert all(block.start >= other.start and block.end <= other.end for other in outer[-1:])
        outer += [block] * (block.depth + 1 - len(outer))
