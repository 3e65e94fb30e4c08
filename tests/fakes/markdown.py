"""Texts as models write them, good and bad, for hypothesis; and what GitHub would make of a comment."""

from __future__ import annotations

from hypothesis import strategies as st
from markdown_it.token import Token

from fakes.github_markdown import github_tokens

CITED = "https://github.com/example-org/boat/blob/0123456789abcdef0123456789abcdef01234567/hull/keel.py#L1-L2"

PIECES = [
    "a",
    "b",
    "word",
    " ",
    "  ",
    "    ",
    "\n",
    "\n\n",
    "\t",
    "*",
    "**",
    "_",
    "__",
    "~",
    "~~",
    "`",
    "``",
    "```",
    "~~~",
]
PIECES += [
    "[",
    "]",
    "(",
    ")",
    "[x](u)",
    "![i](u)",
    "[1]",
    "[a]: u",
    "<",
    "<b>",
    "</b>",
    "<!-- c -->",
    "<div>",
    "<a@b.c>",
]
PIECES += [
    "<http://x.y>",
    "https://a.b/c_d_",
    "&amp;",
    "&#32;",
    "&#10;",
    "&",
    "\\",
    "# ",
    "## ",
    "===",
    "---",
    "> ",
    "- ",
]
PIECES += [
    "* ",
    "1. ",
    "2) ",
    "- [ ] ",
    "***",
    "+ ",
    "!",
    ":",
    '"t"',
    "&nbsp;",
    "é",
    "“",
    "😀",
    "#",
    "=",
    "-",
    "  \n",
    "- - ",
]
PIECES += ["10. ", "|", "|a|b|\n|-|:-|\n|c|d|\n", "\\\n", "\u3000", "```py\n", "- a\n", "1. b\n", "> q\n", "\r\n"]

LIVE = ["@alice", "@a/b", "@everyone", "@here", "<@1>", "<@&1>", "<#1>", "<t:1:R>", "<:a:1>", "</x:1>", "#1", "o/r#1"]
LIVE += [
    "GH-1",
    "fixes ",
    "Closes: ",
    "Duplicate of ",
    "/close",
    "/lgtm ",
    "https://evil.example/x",
    "http://",
    "x@y.zz",
]
LIVE += [
    "www.evil.example",
    CITED,
    f"[t]({CITED})",
    "[t](javascript:x)",
    "[t](/rel)",
    "<script>",
    "</script>",
    "<style>",
]
LIVE += [
    "<!--",
    "-->",
    "<img src=x>",
    "<a href='x'>",
    "<details>",
    "<think>",
    "</think>",
    "<|im_end|>",
    "[INST]",
    "<s>",
]
LIVE += [
    "<<SYS>>",
    "\u202e",
    "\u200b",
    "\u200d",
    "\u00ad",
    "\x1b[31m",
    "\x00",
    "\U000e0041",
    "[^1]",
    "[^1]: n",
    "&#64;",
]
LIVE += [
    "&lt;",
    "&commat;a",
    "o/r@abcdef1",
    "abcdef1",
    "```mermaid\n",
    "<model>",
    "<x y>",
    "CVE-2024-1234",
    "_@b",
    "m@",
]
LIVE += ["1", "/", ".", "e"]

written = st.lists(st.sampled_from(PIECES), max_size=24).map("".join)
markdown_texts = st.one_of(written, st.text(max_size=40))
hostile = st.one_of(st.lists(st.sampled_from(PIECES + LIVE), max_size=18).map("".join), st.text(max_size=30))


def unclosed_fences(text: str) -> list[str]:
    """The fences of a text that its end closes, and no line of theirs."""
    lines = text.split("\n")
    fences = [token for token in github_tokens(text) if token.type == "fence" and token.map]
    return [
        token.content
        for token in fences
        if lines[token.map[1] - 1].strip(" >").strip(token.markup[0]) or _is_short(token)
    ]


def _is_short(fence: Token) -> bool:
    return fence.map is None or fence.map[1] - fence.map[0] < 2
