"""Section B's texts as GitHub delivers them: where each stands, and what it was before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cases.program import CannotRunError
from fakes.github.posts import Post
from fakes.github.server import GitHubServer

GIVEN = frozenset({"surface", "handle", "text", "issue", "previous", "author", "note"})
ISSUE = {"title": "A question about the engine", "body": "It is about the KV cache."}
AUTHOR = "alice-dev"
Delivered = tuple[str, Mapping[str, Any]]
"""An event's name and its payload."""


def deliveries(given: Mapping[str, Any], github: GitHubServer) -> Iterator[Delivered]:
    """What GitHub sends for a case; the state is at each what the payload says. Raises CannotRunError."""
    if unknown := sorted(given.keys() - GIVEN):
        raise CannotRunError(f"unknown given {unknown[0]}")
    surface = given["surface"].removeprefix("github.")
    place, edited = surface.removesuffix("_edited"), surface.endswith("_edited")
    post = _post(given, place, github, given.get("previous") if edited else given.get("text"))
    yield github.payloads.about(post)
    if edited:
        before, post.body = post.body, given["text"]
        post.updated_at += 1
        yield github.payloads.about(post, "edited", before=before or "")


def _post(given: Mapping[str, Any], place: str, github: GitHubServer, text: str | None) -> Post:
    world, author = github.world, given.get("author", AUTHOR)
    told = ISSUE | (given.get("issue") or {})
    title, body = told["title"], told["body"]
    match place.removesuffix("_created").removesuffix("_opened"):
        case "issue":
            return world.issue(title, text if "text" in given else body, author)
        case "pull_request" | "pr":
            return world.issue(title, text if "text" in given else body, author, pull_request=True)
        case "discussion":
            return world.discussion(title, text if "text" in given else body, author)
        case "issue_comment":
            return world.comment(world.issue(title, body), text or "", author)
        case "pull_request_comment" | "pr_comment":
            return world.comment(world.issue(title, body, pull_request=True), text or "", author)
        case "pull_request_review_comment" | "review_comment":
            return world.review_comment(world.issue(title, body, pull_request=True), text or "", author)
        case "pull_request_review" | "review":
            return world.review(world.issue(title, body, pull_request=True), text or "", author)
        case "discussion_comment":
            return world.discussion_comment(world.discussion(title, body), text or "", author)
    raise CannotRunError(f"unknown surface {given['surface']}")
