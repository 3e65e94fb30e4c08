"""A delivery's event and payload become what it means for us: a text that somebody wrote, changed or took back, or code
that moved on. Pure; a payload that lacks what its event promises means nothing.

https://docs.github.com/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from bot.adapters.github.types import PLACES, PUSHES, TEXTS, Kind, Place, Pushed, Taken, Text

Payload = Mapping[str, Any]
Event = Text | Taken | Pushed
"""What a delivery means for us."""

# Where the text of an event stands in its payload.
_HOLDERS: Final[Mapping[str, tuple[Kind, str, str | None]]] = {
    "issues": ("issue", "issue", None),
    "issue_comment": ("issue", "issue", "comment"),
    "pull_request": ("issue", "pull_request", None),
    "pull_request_review": ("summary", "pull_request", "review"),
    "pull_request_review_comment": ("review", "pull_request", "comment"),
    "discussion": ("discussion", "discussion", None),
    "discussion_comment": ("discussion", "discussion", "comment"),
}
_WRITTEN: Final = frozenset({"opened", "created", "submitted", "edited", "labeled"})
_TAKEN_BACK: Final = frozenset({"deleted", "dismissed", "transferred"})
_BRANCH: Final = "refs/heads/"


def read(event: str, payload: Payload) -> Event | None:
    """What a delivery means; None for what does not concern us, and for a payload that is not as documented."""
    try:
        if event == "push":
            return _pushed(payload)
        if event == "release":
            return _released(payload)
        return _text(event, payload) if event in _HOLDERS else None
    except (KeyError, TypeError, AttributeError, ValidationError):
        return None


def _text(event: str, payload: Payload) -> Text | Taken | None:
    action = payload["action"]
    kind, thread_name, comment_name = _HOLDERS[event]
    thread = payload[thread_name]
    written = payload[comment_name] if comment_name else thread
    place = _place(kind, payload, thread, written if comment_name else None)
    if action in _TAKEN_BACK:
        return Taken(place)
    if action not in _WRITTEN or (action == "edited" and not _changed(payload)):
        return None
    return TEXTS.validate_python(
        {
            "place": place,
            "installation": (payload.get("installation") or {}).get("id"),
            "author": (written.get("user") or {}).get("login") or "ghost",
            "association": written.get("author_association") or "NONE",
            "by_machine": _by_machine(written.get("user"))
            or (action != "labeled" and _by_machine(payload.get("sender"))),
            "text": written.get("body") or "",
            "title": thread.get("title") or "",
            "opening": (thread.get("body") or "") if comment_name else "",
            "opener": (thread.get("user") or {}).get("login") or "ghost",
            "labels": tuple(label["name"] for label in thread.get("labels") or ()),
            "label": (payload.get("label") or {}).get("name") if action == "labeled" else None,
            "at": written.get("updated_at") or written.get("submitted_at") or written.get("created_at") or "",
            "written_at": written.get("submitted_at") or written.get("created_at") or "",
            "url": written.get("html_url") or "",
            "edited": action == "edited",
            "alone": thread.get("comments") == 0,
            "hunk": _hunk(written) if kind == "review" else None,
        }
    )


def _place(kind: Kind, payload: Payload, thread: Payload, comment: Payload | None) -> Place:
    held = thread if comment is None else comment
    return PLACES.validate_python(
        {
            "repository": payload["repository"]["full_name"],
            "kind": kind,
            "number": thread["number"],
            "comment": comment["id"] if comment else None,
            "node": held.get("node_id") or "",
            "parent": _parent(kind, thread, comment),
        }
    )


def _parent(kind: Kind, thread: Payload, comment: Payload | None) -> str:
    if kind == "discussion":
        return str(thread["node_id"])
    if kind == "review" and comment:
        return str(comment.get("in_reply_to_id") or comment["id"])
    return ""


def _hunk(comment: Payload) -> Mapping[str, Any]:
    """The lines that a review comment is about: `line` is gone once the pull request has moved on."""
    end = comment.get("line") or comment.get("original_line")
    return {
        "path": comment["path"],
        "start_line": comment.get("start_line") or comment.get("original_start_line") or end,
        "end_line": end,
        "diff": comment.get("diff_hunk") or "",
        "commit": comment.get("commit_id") or "",
    }


def _changed(payload: Payload) -> bool:
    """Whether an edit changed words: GitHub also tells of edits that left them as they were."""
    changes = payload.get("changes") or {}
    holder = next(
        h for name in ("comment", "review", "issue", "pull_request", "discussion") if (h := payload.get(name))
    )
    return any(name in changes and changes[name].get("from") != holder.get(name) for name in ("body", "title"))


def _by_machine(user: Payload | None) -> bool:
    """Whether an account is a bot's. A person who writes through some App is a person."""
    user = user or {}
    return user.get("type") == "Bot" or str(user.get("login", "")).endswith("[bot]")


def _pushed(payload: Payload) -> Pushed | None:
    repository = payload["repository"]
    branch = str(payload["ref"]).removeprefix(_BRANCH)
    if payload.get("deleted") or payload["ref"] == branch or branch != repository["default_branch"]:
        return None
    return _moved(payload, repository, None, payload["after"])


def _released(payload: Payload) -> Pushed | None:
    if payload["action"] != "published" or payload["release"].get("draft"):
        return None
    tag = payload["release"]["tag_name"]
    return _moved(payload, payload["repository"], tag, tag)


def _moved(payload: Payload, repository: Payload, ref: str | None, commit: str) -> Pushed:
    return PUSHES.validate_python(
        {
            "repository": repository["full_name"],
            "address": repository.get("clone_url") or f"{repository['html_url']}.git",
            "private": bool(repository.get("private")),
            "installation": (payload.get("installation") or {}).get("id"),
            "ref": ref,
            "commit": commit,
        }
    )
