"""What GraphQL's objects hold: mappings whose values are looked up when a query asks for them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from typing import Any

from fakes.github.calls import Call
from fakes.github.documents import WEB, Document
from fakes.github.moments import iso
from fakes.github.people import Repository, User
from fakes.github.posts import (
    Discussion,
    DiscussionComment,
    Issue,
    IssueComment,
    Post,
    Reaction,
    Review,
    ReviewComment,
    Subject,
)
from fakes.github.problems import GraphProblem

CONTENTS = {
    "+1": "THUMBS_UP",
    "-1": "THUMBS_DOWN",
    "laugh": "LAUGH",
    "hooray": "HOORAY",
    "confused": "CONFUSED",
    "heart": "HEART",
    "rocket": "ROCKET",
    "eyes": "EYES",
}
NODES_MAX = 100


class Nodes:
    """The objects as one caller sees them."""

    def __init__(self, call: Call) -> None:
        self.call, self.world = call, call.hub.world

    def actor(self, user: User) -> Document:
        """An account. The login of a bot has no `[bot]` here, unlike in REST."""
        login = user.login.removesuffix("[bot]")
        page = self.call.hub.documents.page(user)
        about = {"login": login, "url": page, "resourcePath": page.removeprefix(WEB), "avatarUrl": f"{WEB}/{login}.png"}
        return {"__typename": user.type, "id": user.node_id, "databaseId": user.id, "name": None} | about

    def viewer(self) -> Document:
        user = self.call.caller.user
        return self.actor(user) | {"__typename": "User", "login": user.login}

    def repository(self, repository: Repository) -> Document:
        def numbered(kind: type[Any], word: str, pulls: bool | None = None) -> Callable[..., Document]:
            def found(_: object, number: int) -> Document:
                post = self.world.find_subject(kind, repository, number)
                if post is None or post.deleted or (pulls is not None and post.pull_request is not pulls):
                    raise GraphProblem("NOT_FOUND", f"Could not resolve to {word} with the number of {number}.")
                return self.post(post)

            return found

        def listed(kind: type[Any], pulls: bool | None = None) -> Callable[..., Document]:
            posts = [p for p in self.world.of(kind) if p.repository is repository and not p.deleted]
            chosen = [p for p in posts if pulls is None or p.pull_request is pulls]
            return self.connection(chosen, self.post)

        return {
            "__typename": "Repository",
            "id": repository.node_id,
            "databaseId": repository.id,
            "name": repository.name,
            "nameWithOwner": repository.full_name,
            "isPrivate": repository.private,
            "hasDiscussionsEnabled": True,
            "url": f"{WEB}/{repository.full_name}",
            "discussion": numbered(Discussion, "a Discussion"),
            "discussions": lambda *_, **pages: listed(Discussion)(None, **pages),
            "issue": numbered(Issue, "an Issue", False),
            "issues": lambda *_, **pages: listed(Issue, False)(None, **pages),
            "pullRequest": numbered(Issue, "a PullRequest", True),
            "issueOrPullRequest": numbered(Issue, "an issue or pull request"),
        }

    def post(self, post: Post) -> Document:
        match post:
            case Issue():
                more = self._issue(post)
            case Discussion():
                more = self._discussion(post)
            case IssueComment():
                more = self._issue_comment(post)
            case ReviewComment():
                more = self._review_comment(post)
            case DiscussionComment():
                more = self._discussion_comment(post)
            case Review():
                more = self._review(post)
            case _:
                raise TypeError(type(post).__name__)
        return self._text(post) | more

    def _text(self, post: Post) -> Document:
        edited = iso(post.updated_at) if post.updated_at > post.created_at else None
        return {
            "id": post.node_id,
            "databaseId": post.id,
            "fullDatabaseId": str(post.id),
            "author": lambda _: self.actor(post.author),
            "authorAssociation": post.association,
            "body": post.body or "",
            "bodyText": post.body or "",
            "createdAt": iso(post.created_at),
            "updatedAt": iso(post.updated_at),
            "lastEditedAt": edited,
            "viewerDidAuthor": self.call.caller.token is not None and post.author is self.call.caller.user,
            "viewerCanReact": True,
            "viewerCanMinimize": True,
            "isMinimized": post.minimized is not None,
            "minimizedReason": post.minimized,
            "reactions": self._reactions(post),
        }

    def _reactions(self, post: Post) -> Callable[..., Document]:
        def found(info: object, content: str | None = None, **pages: Any) -> Document:
            chosen = [each for each in post.reactions if content in (None, CONTENTS[each.content])]
            return self.connection(chosen, self.reaction)(info, **pages)

        return found

    def reaction(self, reaction: Reaction) -> Document:
        about = {"content": CONTENTS[reaction.content], "createdAt": iso(reaction.created_at)}
        user = self.actor(reaction.user) | {"__typename": "User"}
        return {"__typename": "Reaction", "id": f"REA_{reaction.id}", "databaseId": reaction.id, "user": user} | about

    def _subject(self, subject: Subject, page: str) -> Document:
        labels = [{"id": f"LA_{name}", "name": name, "description": None, "color": "ededed"} for name in subject.labels]
        return {
            "number": subject.number,
            "title": subject.title,
            "locked": subject.locked,
            "closed": subject.state != "open",
            "state": subject.state.upper(),
            "url": f"{WEB}/{subject.repository.full_name}/{page}/{subject.number}",
            "repository": lambda _: self.repository(subject.repository),
            "labels": self.connection(labels, lambda label: label),
        }

    def _issue(self, issue: Issue) -> Document:
        kind, page = ("PullRequest", "pull") if issue.pull_request else ("Issue", "issues")
        held = [c for c in self.world.of(IssueComment) if c.issue is issue and not c.deleted]
        firsts = [c for c in self.world.of(ReviewComment) if c.pull is issue and not c.in_reply_to and not c.deleted]
        return self._subject(issue, page) | {
            "__typename": kind,
            "comments": self.connection(held, self.post),
            "reviewThreads": self.connection(firsts, self.thread),
        }

    def _discussion(self, discussion: Discussion) -> Document:
        above = [c for c in self._comments(discussion) if c.reply_to is None]
        category = {"id": "DIC_1", "name": discussion.category, "slug": "q-a", "isAnswerable": True}
        return self._subject(discussion, "discussions") | {
            "__typename": "Discussion",
            "answer": lambda _: self.post(discussion.answer) if discussion.answer else None,
            "isAnswered": discussion.answer is not None,
            "category": category,
            "comments": self.connection(above, self.post),
        }

    def _comments(self, discussion: Discussion) -> list[DiscussionComment]:
        return [c for c in self.world.of(DiscussionComment) if c.discussion is discussion and not c.deleted]

    def _issue_comment(self, comment: IssueComment) -> Document:
        above = self.call.hub.documents.comment(comment)["html_url"]
        pull = (lambda _: self.post(comment.issue)) if comment.issue.pull_request else None
        return {"__typename": "IssueComment", "url": above, "pullRequest": pull} | {
            "issue": lambda _: self.post(comment.issue)
        }

    def _review_comment(self, comment: ReviewComment) -> Document:
        lines = {"path": comment.path, "line": comment.line, "startLine": comment.start_line}
        return lines | {
            "__typename": "PullRequestReviewComment",
            "url": self.call.hub.documents.review_comment(comment)["html_url"],
            "diffHunk": comment.diff_hunk,
            "pullRequest": lambda _: self.post(comment.pull),
            "replyTo": lambda _: self.post(comment.in_reply_to) if comment.in_reply_to else None,
        }

    def _review(self, review: Review) -> Document:
        page = self.call.hub.documents.review(review)["html_url"]
        return {"__typename": "PullRequestReview", "url": page, "pullRequest": lambda _: self.post(review.pull)}

    def thread(self, first: ReviewComment) -> Document:
        """The thread of review comments that this one begins."""
        held = [c for c in self.world.of(ReviewComment) if first in (c, c.in_reply_to) and not c.deleted]
        about = {"isResolved": False, "path": first.path, "line": first.line}
        return (
            {"__typename": "PullRequestReviewThread", "id": f"PRRT_{first.id}"}
            | about
            | {
                "pullRequest": lambda _: self.post(first.pull),
                "comments": self.connection(held, self.post),
            }
        )

    def _discussion_comment(self, comment: DiscussionComment) -> Document:
        below = [c for c in self._comments(comment.discussion) if c.reply_to is comment]
        return {
            "__typename": "DiscussionComment",
            "url": self.call.hub.documents.discussion_comment(comment)["html_url"],
            "discussion": lambda _: self.post(comment.discussion),
            "isAnswer": comment.discussion.answer is comment,
            "replyTo": lambda _: self.post(comment.reply_to) if comment.reply_to else None,
            "replies": self.connection(below, self.post),
        }

    def connection(self, items: Sequence[Any], node: Callable[[Any], Document]) -> Callable[..., Document]:
        """A page of the items by `first` and `after`, or `last` and `before`; GitHub wants one of them, 100 at most."""

        def page(
            _: object,
            first: int | None = None,
            last: int | None = None,
            after: str | None = None,
            before: str | None = None,
        ) -> Document:
            size = first if first is not None else last
            if size is None:
                raise GraphProblem("MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value.")
            if not 0 <= size <= NODES_MAX:
                raise GraphProblem("EXCESSIVE_PAGINATION", f"Requesting {size} records exceeds the limit of 100.")
            start, end = _place(after, 0), _place(before, len(items) + 1) - 1
            if first is not None:
                end = min(end, start + first)
            else:
                start = max(start, end - size)
            edges = [{"cursor": _cursor(n + 1), "node": node(items[n])} for n in range(start, max(end, start))]
            pages = {
                "startCursor": edges[0]["cursor"] if edges else None,
                "endCursor": edges[-1]["cursor"] if edges else None,
                "hasNextPage": end < len(items),
                "hasPreviousPage": start > 0,
            }
            nodes = [edge["node"] for edge in edges]
            return {"nodes": nodes, "edges": edges, "pageInfo": pages, "totalCount": len(items)}

        return page


def _cursor(place: int) -> str:
    return b64encode(f"cursor:v2:{place}".encode()).decode()


def _place(cursor: str | None, otherwise: int) -> int:
    if cursor is None:
        return otherwise
    try:
        return int(b64decode(cursor).decode().rpartition(":")[2])
    except ValueError as error:
        raise GraphProblem("INVALID_CURSOR_ARGUMENTS", f"`{cursor}` does not appear to be a valid cursor.") from error
