"""What an answer's text makes live: links, and the numbers of its citations."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.evaluation.figures import Figures
from bot.evaluation.markup import Piece
from bot.types import Answer

_NUMBER = re.compile(r"\[(\d+)\]")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def link_figures(answer: Answer, shown: Sequence[Piece]) -> Figures:
    """Links that no citation leads to, and faults of numbering: numbers without a citation, citations without a use,
    numbers not in order of first use, citations not numbered 1, 2, 3 …"""
    return {"stray_links": float(len(stray_links(answer, shown))), "misnumbered": float(_misnumbered(answer, shown))}


def stray_links(answer: Answer, shown: Sequence[Piece]) -> list[str]:
    """Where links and images lead that is no citation's URL, and raw HTML."""
    evidence = {citation.url for citation in answer.citations}
    links = [piece.text for piece in shown if piece.kind == "link" and piece.text not in evidence]
    html = [piece.text for piece in shown if piece.kind == "html" and _COMMENT.sub("", piece.text).strip()]
    return links + html


def _misnumbered(answer: Answer, shown: Sequence[Piece]) -> int:
    used = list(dict.fromkeys(int(n) for p in shown if p.kind == "words" for n in _NUMBER.findall(p.text)))
    cited = [citation.number for citation in answer.citations]
    without = len(set(used) - set(cited)) + len(set(cited) - set(used))
    in_order = sorted(used) == used
    counted = cited == list(range(1, len(cited) + 1))
    return without + (not in_order) + (not counted)
