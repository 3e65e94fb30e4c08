"""What Discord does not have is said in what it has, and nothing is markup by accident."""

from __future__ import annotations

import pytest

from bot.markdown import parse
from bot.rendering.chat_markdown import chat_blocks, chat_markdown

Z = "\u200b"


def chat(text: str) -> str:
    return "\n\n".join(map(chat_markdown, chat_blocks(parse(text))))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# A\n\n### C\n\n#### D **d**", "# A\n\n### C\n\n**D d**"),
        ("A\nb\n===", "# A b"),
        ("| flag | default |\n|---|---|\n| `--a` | 16 |\n| | x \\| y |", "- **`--a`**: default 16\n- default x | y"),
        ("| a | |\n|---|---|\n| b | c |\n| d | |", "- **b**: c\n- **d**"),
        ("| a | b |\n|---|---|", "**a, b**"),
        ("- [ ] a\n- [x] **b**\n- [X] c", "- ☐ a\n- ☑ **b**\n- ☑ c"),
        ("> [!WARNING]\n> a\n>\n> > b\n>\n> ```py\n> c\n> ```", "> **Warning**\n> a\n> \n> b\n> \n> ```py\n> c\n> ```"),
        ("````md\n```py\nx\n```\n````", f"```md\n`{Z}`{Z}`py\nx\n`{Z}`{Z}`\n```"),
        ("a\n\n---\n\nb", "a\n\n───\n\nb"),
        ("9. a\n10. b\n    - c\n      1. d\n\n    e", "9. a\n10. b\n   - c\n     1. d\n   e"),
        ("1. a\n\n   ```py\n   x\n   ```\n2. > b", "1. a\n```py\nx\n```\n2. b"),
        ("- ```\n  x\n  ```\n- - a", "- \n```\nx\n```\n- \n  - a"),
        ("[a](https://b.c) <https://b.c> ![d](e)", "[a](<https://b.c>) <https://b.c> d"),
        ("[`a` [1]](https://b.c)", "[`a` [1]](<https://b.c>)"),
        ("`` a`b `` and ``` a``b ```", f"`` a`b `` and `` a`{Z}`b ``"),
        ("**a *b* ~~c~~**", "**a _b_ ~~c~~**"),
        ("a\\\nb\nc", "a\nb\nc"),
        (
            "\\*a\\* \\_b\\_ a_b_c \\|\\|d\\|\\| e | f \\~~g~\\~ \\`",
            "\\*a\\* \\_b\\_ a_b_c \\|\\|d\\|\\| e | f \\~~~g~~\\~ \\`",
        ),
        ("\\# a\n\\- b\n\\> c\n1\\. d\n-# e", "\\# a\n\\- b\n\\> c\n1\\. d\n\\-# e"),
        ("C:\\\\x \\\\\\*", "C:\\x \\\\\\*"),
        ("&lt;a> &amp;amp;", "<a> &amp;"),
    ],
)
def test_what_becomes_of_it(text: str, shown: str) -> None:
    assert chat(text) == shown
