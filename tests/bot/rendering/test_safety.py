"""Whatever a model writes: GitHub and Discord find nothing to ping, refer to, run, load or lead to."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.markdown import parse, walk
from bot.rendering.safety import LONGEST, safe
from fakes.github_markdown import github_tokens
from fakes.markdown import CITED, hostile, unclosed_fences

LINKS = frozenset({CITED})
MENTION = re.compile(r"(?<!\w)@[A-Za-z0-9]")
REFERENCE = re.compile(r"(?<!\w)(?:[\w.-]+(?:/[\w.-]+)?)?#\d+\b|\bGH-\d+\b", re.IGNORECASE)
CHAT = re.compile(r"<(@[!&]?|#|t:)\d|<a?:\w+:\d+>|</[\w -]+:\d|@(everyone|here)\b|<\|.*\|>|<<SYS>>|\[INST\]")
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
COMMAND = re.compile(r"\s*/[a-z-]+(\s|$)")
CLOSING = re.compile(r"\b(close[sd]?|fix(e[sd])?|resolve[sd]?):?\s+([\w./-]*#\d|http\S+/issues)", re.IGNORECASE)
SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


def prose_lines(text: str) -> list[str]:
    """The lines of a text without those of its fences."""
    code = {line.strip() for node in walk(parse(text)) if node.kind == "fence" for line in node.text.split("\n")}
    return [line for line in text.split("\n") if line.lstrip(" >-*.)0123456789").rstrip() not in code]


@settings(max_examples=400)
@given(hostile)
@example("@<|x|>alice @@everyone")
@example("<@<@1>1> &lt;<@1>===")
@example("**<details>a** *a <|im_end|>*")
@example("/close-CVE-2024-1234* </x:1>")
@example("[](javascript:x) <javascript:x> https\\://evil.example")
@example("```mermaid\n/lgtm ")
def test_nothing_in_it_is_live(text: str) -> None:
    shown = safe(text, LINKS)
    assert not UNSEEN.search(shown)
    assert not unclosed_fences(shown)
    in_link = 0
    for token in github_tokens(shown):
        assert not token.type.startswith(("html", "image", "footnote"))
        in_link += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type == "link_open":
            assert token.attrs["href"] in LINKS
        if token.type == "text" and not in_link:
            assert not any(pattern.search(token.content) for pattern in (MENTION, REFERENCE, CHAT))
    for line in prose_lines(shown):
        assert not COMMAND.match(line)
    assert not CLOSING.search(SPAN.sub("", "\n".join(prose_lines(shown))))


@settings(max_examples=400)
@given(hostile)
@example("<fixes a===&commat;a<")
@example("```..a")
@example("*/- - a*@alice#1")
@example("a **<|im_end|>**")
def test_twice_is_once(text: str) -> None:
    shown = safe(text, LINKS)
    assert safe(shown, LINKS) == shown


@given(st.lists(st.text("abc `@#<>&*_[]()/\\\n", max_size=30), max_size=5))
def test_code_is_untouched(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in "\n".join(lines).split("\n"))
    assert safe(f"~~~~~~~py\n{text}~~~~~~~", ()).split("\n")[1:-1] == text.split("\n")[:-1]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Use @torch.inference_mode() and @app.get('/x').", "Use `@torch.inference_mode()` and `@app.get('/x')`."),
        ("A @ B, a@b, x_@c, (@d/e)", "A @ B, a@b, x\\_@c, (`@d/e`)"),
        ("see #12, o/r#3 and GH-4", "see `#12`, `o/r#3` and `GH-4`"),
        ("Fixes #1; **resolves**: #2\ncloses\n#3", "Fixes issue `#1`; **resolves**: issue `#2`\ncloses\nissue `#3`"),
        ("Duplicate of https://github.com/o/r/issues/1", "Duplicate of issue `o/r#1`"),
        ("/close\n- /assign @x", "`/close`\n\n- `/assign` `@x`"),
        ("a /close b\n/etc/passwd", "a /close b\n/etc/passwd"),
        (f"[x]({CITED}) {CITED} [x]({CITED}9)", f"[x]({CITED}) <{CITED}> x"),
        ("see https://evil.example/a, www.evil.example", "see (link removed), (link removed)"),
        ("<https://evil.example/a> [b](//evil.example)", "(link removed) b"),
        ("[https://evil.example](https://evil.example 't')", "(link removed)"),
        ("at http://localhost:8000/v1 or http://head:6379", "at `http://localhost:8000/v1` or `http://head:6379`"),
        ("http:// and file:///etc or http:///evil.example", "`http://` and `file:///etc` or (link removed)"),
        ("mail me@x.example <you@x.example>", "mail `me@x.example` `you@x.example`"),
        ("git@github.com:o/r.git vllm@1.2.3", "`git@github.com:o/r.git` `vllm@1.2.3`"),
        (
            "o/r@0123456789abcdef and deadbe7f, facade, 1234567",
            "`o/r@0123456789abcdef` and `deadbe7f`, facade, 1234567",
        ),
        ("hi <@1> <@&2> <#3> <:ok:4> <t:0:R> @here", "hi a user a role a channel :ok: 1970-01-01 00:00 UTC here"),
        ("a<|im_end|>b [INST]c[/INST] <<SYS>>d<</SYS>></s>", "ab c d"),
        ("![a b](x) ![](y)", "a b"),
        ("<b>bold</b><br>line <script>x()</script><img src=y>", "bold\nline"),
        ("<details>\n<summary>More</summary>\n\n- x\n\n</details>", "More\n\n- x"),
        ("serve <model> --host <your host> <a onclick=x>y</a>", "serve &lt;model> --host &lt;your host> y"),
        ("Dict<str, int> a < b &lt;script&gt;", "Dict&lt;str, int> a < b &lt;script>"),
        ("a <!-- b\nc\n\nd <!-- e --> f", "a\n\nd f"),
        ("x <img src='y", "x"),
        ("[a][b]\n\n[b]: https://evil.example", "a"),
        ("It is 16 [1].\n\n[1]: https://evil.example", "It is 16 [1]."),
        ("text [^1]\n\n[^1]: note", "text \\[^1]"),
        ("# @a\n\n| @b | [c](x) |\n|---|---|\n| ![d](x) | <br> |", "# `@a`\n\n| `@b` | c |\n|---|---|\n| d |  |"),
        ("```mermaid\nclick A href\n```", "```text\nclick A href\n```"),
        ("```python title=x @y\n@z\n```", "```python\n@z\n```"),
        ("`@a` ``#1 ` x``", "`@a` ``#1 ` x``"),
        ("<!-- a -->", ""),
    ],
)
def test_what_becomes_of_it(text: str, shown: str) -> None:
    assert safe(text, LINKS) == shown


@pytest.mark.parametrize(
    "text", ["Ctrl-C, R&D, 5 < 6, a_b_c, 2 * 3, ~16 GB, C:\\temp, [1, 2], list[0], `x`, **y**, 50 %."]
)
def test_ordinary_words_stay_as_they_are(text: str) -> None:
    assert safe(text, ()) == text


def test_long_and_deep_texts_cost_little() -> None:
    start = time.monotonic()
    for piece in (
        "a",
        "a@",
        "@a ",
        "#1 ",
        "a1",
        "<!--",
        "<a b=",
        "/a",
        "<|",
        "fix ",
        "*a ",
        "> ",
        "http://a.b ",
        "a.",
        ":",
    ):
        safe(piece * (50_000 // len(piece)), LINKS)
    assert time.monotonic() - start < 40
    assert len(safe("word " * LONGEST, ())) <= LONGEST
