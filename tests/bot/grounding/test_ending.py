"""Of a reply that was cut off, what is whole is kept."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.grounding.ending import whole
from bot.markdown import Blocks, parse, plain


@pytest.mark.parametrize(
    ("block", "kept"),
    [
        ("It is 16 [1]. The swap is", "It is 16 [1]."),
        ("It is 16 [1]. The swap is 4 [2]", "It is 16 [1]. The swap is 4 [2]"),
        ('It is 16 [1]. He said "yes."', 'It is 16 [1]. He said "yes."'),
        ("It is **16.**", "It is **16.**"),
        ("是 16 [1]。默认", "是 16 [1]。"),
        ("To change it:", "To change it:"),
        ("It is", ""),
        ("It is 16 [1", ""),
        ("- It is 16 [1]. And", "- It is 16 [1]."),
        ("1. One.\n   - Two and", "1. One."),
        ("> It is 16 [1]. And", "> It is 16 [1]."),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("| a | b |\n|---|---|\n| 1", ""),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", "| a | b |\n|---|---|\n| 1 | 2 |"),
        ("```py\nx = 1\ny =", ""),
        ("```py\nx = 1\n```\n", "```py\nx = 1\n```"),
        ("- Run:\n\n  ```\n  x", "- Run:"),
        ("## A head", ""),
        ("", ""),
    ],
)
def test_a_last_part_that_does_not_end_goes(block: str, kept: str) -> None:
    assert whole(block) == kept


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["a. ", "b [1]", "\n", "\n\n", "- ", "> ", "```\n", "| a | b |\n|---|---|\n", "# "]),
        max_size=20,
    )
)
@example(["> ", "| a | b |\n|---|---|\n", "> ", "- ", "\n", "> ", "a. "])
def test_nothing_is_added_or_moved(pieces: list[str]) -> None:
    def words(text: str) -> str:
        return "".join(plain(parse(text).children).split())

    blocks = Blocks()
    for block in (*blocks.feed("".join(pieces)), *blocks.finish()):
        assert words(block).startswith(words(whole(block)))
