"""What one case of section D showed on one surface: the model's words, and the messages they became."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token

from fakes.github_markdown import github_tokens


@dataclass(frozen=True, slots=True)
class RenderingObservation:
    """`allowed` are the URLs that may be links, `allowed_mentions` is what Discord is told with each message."""

    messages: Sequence[str] = ()
    said: str = ""
    surface: str = "github"
    allowed: frozenset[str] = frozenset()
    allowed_mentions: Mapping[str, object] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return "\n\n".join(self.messages)

    @property
    def tokens(self) -> list[Token]:
        return [token for message in self.messages for token in github_tokens(message)]


def prose(text: str) -> list[str]:
    """The texts outside code and links."""
    found, in_link = [], 0
    for token in github_tokens(text):
        in_link += token.nesting if token.type in ("link_open", "link_close") else 0
        if token.type == "text" and not in_link:
            found.append(token.content)
    return found


def shown(text: str) -> str:
    """What a reader sees, code and links included, with a line end after each block."""
    kinds = {"softbreak": "\n", "hardbreak": "\n", "paragraph_close": "\n", "heading_close": "\n", "td_close": "\n"}
    visible = ("text", "code_inline", "fence", "code_block")
    return "".join(kinds.get(t.type, t.content if t.type in visible else "") for t in github_tokens(text))


def fences(text: str) -> list[Token]:
    return [token for token in github_tokens(text) if token.type in ("fence", "code_block")]


def code_lines(text: str) -> list[str]:
    """The lines of all fences and indented code."""
    return [line for token in fences(text) for line in token.content.removesuffix("\n").split("\n")]


def links(text: str) -> list[str]:
    """Where each link or bare URL leads."""
    return [str(token.attrs["href"]) for token in github_tokens(text) if token.type == "link_open"]
