"""What webhooks carry, made from the fake's state so that the two agree.

https://docs.github.com/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

from typing import Any

from fakes.github.documents import BORN, WEB, Document, Documents
from fakes.github.people import Installation, Repository, User
from fakes.github.posts import (
    Discussion,
    DiscussionComment,
    Issue,
    IssueComment,
    Post,
    Review,
    ReviewComment,
)
from fakes.github.world import World

EVENTS: dict[type[Post], str] = {
    Issue: "issues",
    Discussion: "discussion",
    IssueComment: "issue_comment",
    Review: "pull_request_review",
    ReviewComment: "pull_request_review_comment",
    DiscussionComment: "discussion_comment",
}

FIRST_ACTIONS = {"issues": "opened", "pull_request_review": "submitted"}


class Payloads:
    def __init__(self, world: World, documents: Documents) -> None:
        self._world, self._documents = world, documents

    def about(
        self, post: Post, action: str = "", *, before: str | None = None, sender: str = "", label: str = ""
    ) -> tuple[str, Document]:
        """The event's name and its payload; `before` is the text before an edit, `label` the one just given."""
        event = EVENTS[type(post)]
        pull = isinstance(post, Issue) and post.pull_request
        acted = action or FIRST_ACTIONS.get(event, "created")
        changes = {"changes": {"body": {"from": before}}} if acted == "edited" else {}
        named = {"label": {"name": label}} if label else {}
        who = self._world.user(sender) if sender else post.author
        payload = {"action": acted} | changes | self._subjects(post, pull) | named | self._where(post.repository, who)
        return ("pull_request" if pull else event), payload

    def _subjects(self, post: Post, pull: bool) -> Document:
        documents = self._documents
        match post:
            case Issue():
                shown = documents.pull_request(post) if pull else documents.issue(post)
                return {"pull_request" if pull else "issue": shown}
            case Discussion():
                return {"discussion": documents.discussion(post, len(self._world.below(post)))}
            case IssueComment(issue=above):
                count = len(self._world.below(above))
                return {"issue": documents.issue(above, count), "comment": documents.comment(post)}
            case ReviewComment(pull=above):
                return {"pull_request": documents.pull_request(above), "comment": documents.review_comment(post)}
            case Review(pull=above):
                return {"pull_request": documents.pull_request(above), "review": documents.review(post)}
            case DiscussionComment(discussion=above):
                shown = documents.discussion(above, len(self._world.below(above)))
                return {"discussion": shown, "comment": documents.discussion_comment(post)}
        raise TypeError(type(post).__name__)

    def ping(self) -> tuple[str, Document]:
        app = self._world.app
        config = {"content_type": "json", "insecure_ssl": "0", "url": app.hook_url}
        hook = {"type": "App", "id": 109_948_940, "name": "web", "active": True, "app_id": app.id, "events": ["*"]}
        return "ping", {"zen": "A small step is a step.", "hook_id": hook["id"]} | {"hook": hook | {"config": config}}

    def installation(self, installation: Installation, action: str = "created") -> tuple[str, Document]:
        shown = self._documents.installation(installation, self._world.app)
        repositories = [
            {name: self._documents.repository(each)[name] for name in ("id", "node_id", "name", "full_name", "private")}
            for each in installation.repositories
        ]
        sender = self._documents.user(self._world.user("alice-dev"))
        return "installation", {"action": action, "installation": shown, "repositories": repositories, "sender": sender}

    def push(
        self, repository: Repository, ref: str = "", after: str = "2" * 40, before: str = "1" * 40, **more: Any
    ) -> tuple[str, Document]:
        """A push to the default branch unless a ref is named; an `after` of zeros deletes it."""
        gone = after == "0" * 40
        commit = {"id": after, "message": "x", "added": [], "removed": [], "modified": ["engine/config.py"]}
        author = {"name": "Alice", "email": "alice@example.org"}
        commits = [] if gone else [commit | {"timestamp": BORN, "author": author, "distinct": True}]
        head = {"ref": ref or f"refs/heads/{repository.default_branch}", "before": before, "after": after}
        flags = {"created": before == "0" * 40, "deleted": gone, "forced": False, "base_ref": None}
        about = {"compare": f"{WEB}/{repository.full_name}/compare/1...2", "commits": commits, "pusher": author}
        where = self._where(repository, self._world.user("alice-dev"))
        return "push", head | flags | about | {"head_commit": commits[-1] if commits else None} | where | more

    def release(self, repository: Repository, tag: str, action: str = "published") -> tuple[str, Document]:
        page = f"{WEB}/{repository.full_name}/releases/tag/{tag}"
        release = {"id": self._world.new_id(), "tag_name": tag, "name": tag, "draft": False, "prerelease": False}
        about = {"target_commitish": repository.default_branch, "html_url": page, "body": "", "published_at": BORN}
        where = self._where(repository, self._world.user("alice-dev"))
        return "release", {"action": action, "release": release | about} | where

    def _where(self, repository: Repository, sender: User) -> Document:
        """What every payload about a repository ends with."""
        installation = self._world.installation_of(repository)
        held = {"id": installation.id, "node_id": f"I_{installation.id}"} if installation else None
        shown = {"installation": held} if held else {}
        return {"repository": self._documents.repository(repository), "sender": self._documents.user(sender)} | shown
