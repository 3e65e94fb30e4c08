"""What forms, templates and tools add to an issue is taken out; what a person wrote, and what was pasted, stays.

Only kinds are known, no project's words: comments, checklists, sections without content, images, the wrappers of
details, what e-mail programs add.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from bot.adapters.github.cuts import Span, line_spans, without
from bot.adapters.github.mail import mail_lines
from bot.adapters.github.places import comments, images
from bot.markdown.lines import Block, blocks_of, code_lines, quoted_lines, with_line_feeds

# What GitHub's forms write for a field that was left empty, and what people do.
_NO_RESPONSE: Final = re.compile(
    r"[*_`~\s]*(?:no response|n\s*/?\s*a|none|nothing|null|nil|not (?:applicable|provided|relevant)|tbd|todo"
    r"|same as above|无|暂无|なし)?[*_`~.\s-]*",
    re.IGNORECASE,
)
LONGEST_NO_RESPONSE: Final = 40
_BOLD_LINE: Final = re.compile(
    r"(?:\*\*|__)[^*_\n]{1,120}(?:\*\*|__)\s*[:：?]?|(?:\*\*|__)[^*_\n]{1,120}[:：?](?:\*\*|__)"
)
_TICK: Final = re.compile(r"\[(?P<ticked>[ xX])\]\s+(?P<said>.{0,300})", re.DOTALL)
# What a form makes people confirm before it lets them ask.
_CONFIRMED: Final = re.compile(
    r"\b(?:i|i've|i'm|i'll|we|you|your)\b.{0,80}\b(?:search|check|read|review|look|confirm|agree|understand|verif|test"
    r"|tried|follow|acknowledg|aware|willing|updat|includ|provid|ask|use)"
    r"|\b(?:code of conduct|duplicates?|(?:existing|similar|related) issues?|contributing (?:guide\w*|docs))\b"
    r"|\bmake sure\b|\bbefore (?:submitting|opening|asking|posting)\b|\bsubmit(?:ting)? (?:a|an|this|the)\b"
    r"|(?:我已|已经|搜索|确认|請確認|確認しました)",
    re.IGNORECASE | re.DOTALL,
)
_TAGS: Final = re.compile(
    r"</?(?:details|summary|p|div|br|hr|sub|sup|span|center|picture|source|img|video|h[1-6]|b|i|strong|em)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_PICTURE: Final = re.compile(r"`[^`\n]*`|(?P<tag><(?:img|video|source)\s[^<>]*>(?:</video>)?)", re.IGNORECASE)
# "[Bug]: ", "[Feature Request] ": the kind of an issue before its title.
_KIND: Final = re.compile(
    r"\s*(?:\[[^\W\d_][\w /&-]{0,30}\]\s*[:：]?\s*|(?:bug|question|feature request|usage|help)\s*[:：]\s+)+",
    re.IGNORECASE,
)
# Below the levels of headings: a line in bold that heads a section.
_BOLD_LEVEL: Final = 7


@dataclass(frozen=True, slots=True)
class _Head:
    """What heads a section: lines from 0, without the last; how deep, 1 is highest; and whether it is a question."""

    start: int
    end: int
    level: int
    asks: bool


def without_kind(title: str) -> str:
    """A title without the kind of issue that a template puts before it."""
    return _KIND.sub("", title, count=1).strip() if _KIND.match(title) else title.strip()


def without_noise(text: str) -> str:
    """What a person wrote or pasted of an issue or comment, word for word, with line feeds."""
    text = with_line_feeds(text)
    text = without(text, (*comments(text), *images(text)))
    blocks, lines = blocks_of(text), text.split("\n")
    code = code_lines(blocks)
    gone = mail_lines(lines, code, quoted_lines(blocks)) | _unasked_items(blocks)
    gone |= _empty_sections(blocks, lines, gone)
    return without(text, (*line_spans(text, gone), *_tags(text, blocks, code)))


def _tags(text: str, blocks: Sequence[Block], code: Set[int]) -> Iterator[Span]:
    """The tags around what people show and hide, and images in HTML."""
    html = {at for block in blocks if block.kind == "html_block" for at in range(block.start, block.end)}
    at = 0
    for number, line in enumerate(text.split("\n")):
        if number in html:
            yield from ((at + found.start(), at + found.end()) for found in _TAGS.finditer(line))
        elif number not in code and "<" in line:
            yield from (
                (at + found.start("tag"), at + found.end()) for found in _PICTURE.finditer(line) if found["tag"]
            )
        at += len(line) + 1


def _unasked_items(blocks: Sequence[Block]) -> set[int]:
    """The lines of checklists that say nothing of the issue: what was confirmed, and choices that were not taken."""
    gone: set[int] = set()
    ticks: list[tuple[Block, re.Match[str]]] = []
    for item, first in pairwise(blocks):
        if item.kind == "list_item" and first.kind == "paragraph" and (tick := _TICK.match(first.text)):
            ticks.append((item, tick))
    chosen = any(tick["ticked"] != " " and not _CONFIRMED.search(tick["said"]) for _, tick in ticks)
    for item, tick in ticks:
        if _CONFIRMED.search(tick["said"]) or (chosen and tick["ticked"] == " "):
            gone |= set(range(item.start, item.end))
    return gone


def _empty_sections(blocks: Sequence[Block], lines: Sequence[str], gone: Set[int]) -> set[int]:
    """The lines of sections in which nothing is left, with their headings. A heading alone may be all that was said,
    and so may one that asks."""
    heads = [head for block in blocks if block.depth == 0 for head in _heads(block)]
    kept = [bool(line.strip()) and at not in gone for at, line in enumerate(lines)]
    empty: set[int] = set()
    following: list[_Head] = []  # the heads behind, nearest last
    for head in reversed(heads):
        while following and following[-1].level > head.level:
            following.pop()
        section = range(head.end, following[-1].start if following else len(lines))
        following.append(head)
        left = "\n".join(lines[at] for at in section if kept[at]).strip()
        alone = not left and (len(heads) == 1 or head.asks)
        if not alone and len(left) <= LONGEST_NO_RESPONSE and _NO_RESPONSE.fullmatch(left):
            for at in range(head.start, section.stop):
                kept[at] = False
                empty.add(at)
    return empty


def _heads(block: Block) -> Iterator[_Head]:
    """The headings in a block: itself, or lines in bold."""
    if block.kind == "heading":
        level = len(block.mark) if block.mark.startswith("#") else "=-".index(block.mark) + 1
        yield _Head(block.start, block.end, level, _asks(block.text))
    elif block.kind == "paragraph":
        for at, line in enumerate(block.text.split("\n"), start=block.start):
            if _BOLD_LINE.fullmatch(line.strip()):
                yield _Head(at, at + 1, _BOLD_LEVEL, _asks(line))


def _asks(head: str) -> bool:
    return head.rstrip("*_ ").endswith(("?", "？"))
