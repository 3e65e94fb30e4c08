"""What RepoPilot needs of GitHub, and why: the one list behind the App's manifest, its page and its check. Pure.

https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal
from urllib.parse import urlencode, urlsplit, urlunsplit

Level = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class Permission:
    level: Level
    reason: str


# https://docs.github.com/rest/authentication/permissions-required-for-github-apps
PERMISSIONS: Final[Mapping[str, Permission]] = {
    "metadata": Permission("read", "GitHub demands it of every App"),
    "contents": Permission("read", "be told of pushes and releases, which keep the index current"),
    "issues": Permission("write", "read the thread of a question, show 👀, answer in a comment, edit it"),
    "pull_requests": Permission("write", "the same in pull requests and at lines of their changes"),
    "discussions": Permission("write", "the same in discussions"),
}
# https://docs.github.com/webhooks/webhook-events-and-payloads
EVENTS: Final[Mapping[str, str]] = {
    "issues": "a mention in an issue's title or text, or a label that asks for an answer",
    "issue_comment": "a mention in a comment on an issue or a pull request",
    "pull_request": "a mention in a pull request's title or text",
    "pull_request_review": "a mention in the summary of a review",
    "pull_request_review_comment": "a mention at lines of a change",
    "discussion": "a mention in a discussion's title or text",
    "discussion_comment": "a mention in a comment on a discussion",
    "push": "the default branch has moved on: its index follows",
    "release": "a release is out: it is indexed",
}
WEBHOOK_PATH: Final = "/webhooks/github"
_RANKS: Final = {"read": 1, "write": 2, "admin": 3}


def manifest(name: str, public_url: str, redirect_url: str) -> dict[str, Any]:
    """The manifest of an App that answers at `public_url`, and whose registration leads back to `redirect_url`."""
    return {
        "name": name,
        "url": public_url,
        "description": "Answers questions about this repository, with links to the lines that prove the answer.",
        "public": False,
        "hook_attributes": {"url": f"{public_url.rstrip('/')}{WEBHOOK_PATH}", "active": True},
        "redirect_url": redirect_url,
        "default_permissions": {name: permission.level for name, permission in PERMISSIONS.items()},
        "default_events": list(EVENTS),
    }


def registration_url(api_url: str, organization: str | None, state: str) -> str:
    """Where a manifest is posted to; `state` comes back with the code."""
    owner = f"/organizations/{organization}" if organization else ""
    return f"{web_url(api_url)}{owner}/settings/apps/new?{urlencode({'state': state})}"


def web_url(api_url: str) -> str:
    """GitHub's pages, by the address of its API: github.com, a tenant of ghe.com, or an Enterprise server."""
    parts = urlsplit(api_url)
    host = parts.netloc
    if host == "api.github.com" or (host.startswith("api.") and host.endswith(".ghe.com")):
        host = host.removeprefix("api.")
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/").removesuffix("/api/v3"), "", ""))


def missing_permissions(granted: Mapping[str, str]) -> list[str]:
    """What is needed and not granted, each as `name: level`."""
    return [
        f"{name}: {needed.level}"
        for name, needed in PERMISSIONS.items()
        if _RANKS.get(granted.get(name, ""), 0) < _RANKS[needed.level]
    ]
