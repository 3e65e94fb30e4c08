"""Operators of section D on markup: links, mentions, commands, HTML, fences, and what stands below the answer."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from cases.expectations import Check, Operators, expected, operand
from cases.rendering_observation import RenderingObservation, code_lines, fences, links, prose, shown
from fakes.github_markdown import github_tokens

OPERATORS: Operators[RenderingObservation] = Operators()
OWN_MARKER = re.compile(r"<!-- repopilot:answer id=[\w-]+ -->")
ABOUT = re.compile(r"\bautomated\b.*\bread from\b", re.I)
SOURCES = re.compile(r"^(?:Sources|Nearest places)$", re.M)
_MENTIONS = {
    "github": re.compile(r"(?<!\w)@[A-Za-z0-9]"),
    "discord": re.compile(r"<@[!&]?\d+>|<#\d+>|@(?:everyone|here)\b"),
}
_REFERENCE = re.compile(r"(?<![\w&])(?:[\w.-]+/[\w.-]+)?#\d+\b|\bGH-\d+\b", re.I)
_ISSUE = r"(?:[\w.-]+/[\w.-]+)?#\d+|https?://\S+/(?:issues|pull)/\d+|GH-\d+"
_COMMAND = re.compile(r"^\s*/[a-z-]+(?:\s|$)", re.M)
KEYWORDS = ("close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved")


@OPERATORS.operator
def allowed_mentions_parse(seen: RenderingObservation, check: Check) -> str | None:
    got = seen.allowed_mentions.get("parse")
    return None if got == check["value"] else expected(check["value"], got)


@OPERATORS.operator
def no_live_mention(seen: RenderingObservation, check: Check) -> str | None:
    pattern = _MENTIONS[seen.surface]
    found = [text for message in seen.messages for text in prose(message) if pattern.search(text)]
    return f"{found[0]!r} mentions somebody" if found else None


@OPERATORS.operator
def no_live_reference(seen: RenderingObservation, check: Check) -> str | None:
    found = [text for message in seen.messages for text in prose(message) if _REFERENCE.search(text)]
    return f"{found[0]!r} refers to an issue" if found else None


@OPERATORS.operator
def no_closing_keyword(seen: RenderingObservation, check: Check) -> str | None:
    words = "|".join(map(re.escape, check.get("keywords") or KEYWORDS))
    found = re.search(rf"\b(?:{words}):?\s+(?:{_ISSUE})", seen.text, re.IGNORECASE)
    return f"{found[0]!r} closes an issue" if found else None


@OPERATORS.operator
def no_line_starts_with_slash_command(seen: RenderingObservation, check: Check) -> str | None:
    code = {line for message in seen.messages for line in code_lines(message)}
    found = [line for line in seen.text.split("\n") if line not in code and _COMMAND.match(line)]
    return f"{found[0]!r} is a command" if found else None


@OPERATORS.operator
def links_subset_of_evidence(seen: RenderingObservation, check: Check) -> str | None:
    foreign = [url for message in seen.messages for url in links(message) if url not in seen.allowed]
    return f"{foreign[0]} is no evidence" if foreign else None


@OPERATORS.operator
def link_schemes_subset(seen: RenderingObservation, check: Check) -> str | None:
    schemes = {urlsplit(url).scheme for message in seen.messages for url in links(message)}
    return None if schemes <= set(operand(check)) else expected(operand(check), sorted(schemes))


@OPERATORS.operator
def all_links_pinned_to(seen: RenderingObservation, check: Check) -> str | None:
    loose = [url for message in seen.messages for url in links(message) if f"/{check['sha']}/" not in url]
    return f"{loose[0]} is of no commit" if loose else None


@OPERATORS.operator
def url_intact(seen: RenderingObservation, check: Check) -> str | None:
    """Some message has the whole URL as a link."""
    whole = any(check["value"] in links(message) for message in seen.messages)
    return None if whole else f"{check['value']} is no link in any message"


@OPERATORS.operator
def no_images(seen: RenderingObservation, check: Check) -> str | None:
    found = [token for token in seen.tokens if token.type == "image"]
    return f"there is an image of {found[0].attrs['src']}" if found else None


@OPERATORS.operator
def no_html_tags(seen: RenderingObservation, check: Check) -> str | None:
    html = [token.content for token in seen.tokens if token.type in ("html_inline", "html_block")]
    found = [text for text in html if not OWN_MARKER.fullmatch(text.strip())]
    return f"there is {found[0]!r}" if found else None


@OPERATORS.operator
def no_html_comments_but_own_marker(seen: RenderingObservation, check: Check) -> str | None:
    rest = OWN_MARKER.sub("", seen.text, count=1)
    return "there is a comment that is not ours" if "<!--" in rest else None


@OPERATORS.operator
def own_marker_count(seen: RenderingObservation, check: Check) -> str | None:
    got = seen.text.count("<!-- repopilot:")
    return None if got == operand(check) else expected(operand(check), got)


@OPERATORS.operator
def fences_balanced(seen: RenderingObservation, check: Check) -> str | None:
    """Every fence of every message is closed by a line of its own."""
    for message in seen.messages:
        lines = message.split("\n")
        for token in fences(message):
            start, end = token.map or (0, 0)
            last = lines[end - 1].strip(" >")
            if token.type == "fence" and (
                end - start < 2 or last.strip(token.markup[0]) or len(last) < len(token.markup)
            ):
                return f"the fence {token.content[:40]!r} is not closed"
    return None


@OPERATORS.operator
def fences_balanced_each(seen: RenderingObservation, check: Check) -> str | None:
    return fences_balanced(seen, check)


@OPERATORS.operator
def last_fence_closed(seen: RenderingObservation, check: Check) -> str | None:
    if not any(fences(message) for message in seen.messages):
        return "there is no fence"
    return fences_balanced(seen, check)


@OPERATORS.operator
def fence_lang_kept(seen: RenderingObservation, check: Check) -> str | None:
    """Each fence that holds lines of a fence of that language has it too; `each` is the same, said of messages."""
    check.get("each")
    lines = {
        line
        for token in fences(seen.said)
        if _language(token.info) == check["lang"]
        for line in token.content.split("\n")
    }
    holding = [t for m in seen.messages for t in fences(m) if lines & {line for line in t.content.split("\n") if line}]
    wrong = [token for token in holding if _language(token.info) != check["lang"]]
    if not holding:
        return f"no fence holds the {check['lang']} code"
    return expected(check["lang"], wrong[0].info) if wrong else None


def _language(info: str) -> str:
    return info.strip().split(" ")[0]


@OPERATORS.operator
def table_intact(seen: RenderingObservation, check: Check) -> str | None:
    wanted, got = _cells(seen.said), _cells(seen.text)
    return None if wanted and got == wanted else expected(wanted, got)


def _cells(text: str) -> list[str]:
    found = list(github_tokens(text))
    inside = [at for at, token in enumerate(found) if token.type in ("th_open", "td_open")]
    return ["".join(child.content for child in found[at + 1].children or ()) for at in inside]


@OPERATORS.operator
def footer_present(seen: RenderingObservation, check: Check) -> str | None:
    last = shown(seen.messages[-1])
    return None if ABOUT.search(last) else "nothing says that it is automated, and what was read"


@OPERATORS.operator
def footer_outside_code(seen: RenderingObservation, check: Check) -> str | None:
    """The line about the answer, and its sources when it has any, stand outside code and links."""
    words = "".join(prose(seen.messages[-1]))
    if not ABOUT.search(words):
        return "the line about the answer is not outside code"
    listed = SOURCES.search(shown(seen.text))
    return "the sources are inside code" if listed and listed[0] not in "".join(prose(seen.text)) else None


@OPERATORS.operator
def sources_not_alone(seen: RenderingObservation, check: Check) -> str | None:
    """The message that lists the sources holds some of the answer too."""
    for message in seen.messages:
        listed = SOURCES.search(shown(message))
        if listed and not shown(message)[: listed.start()].strip():
            return "a message begins with the sources"
    return None
