"""What people write on the fake: issues, pull requests and discussions, and the comments below them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from fakes.github.people import Repository, User

HUNK = "@@ -1,3 +1,4 @@\n class CacheConfig:\n-    block_size: int = 8\n+    block_size: int = 16\n     swap: int = 4"


@dataclass(eq=False, slots=True)
class Reaction:
    id: int
    content: str
    """as REST names it: +1 -1 laugh confused heart hooray rocket eyes"""
    user: User
    created_at: float = field(default_factory=time.time)


@dataclass(eq=False, slots=True, kw_only=True)
class Post:
    """A text that somebody wrote, with what GitHub keeps about each of them; times in epoch seconds."""

    id: int
    node_id: str
    author: User
    body: str | None = ""
    association: str = "NONE"
    created_at: float = field(default_factory=time.time)
    updated_at: float = field(default_factory=time.time)
    reactions: list[Reaction] = field(default_factory=list)
    minimized: str | None = None
    """the reason for which it is hidden"""
    deleted: bool = False

    @property
    def repository(self) -> Repository:
        raise NotImplementedError


@dataclass(eq=False, slots=True, kw_only=True)
class Subject(Post):
    """What has a number and comments below it. `labels` are names."""

    home: Repository
    number: int
    title: str
    labels: list[str] = field(default_factory=list)
    state: str = "open"
    locked: bool = False

    @property
    def repository(self) -> Repository:
        return self.home


@dataclass(eq=False, slots=True, kw_only=True)
class Issue(Subject):
    """An issue, or the conversation of a pull request."""

    pull_request: bool = False


@dataclass(eq=False, slots=True, kw_only=True)
class Discussion(Subject):
    category: str = "Q&A"
    answer: DiscussionComment | None = None


@dataclass(eq=False, slots=True, kw_only=True)
class IssueComment(Post):
    issue: Issue

    @property
    def repository(self) -> Repository:
        return self.issue.repository


@dataclass(eq=False, slots=True, kw_only=True)
class Review(Post):
    """The summary of a review of a pull request. It has no reactions, and is answered in the conversation."""

    pull: Issue

    @property
    def repository(self) -> Repository:
        return self.pull.repository


@dataclass(eq=False, slots=True, kw_only=True)
class ReviewComment(Post):
    """A comment at lines of a pull request; `in_reply_to` is the first of its thread."""

    pull: Issue
    path: str = "engine/config.py"
    line: int | None = 10
    start_line: int | None = None
    diff_hunk: str = HUNK
    commit_id: str = "c" * 40
    in_reply_to: ReviewComment | None = None

    @property
    def repository(self) -> Repository:
        return self.pull.repository


@dataclass(eq=False, slots=True, kw_only=True)
class DiscussionComment(Post):
    """`reply_to` is the top comment of its thread; GitHub nests no deeper."""

    discussion: Discussion
    reply_to: DiscussionComment | None = None

    @property
    def repository(self) -> Repository:
        return self.discussion.repository


def subject(post: Post) -> Subject:
    """What the text stands below, or is itself."""
    match post:
        case IssueComment(issue=above) | ReviewComment(pull=above) | Review(pull=above):
            return above
        case DiscussionComment(discussion=discussion):
            return discussion
        case Subject():
            return post
    raise TypeError(f"{type(post).__name__} stands nowhere")
