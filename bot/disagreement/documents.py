"""A passage of documentation becomes the defaults that it states, each with its lines. Pure functions.

Only sentences count that plainly give one value to one name. One that speaks of conditions or of other times counts for
nothing, and neither does a value with a unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from bot.disagreement.blocks import Block, blocks
from bot.disagreement.literals import value_of
from bot.disagreement.statement import Statement, telling
from bot.types import Passage
from indexer.terms import plain_name

# A notebook's lines are not its file's.
PROSE: Final = ("markdown", "rst", "text")
# Characters; longer ones are data.
LONGEST_BLOCK: Final = 5_000

_FLAG: Final = r"--[A-Za-z][\w-]*[A-Za-z\d]"
# What stands in code marks, with an argument (`--seqs N`) or a class before it; a flag; what only code writes.
_NAME: Final = re.compile(
    rf"`+(?P<marked>{_FLAG}|[A-Za-z][\w.]*[A-Za-z\d]|[A-Za-z][\w-]*[A-Za-z\d])(?:[ =:(\[][^`\n]*)?`+"
    rf"|(?<![\w`./-])(?P<bare>{_FLAG}|[A-Za-z]\w*_\w*[A-Za-z\d])(?![\w`/(]|\.\w)"
)
_VALUE: Final = (
    r"(?:(?::\w+:)?`+(?P<marked>[^`\n]+)`+|(?P<quoted>\"[^\"\n]+\"|(?<!\w)'[^'\n]+')"
    r"|(?P<bare>-?\d[\d_]*(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?|(?:true|false|enabled|disabled)\b))"
)
# No unit and no further words.
_NO_MORE: Final = r"(?=[*_]{0,2}\s*(?:$|[.,;)\]|](?!\w)|\())"
# "defaults to 8", "the default of `x` is 8", "Default: 8", "(default 8)", ", default 8".
_STATED: Final = re.compile(
    r"(?P<open>[(\[,]\s*)?[*_]{0,2}\b(?:the\s+)?defaults?(?:\s+values?)?(?:\s+(?:of|for)\s+(?:the\s+)?(?P<of>`[^`\n]+`))?"
    rf"[*_]{{0,2}}(?:\s+(?:is|to|of)(?:\s+set\s+to)?\s+|\s*[:=]\s*[*_]{{0,2}}|(?<=default)\s+){_VALUE}{_NO_MORE}",
    re.IGNORECASE,
)
# "is 8 by default", "is not enabled by default"
_BY_DEFAULT: Final = re.compile(
    rf"\s(?:is|=|equals)\s+(?:set\s+to\s+)?[*_]{{0,2}}(?:{_VALUE}|(?P<state>not enabled|on|off))[*_]{{0,2}}\s+"
    r"by\s+default(?=[*_]{0,2}\s*(?:$|[.,;)]))",
    re.IGNORECASE,
)
_SWITCHES: Final = {"enabled": "true", "on": "true"} | dict.fromkeys(("disabled", "off", "not enabled"), "false")
_LEADS_TO: Final = re.compile(
    r"[`*\s]*(?:\([^()]{0,40}\)\s*)?(?:(?:environment\s+variable|engine\s+argument|parameter|argument|option|flag|setting"
    r"|field|variable|key|attribute)\s*)?(?:(?:which|that|and|it|has\s+an?|its)\s+)?(?:\(`?[\w\[\], |]{0,30}`?)?\s*"
)
_CASES: Final = (
    r"if|when|whenever|where|unless|otherwise|except|depend\w*|while|whereas|instead|only|per|or|but|on|for|under|with"
)
_CASE_BEFORE: Final = re.compile(rf"\b(?:{_CASES}|in|at)\b", re.IGNORECASE)
_CASE_AFTER: Final = re.compile(rf"\b(?:{_CASES})\b", re.IGNORECASE)
_CASE_NEXT: Final = re.compile(
    r"[\s)\]*_]*[,(]?\s*(?:if|when|unless|except|otherwise|depending|on|for|in|under|while|whereas)\b", re.IGNORECASE
)
_OTHER_TIMES: Final = re.compile(
    r"\b(?:previous(?:ly)?|former(?:ly)?|was|were|used\s+to|changed|prior|no\s+longer|deprecated|will|would|older|since"
    r"|until|e\.g|example)\b",
    re.IGNORECASE,
)
_GONE: Final = re.compile(
    r"\b(?:removed?|deprecated|renamed|replaced|superseded|obsolete|former(?:ly)?|previously|no\s+longer|not\s+(?:yet\s+)?\w+ed"
    r"|planned|future|migrat\w+|todo)\b",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.!?][*_)]*\s+(?=[A-Z`*(\[\"])")
_BETWEEN_NAMES: Final = re.compile(r"[\s*_`]*(?:[,/|]|\bor\b)?[\s*_`]*(?:-\w\b[\s`,/|]*)?")
# What a cell holds besides a remark in brackets; a bare word there is prose.
_CELL_VALUE: Final = re.compile(r"(`+[^`]+`+|\"[^\"]*\"|[-+\d._e]+|true|false)(?:\s*\(([^()]*)\))?", re.IGNORECASE)
_CELL: Final = re.compile(r"(?<!\\)\|")
_RULE: Final = re.compile(r"[\s|:-]+")
_DEFAULT_COLUMN: Final = re.compile(r"[\s*_`]*defaults?(?:\s+values?)?[\s*_`]*", re.IGNORECASE)

_Said = tuple[str, str, tuple[int, int]]
"""A name, a literal, and the lines (counted from the passage's first as 0) that say it."""


def documented(passage: Passage, index: int) -> list[Statement]:
    """The defaults that a passage of documentation states; `index` is the passage's."""
    found: list[Statement] = []
    for is_row, run in groupby(_blocks(passage), key=lambda block: block.kind == "row"):
        together = list(run)
        stated = _in_table(together) if is_row else (said for block in together for said in _in_block(block))
        for name, literal, (first, last) in stated:
            lines = passage.start_line + first, passage.start_line + last
            found.append(Statement(name, literal, value_of(literal), index, *lines))
    return [statement for statement in found if telling(statement.name)]


def entries(passage: Passage) -> list[tuple[str, tuple[int, int]]]:
    """Flags and variables that have an entry of their own (an item, a row, a heading), each with its lines, counted
    from the passage's first as 0. Those that the entry, or what it stands under, calls gone are left out."""
    entered = (block for block in _blocks(passage) if block.kind in ("item", "row", "heading"))
    heads = ((block, _head(block.text.lstrip("| "))) for block in entered)
    return [
        (name, block.lines(0, len(block.text)))
        for block, name in heads
        if name and (name.startswith("--") or name.isupper()) and telling(name) and not _is_gone(block)
    ]


def _blocks(passage: Passage) -> list[Block]:
    found = blocks(passage.text) if passage.language in PROSE else []
    return [block for block in found if len(block.text) <= LONGEST_BLOCK]


def _is_gone(block: Block | None) -> bool:
    return block is not None and (_GONE.search(block.text) is not None or _is_gone(block.above))


def _in_table(rows: Sequence[Block]) -> Iterator[_Said]:
    """A column named "Default" says it; in a table without one, what a cell puts in brackets."""
    cells = [[cell.strip() for cell in _CELL.split(row.text)[1:-1]] for row in rows]
    ruled = len(rows) > 2 and _RULE.fullmatch(rows[1].text) is not None
    columns = [at for at, title in enumerate(cells[0]) if ruled and _DEFAULT_COLUMN.fullmatch(title)]
    for row, texts in list(zip(rows, cells, strict=True))[2 if ruled else 0 :]:
        head = _head(texts[0]) if texts else None
        said = [_cell(text) for at, text in enumerate(texts) if columns == [at]]
        said += [_literal(match) for text in texts[1:] for match in _STATED.finditer(text) if not columns]
        yield from ((head, literal, (row.line, row.line)) for literal in said if head)


def _cell(text: str) -> str:
    """The literal of a cell; "" when there is more to say, which nobody can compare."""
    found = _CELL_VALUE.fullmatch(text.strip("*_ "))
    return "" if found is None or _CASE_AFTER.search(found[2] or "") else found[1].strip("`")


def _in_block(block: Block) -> Iterator[_Said]:
    if block.kind == "heading":
        return
    for pattern in (_STATED, _BY_DEFAULT):
        for match in pattern.finditer(block.text):
            start, end = _sentence(block.text, match)
            before, after = block.text[start : match.start()], block.text[match.end() : end]
            name = _subject(block, before, match) if _plain(before, after, match) else None
            if name:
                yield name, _literal(match), block.lines(start if before.strip() else match.start(), match.end())


def _plain(before: str, after: str, match: re.Match[str]) -> bool:
    """Whether a sentence gives its value in every case and now."""
    if _OTHER_TIMES.search(before + match[0] + after):
        return False
    if match.groupdict().get("open"):
        return not _CASE_NEXT.match(after)
    return not (_CASE_BEFORE.search(before) or _CASE_AFTER.search(after))


def _subject(block: Block, before: str, match: re.Match[str]) -> str | None:
    """The name that a value is given to: the one right before, else the one that the block or what it stands under
    begins with. None where these differ, or the sentence has other names."""
    of = match.groupdict().get("of")
    if of:
        return _head(of)
    head = _head(block.text)
    named = [(name, end) for name, start, end in _names(before) if not before[:start].endswith("(")]  # its type
    if named and _LEADS_TO.fullmatch(before, named[-1][1]):
        return named[-1][0] if head is None or _same(head, named[-1][0]) else None
    brief = bool(match.groupdict().get("open")) or not before.strip(" *_")
    near = before if block.kind != "text" else block.text[: match.start()]
    others = [name for name, *_ in _names(near) if telling(name) and (head is None or not _same(head, name))]
    if not brief or others:
        return None
    return head if head or block.above is None or block.kind == "help" else _head(block.above.text)


def _head(text: str) -> str | None:
    """The one name that a text begins with, however often it is spelled, or None."""
    found: list[str] = []
    at = 0
    for name, start, end in _names(text):
        if not _BETWEEN_NAMES.fullmatch(text, at, start):
            break
        found.append(name)
        at = end
    return found[0] if len({plain_name(name) for name in found}) == 1 else None


def _names(text: str) -> list[tuple[str, int, int]]:
    """Names with where they start and end; of `Config.seqs` the last part."""
    return [
        ((match["marked"] or match["bare"]).rpartition(".")[2], match.start(), match.end())
        for match in _NAME.finditer(text)
    ]


def _literal(match: re.Match[str]) -> str:
    groups = match.groupdict()
    state = groups.get("state") or groups.get("bare") or ""
    if state.lower() in _SWITCHES:
        return _SWITCHES[state.lower()]
    return next(value for value in (groups["marked"], groups["quoted"], groups["bare"]) if value)


def _sentence(text: str, match: re.Match[str]) -> tuple[int, int]:
    """Where the sentence around a match starts and ends."""
    start = max((end.end() for end in _SENTENCE_END.finditer(text, 0, match.start() + 1)), default=0)
    after = _SENTENCE_END.search(text, match.end() - 1)
    return min(start, match.start()), after.start() + 1 if after else len(text)


def _same(one: str, other: str) -> bool:
    return plain_name(one) == plain_name(other)
