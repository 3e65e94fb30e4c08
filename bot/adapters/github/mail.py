"""What e-mail programs add to a reply, by the kind of it: whom it answers, what was written before, and signatures."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Final

# "On … wrote:" as programs write it in some languages; a date has digits. Long ones are broken into two lines.
_ANSWERED: Final = re.compile(
    r"(?:On\b.{1,300}\bwrote|Am\b.{1,300}\bschrieb\b.{0,200}|Le\b.{1,300}\ba écrit|El\b.{1,300}\bescribió"
    r"|Em\b.{1,300}\bescreveu|Il\b.{1,300}\bha scritto|Op\b.{1,300}\bschreef\b.{0,200}"
    r"|Den\b.{1,300}\bskrev\b.{0,200}|.{1,200}(?:写道|寫道|のメッセージ|さんは書きました|님이 작성)"
    r"|.{1,200}\bпишет|.{1,200}\bнаписал\(?а?\)?)\s*[:：]",
    re.IGNORECASE,
)
_REST_IS_OLD: Final = re.compile(
    r"[-_ ]{2,}\s*(?:original message|forwarded message|ursprüngliche nachricht|message d'origine|mensaje original"
    r"|原始邮件|轉寄郵件|元のメッセージ)\s*[-_ ]{2,}"
    r"|reply to this email directly\b.*|you are receiving this because\b.*",
    re.IGNORECASE,
)
_FIELD: Final = re.compile(
    r"[*_]{0,2}(?:from|sent|date|to|cc|subject|von|gesendet|an|betreff|de|envoyé)[*_]{0,2}:\s*\S", re.IGNORECASE
)
_RULE: Final = re.compile(r"_{8,}|-{8,}")
_SENT_FROM: Final = re.compile(
    r"(?:sent|envoyé|enviado|gesendet|inviato|verzonden)\s+(?:from|via|depuis|de|desde|von|mit|da|vanaf)\s+"
    r"(?:my|mon|mi|meine[mr]|il mio|mijn|outlook|mail|proton|yahoo|gmail)\b.{0,60}"
    r"|von mein\w+ .{1,40} gesendet|get outlook for \w+.{0,60}|发自我的.{1,40}|傳送自.{1,40}|iPhoneから送信",
    re.IGNORECASE,
)
# Characters. What is longer was written by a person.
LONGEST_HEADER: Final = 300
# Lines of a signature at most (https://datatracker.ietf.org/doc/html/rfc3676#section-4.3 says how it begins): what is
# longer is no signature, since dashes also part what people write.
MOST_SIGNATURE_LINES: Final = 8


def mail_lines(lines: Sequence[str], code: Set[int], quoted: Set[int]) -> set[int]:
    """The numbers of lines that a program added. Those of code and of quotations are told apart by the caller."""
    words = {at: line.strip() for at, line in enumerate(lines) if line.strip() and at not in code}
    new = (at for at, line in words.items() if at not in quoted and len(line) <= LONGEST_HEADER)
    found: set[int] = set()
    for at in new:
        line = words[at]
        if _SENT_FROM.fullmatch(line):
            found.add(at)
        elif header := _header(lines, at):
            following = next((after for after in range(at + header, len(lines)) if after in words), None)
            if following is None or following not in quoted:
                return found | set(range(at, len(lines)))
            found |= set(range(at, at + header))
        elif _REST_IS_OLD.fullmatch(line) or _is_forwarded(lines, at) or _is_signature(lines, at):
            return found | set(range(at, len(lines)))
    return found


def _header(lines: Sequence[str], at: int) -> int:
    """How many lines, from one on, say whom a reply answers: none, one or two."""
    for count in (1, 2):
        said = " ".join(line.strip() for line in lines[at : at + count])
        if len(said) <= 2 * LONGEST_HEADER and re.search(r"\d", said) and _ANSWERED.fullmatch(said):
            return count
    return 0


def _is_forwarded(lines: Sequence[str], at: int) -> bool:
    """Whether the fields of an older message begin here: several in a row, behind a rule or not."""
    start = at + 1 if _RULE.fullmatch(lines[at].strip()) else at
    fields = 0
    for line in lines[start : start + 4]:
        fields += bool(_FIELD.match(line.strip()))
    return fields >= 3


def _is_signature(lines: Sequence[str], at: int) -> bool:
    return lines[at] == "-- " and len(lines) - at <= MOST_SIGNATURE_LINES
