"""Text that others wrote becomes text that can stand in a prompt: it opens or closes nothing there and hides nothing.

Three things are done to it. Characters that nobody sees are taken out: orders can be written with them. Words that a
server turns into control tokens of its chat template are broken by a backslash (`<\\|im_end|>`): the tokenizer reads
them as ordinary text then, and so are the tags of our own prompt. And of documentation, what its readers never see,
comments, is left out.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# The tags of our own prompts, however they are written.
_OUR_TAGS = r"[\s/]*(?:passages?|thread(?!>)|turn|question)\b|[\s/]+thread\b"
# But for C++, whose header this is.
_OUR_THREAD = r"(?<!#include )<(?=thread>)"
# `<|im_end|>`, `<｜end▁of▁sentence｜>`, `[|endofturn|]`: whatever stands between bars inside brackets.
_BARRED = r"[|｜][^\s<>\[\]]{0,80}[|｜][>\]]"
# `<s>`, `</think>`, `<start_of_turn>`, `<tool_call>`, `<fim_prefix>`, `<unused42>`, `<seed:bos>`, `<BOS_TOKEN>`; but no
# `<model>` or `<function_name>`, which documentation writes for what its reader is to fill in.
_ANGLED = (
    r"/?(?:(?-i:s)|[be]os|eo[dpt]|so[pt]|pad|unk|mask|sep|cls|think(?:ing)?|reasoning|image|audio|video|unused\d+|0x[0-9a-f]{2}"
    r"|reserved_\w+|special_\d+|extra_id_\d+|(?:start|end|begin)_of_\w+|fim_\w+|(?:tool|function)_(?:calls?|sep|\w*re\w+)"
    r"|(?:[bep]o[sp]|pad|unk|cls|sep|mask)_token|seed:\w+)\s*/?>"
)
# `[INST]`, `[/SYSTEM_PROMPT]`, `[TOOL_CALLS]`, `[gMASK]`: written exactly so.
_SQUARE = (
    r"/?(?:INST|SYSTEM_PROMPT|MODEL_SETTINGS|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|ARGS|CALL_ID|THINK|PREFIX"
    r"|MIDDLE|SUFFIX|IMG(?:_BREAK|_END)?|AUDIO|BEGIN_AUDIO|TRANSCRIBE|[gs]?MASK)\]"
)
_OPENERS = re.compile(
    rf"[<＜﹤](?=(?i:{_OUR_TAGS}|{_BARRED}|{_ANGLED})|<\s*/?[A-Z_]+\s*>>)|\[(?={_BARRED}|{_SQUARE})"
    rf"|{_OUR_THREAD}"
    # MiniMax's, which look like nothing else: `]~b]`, `]~!b[`, `[e~[`; and Kimi's `◁think▷`.
    r"|\](?=~!?b[\[\]])|\[(?=e~\[)|◁(?=/?\w+▷)"
)

_MAYBE_HIDDEN = re.compile(r"[^\n\t -~]")
# Shown as nothing although Unicode calls them letters or marks: fillers, and the selectors of a glyph's variants.
_BLANK_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u3164\uffa0\u034f")

_COMMENT = re.compile(r"<!--.*?(?:--!?>|\Z)", re.DOTALL)
# A definition that links to nothing, the other way to write what a Markdown page does not show.
_REFERENCE = re.compile(r"^ {0,3}\[[^\]\n]{1,80}\]:\s*(?:#|<>)\s*[\"'(].*\n?", re.MULTILINE)
_RST_COMMENT = re.compile(
    r"^( *)\.\.(?:[ \t]++(?!$|[\w-]+(?:[:+.-]\w+)*::|[\[_|])[^\n]*+|[ \t]*+$)"
    r"(?:\n(?:\1[ \t]++\S[^\n]*+|[ \t]*+(?=\n)))*+\n?",
    re.MULTILINE,
)
_HIDING = {"markdown": (_COMMENT, _REFERENCE), "html": (_COMMENT,), "rst": (_RST_COMMENT,)}


def harmless(text: str) -> str:
    """The text without hidden characters, and with control tokens and our own tags broken up.

    Lines stay lines, and doing it twice changes nothing more.
    """
    return _OPENERS.sub(r"\g<0>\\", visible(text))


def visible(text: str) -> str:
    """The text without characters that a reader cannot see: tags, directions, joiners, selectors, controls."""
    return _MAYBE_HIDDEN.sub(lambda found: "" if _hidden(found[0]) else found[0], text)


def shown(text: str, language: str) -> str:
    """What the readers of a documentation page see of it: no comments. Other languages come back as they are."""
    for hiding in _HIDING.get(language, ()):
        text = hiding.sub("", text)
    return text


def attribute(text: str, longest: int = 300) -> str:
    """The text as the value of a tag's attribute, in double quotes: one line without such quotes."""
    return middle_out(" ".join(harmless(text).replace('"', "'").split()), longest)


def middle_out(text: str, longest: int) -> str:
    """The text cut in its middle to that many characters, with an ellipsis there; what is shorter stays as it is."""
    if len(text) <= longest:
        return text
    head = max(0, longest - 1) // 2
    tail = max(0, longest - 1 - head)
    return f"{text[:head]}…{text[len(text) - tail :]}"


@lru_cache(maxsize=1 << 12)
def _hidden(character: str) -> bool:
    category = unicodedata.category(character)
    selector = "\ufe00" <= character <= "\ufe0f"
    # Above U+E0000 there is nothing but tags, selectors and private use.
    return category in ("Cc", "Cf", "Cs", "Co") or selector or character >= "\U000e0000" or character in _BLANK_LETTERS
