"""What GitHub tells of a thread, over REST or GraphQL, becomes a Thread. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot.adapters.github.types import Message, Text, Thread

Json = Mapping[str, Any]


def told(text: Text) -> Thread:
    """The thread as the delivery of a text told of it."""
    own = (Message(text.author, text.text),) if text.place.comment is not None else ()
    opening = Message(text.opener, text.opening) if own else Message(text.author, text.text)
    return Thread(text.place.repository, text.title, opening, text.labels, own, text.hunk)


def read(text: Text, found: Json, login: str) -> Thread:
    """The thread that a text stands in, from the answer to `queries.ISSUE` or `DISCUSSION`; `login` is our own."""
    nodes = [node for node in found["comments"]["nodes"] if node]
    if text.place.kind == "discussion":
        nodes = _own_branch(nodes, text.place.comment)
    return Thread(
        repository=text.place.repository,
        title=found["title"],
        opening=message(found, login),
        labels=tuple(label["name"] for label in (found.get("labels") or {}).get("nodes") or ()),
        messages=up_to(text, [(node.get("databaseId"), message(node, login)) for node in nodes]),
    )


def message(node: Json, login: str) -> Message:
    """One message. GraphQL leaves `[bot]` out of a bot's name; what is folded away is not said any more."""
    author = node.get("user") or node.get("author") or {}
    name = str(author.get("login") or "ghost")
    if author.get("__typename") == "Bot":
        name += "[bot]"
    body = "" if node.get("isMinimized") else node.get("body") or ""
    return Message(name, body, own=name.lower() == login.lower())


def up_to(text: Text, found: Sequence[tuple[int | None, Message]]) -> tuple[Message, ...]:
    """The messages before a text, by their ids, and it as it was when it was noted; none before an opening text."""
    if text.place.comment is None:
        return ()
    ids = [number for number, _ in found]
    end = ids.index(text.place.comment) if text.place.comment in ids else len(found)
    before = (said for _, said in found[:end] if said.text)
    return (*before, Message(text.author, text.text))


def _own_branch(tops: Sequence[Json], comment: int | None) -> list[Json]:
    """The comments of a discussion that a comment goes on from: those of its branch, or the top ones."""
    for top in tops:
        branch = [top, *(node for node in top["replies"]["nodes"] if node)]
        if comment in {node["databaseId"] for node in branch[1:]}:
            return branch
    return list(tops)
