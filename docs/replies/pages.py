"""Markdown as GitHub and Discord show it: HTML pages that imitate theirs, and pictures of the pages."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from mdit_py_plugins.gfm import gfm_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

# What their columns of text are wide, with our margins.
WIDTHS: Final = {"github": 888, "discord": 760}
SCALE: Final = 1.5
# As many as a palette holds: half the bytes of full colour, and nobody sees it.
_COLOURS: Final = 256


def github_page(question: str, comment: str) -> str:
    return _page("github", question=escape(question), reply=_github().render(comment))


def discord_page(question: str, messages: Sequence[str], buttons: Sequence[Sequence[str]]) -> str:
    """`buttons` are labels, row by row."""
    said = "\n".join(f'<div class="content">{_discord().render(text)}</div>' for text in messages)
    rows = ("".join(f'<span class="button">{escape(label)}</span>' for label in row) for row in buttons)
    below = "\n".join(f'<div class="row">{row}</div>' for row in rows)
    return _page("discord", question=escape(question), messages=said, buttons=below)


def _page(surface: str, **parts: str) -> str:
    return Template(Path(__file__).with_name(f"{surface}.html").read_text("utf-8")).substitute(parts)


def _github() -> MarkdownIt:
    """A comment's Markdown: GFM, in which the end of a line is shown."""
    options = {"html": True, "breaks": True, "highlight": _coloured("xcode")}
    return MarkdownIt("commonmark", options).use(gfm_plugin)


def _discord() -> MarkdownIt:
    """What our messages use of Discord's Markdown; the small print is its own."""
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "highlight": _coloured("github-dark")})
    parser.disable(["entity", "html_block", "html_inline", "image", "reference", "lheading", "hr", "code"])
    parser.enable("strikethrough").block.ruler.before("list", "small", _small)
    return parser


def _small(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
    if not text.startswith("-# "):
        return False
    if not silent:
        state.push("small_open", "small", 1)
        inline = state.push("inline", "", 0)
        inline.content, inline.children, inline.map = text[3:], [], [line, line + 1]
        state.push("small_close", "small", -1)
        state.line = line + 1
    return True


def _coloured(style: str) -> Callable[[str, str, str], str]:
    formatter = HtmlFormatter(nowrap=True, noclasses=True, style=style)

    def coloured(code: str, language: str, attributes: str) -> str:
        try:
            return str(highlight(code, get_lexer_by_name(language, stripnl=False), formatter))
        except ClassNotFound:
            return ""  # shown without colours

    return coloured


def photograph(chromium: str, page: str, to: Path, width: int) -> None:
    """Write a picture (PNG) of the whole page. Raises CalledProcessError."""
    from PIL import Image

    with TemporaryDirectory() as folder:
        file = Path(folder, "page.html")
        file.write_text(page, "utf-8")
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium has none for root
        command = [chromium, "--headless", *sandbox, "--hide-scrollbars", f"--force-device-scale-factor={SCALE}"]
        size = f"--window-size={width},"
        dom = subprocess.run([*command, f"{size}600", "--dump-dom", file.as_uri()], check=True, capture_output=True)
        [height] = re.findall(rb'data-height="(\d+)"', dom.stdout)
        taken = [*command, f"{size}{height.decode()}", f"--screenshot={to}", file.as_uri()]
        subprocess.run(taken, check=True, capture_output=True)
    with Image.open(to) as picture:
        few = picture.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    few.save(to, optimize=True)
