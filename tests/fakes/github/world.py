"""Everything the fake remembers: who there is, what they wrote, and each change in its order."""

from __future__ import annotations

import itertools
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from fakes.github.people import App, Installation, Level, Repository, Token, User
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
    subject,
)

P = TypeVar("P", bound=Post)
Deed = Literal["created", "edited", "deleted", "minimized", "reacted", "unreacted"]
PREFIXES = {
    Issue: "I",
    Discussion: "D",
    IssueComment: "IC",
    Review: "PRR",
    ReviewComment: "PRRC",
    DiscussionComment: "DC",
}


@dataclass(frozen=True, slots=True)
class Change:
    """Something that a client did through the API; `body` is the text after it, or the reaction's content."""

    deed: Deed
    post: Post
    by: User
    body: str = ""
    at: float = field(default_factory=time.monotonic)


class World:
    """The state behind the fake. Whoever changes more than one thing, or reads while it serves, holds `lock`."""

    def __init__(self, app: App) -> None:
        self.lock = threading.RLock()
        self.app = app
        self.users: dict[str, User] = {}
        self.repositories: dict[str, Repository] = {}
        self.installations: dict[int, Installation] = {}
        self.tokens: dict[str, Token] = {}
        self.posts: list[Post] = []
        self.changes: list[Change] = []
        self.manifests: dict[str, dict[str, Any]] = {}
        self._ids = itertools.count(9_000_001)
        self._numbers = itertools.count(101)
        for user in (app.owner, app.bot):
            self.users[user.login] = user

    # Who there is.

    def user(self, login: str, type_: Literal["User", "Organization", "Bot"] | None = None) -> User:
        """The account of that name, made when there is none."""
        with self.lock:
            if login not in self.users:
                self.users[login] = User(login, self.new_id(), type_ or ("Bot" if login.endswith("[bot]") else "User"))
            return self.users[login]

    def repository(self, full_name: str, **more: Any) -> Repository:
        """The repository of that name, made when there is none (`more` are fields of a new one)."""
        with self.lock:
            if found := self.find_repository(full_name):
                return found
            owner, name = full_name.split("/")
            made = Repository(more.pop("id", 0) or self.new_id(), self.user(owner, "Organization"), name, **more)
            self.repositories[full_name.lower()] = made
            return made

    def find_repository(self, full_name: str) -> Repository | None:
        return self.repositories.get(full_name.lower())

    def install(self, id_: int, *repositories: Repository) -> Installation:
        """The App on the account that owns these repositories."""
        with self.lock:
            account = repositories[0].owner
            installation = self.installations.setdefault(id_, Installation(id_, account))
            installation.repositories += [each for each in repositories if each not in installation.repositories]
            return installation

    def installation_of(self, repository: Repository) -> Installation | None:
        return next((each for each in self.installations.values() if repository in each.repositories), None)

    # Tokens.

    def installation_token(
        self, installation: Installation, permissions: dict[str, Level], repositories: Sequence[Repository]
    ) -> Token:
        expires_at = time.time() + installation.token_lifetime_s
        value = f"ghs_{secrets.token_hex(18)}"
        return self.add_token(Token(value, self.app.bot, permissions, list(repositories), installation, expires_at))

    def personal_token(self, login: str, *repositories: Repository, prefix: str = "ghp_") -> Token:
        """A token of a person (or of a bot's account), which may do what the person may on these repositories."""
        everything: dict[str, Level] = dict.fromkeys(self.app.permissions, "write")
        value = f"{prefix}{secrets.token_hex(18)}"
        return self.add_token(Token(value, self.user(login), everything, list(repositories)))

    def add_token(self, token: Token) -> Token:
        with self.lock:
            self.tokens[token.value] = token
            return token

    # What they wrote.

    def issue(self, title: str, body: str | None = "", author: str = "alice-dev", **more: Any) -> Issue:
        return self._subject(Issue, title, body, author, more)

    def discussion(self, title: str, body: str | None = "", author: str = "alice-dev", **more: Any) -> Discussion:
        return self._subject(Discussion, title, body, author, more)

    def comment(self, issue: Issue, body: str, author: str = "alice-dev", **more: Any) -> IssueComment:
        return self._add(IssueComment, body, author, {"issue": issue, **more})

    def review_comment(self, pull: Issue, body: str, author: str = "alice-dev", **more: Any) -> ReviewComment:
        return self._add(ReviewComment, body, author, {"pull": pull, **more})

    def review(self, pull: Issue, body: str, author: str = "alice-dev", **more: Any) -> Review:
        return self._add(Review, body, author, {"pull": pull, **more})

    def discussion_comment(
        self, discussion: Discussion, body: str, author: str = "alice-dev", **more: Any
    ) -> DiscussionComment:
        return self._add(DiscussionComment, body, author, {"discussion": discussion, **more})

    def _subject(self, kind: type[P], title: str, body: str | None, author: str, more: dict[str, Any]) -> P:
        home = more.pop("home", None) or next(iter(self.repositories.values()))
        number = more.pop("number", None) or next(self._numbers)
        return self._add(kind, body, author, {"home": home, "number": number, "title": title, **more})

    def _add(self, kind: type[P], body: str | None, author: str, more: dict[str, Any]) -> P:
        with self.lock:
            id_ = more.pop("id", None) or self.new_id()
            node_id = more.pop("node_id", None) or f"{PREFIXES[kind]}_{id_}"
            post = kind(id=id_, node_id=node_id, author=self.user(author), body=body, **more)
            self.posts.append(post)
            return post

    # What is looked up.

    def find(self, kind: type[P], repository: Repository, id_: int) -> P | None:
        """The text of this kind with this database id, deleted or not."""
        return next((p for p in self.of(kind) if p.id == id_ and p.repository is repository), None)

    def find_subject(self, kind: type[P], repository: Repository, number: int) -> P | None:
        found = (p for p in self.of(kind) if isinstance(p, Subject) and p.number == number)
        return next((p for p in found if p.repository is repository), None)

    def find_node(self, node_id: str) -> Post | None:
        return next((p for p in self.posts if p.node_id == node_id and not p.deleted), None)

    def of(self, kind: type[P]) -> Iterator[P]:
        """Every text of the kind, in the order in which they were written."""
        return (post for post in list(self.posts) if isinstance(post, kind))

    def below(self, above: Subject) -> list[Post]:
        """The comments that stand below it and were not deleted."""
        posts = [p for p in list(self.posts) if not isinstance(p, Subject) and not p.deleted]
        return [post for post in posts if subject(post) is above]

    # What clients do.

    def did(self, deed: Deed, post: Post, by: User, body: str = "") -> None:
        self.changes.append(Change(deed, post, by, body))

    def edit(self, post: Post, body: str, by: User) -> None:
        post.body, post.updated_at = body, time.time()
        self.did("edited", post, by, body)

    def delete(self, post: Post, by: User) -> None:
        post.deleted = True
        self.did("deleted", post, by)

    def react(self, post: Post, content: str, by: User) -> tuple[Reaction, bool]:
        """The reaction, and whether it is new: each account has one of a kind on a text."""
        held = next((r for r in post.reactions if r.content == content and r.user is by), None)
        if held:
            return held, False
        reaction = Reaction(self.new_id(), content, by)
        post.reactions.append(reaction)
        self.did("reacted", post, by, content)
        return reaction, True

    def unreact(self, post: Post, reaction: Reaction) -> None:
        post.reactions.remove(reaction)
        self.did("unreacted", post, reaction.user, reaction.content)

    def done(self, deed: Deed, by: User | None = None) -> list[Change]:
        """What clients did of this kind, by the App's bot unless somebody else is named."""
        with self.lock:
            return [change for change in self.changes if change.deed == deed and change.by is (by or self.app.bot)]

    def new_id(self) -> int:
        return next(self._ids)
