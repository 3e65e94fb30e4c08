"""A payload that somebody wrote by hand becomes part of the state: what it tells of is then there to be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fakes.github.people import Repository, User
from fakes.github.posts import Discussion, DiscussionComment, Issue, IssueComment, Post, Review, ReviewComment, Subject
from fakes.github.world import World

Payload = Mapping[str, Any]


def adopt(world: World, payload: Payload) -> None:
    """Make the state what the payload says that it is; what it leaves out stays as it was."""
    with world.lock:
        if payload.get("repository"):
            repository = _repository(world, payload)
            for name, kind in (("issue", Issue), ("pull_request", Issue), ("discussion", Discussion)):
                if payload.get(name):
                    _subject(world, repository, payload, name, kind)


def _repository(world: World, payload: Payload) -> Repository:
    told = payload["repository"]
    if told.get("owner"):
        _user(world, told["owner"])
    fields = {name: told[name] for name in ("id", "node_id", "private", "default_branch") if name in told}
    repository = world.repository(told["full_name"], **fields)
    if installation := payload.get("installation"):
        world.install(installation["id"], repository)
    return repository


def _user(world: World, told: Payload | None) -> str:
    """The login, of an account that is there now; a deleted account is a ghost, as on GitHub."""
    if told is None:
        return world.user("ghost").login
    login = told["login"]
    kind = told.get("type", "User")
    user = world.users.setdefault(login, User(login, told.get("id") or world.new_id(), kind, told.get("node_id", "")))
    return user.login


def _subject(world: World, repository: Repository, payload: Payload, name: str, kind: type[Issue | Discussion]) -> None:
    told = payload[name]
    found = world.find_subject(kind, repository, told["number"])
    if found is None:
        make = world.issue if kind is Issue else world.discussion
        found = make(
            told.get("title") or "", told.get("body"), _user(world, told.get("user")), home=repository, **_ids(told)
        )
    found.title, found.body = told.get("title") or found.title, told.get("body")
    found.locked, found.state = told.get("locked", False), told.get("state", "open")
    found.labels = [label["name"] for label in told.get("labels") or ()]
    if isinstance(found, Issue):
        found.pull_request = name == "pull_request" or told.get("pull_request") is not None
    _settle(found, told, "comment" not in payload and payload.get("action") == "deleted")
    if payload.get("comment"):
        _comment(world, found, payload, name)
    if payload.get("review") and isinstance(found, Issue):
        _review(world, found, payload["review"])


def _ids(told: Payload) -> dict[str, Any]:
    wanted = ("id", "node_id", "number")
    return {name: told[name] for name in wanted if told.get(name) is not None}


def _comment(world: World, above: Subject, payload: Payload, name: str) -> None:
    told = payload["comment"]
    author, ids = _user(world, told.get("user")), {k: v for k, v in _ids(told).items() if k != "number"}
    found = next((post for post in world.posts if _is(post, above, told["id"])), None)
    if found is None and isinstance(above, Discussion):
        above_comment = _parent(world, above, told.get("parent_id"))
        found = world.discussion_comment(above, told.get("body") or "", author, reply_to=above_comment, **ids)
    elif found is None and isinstance(above, Issue):
        review = name == "pull_request"
        place = {k: told[k] for k in ("path", "line", "start_line", "diff_hunk", "commit_id") if k in told}
        thread = {"in_reply_to": _first(world, above, told.get("in_reply_to_id"))} if review else {}
        make = world.review_comment if review else world.comment
        found = make(above, told.get("body") or "", author, **ids, **(place | thread if review else {}))
    if found is not None:
        found.body = told.get("body") or ""
        _settle(found, told, payload.get("action") == "deleted")


def _review(world: World, above: Issue, told: Payload) -> None:
    ids = {name: told[name] for name in ("id", "node_id") if name in told}
    found = world.find(Review, above.repository, told["id"])
    found = found or world.review(above, "", _user(world, told.get("user")), **ids)
    found.body = told.get("body") or ""


def _is(post: Post, above: Subject, id_: int) -> bool:
    match post:
        case IssueComment(issue=held) | ReviewComment(pull=held) | DiscussionComment(discussion=held):
            return held is above and post.id == id_
    return False


def _parent(world: World, above: Discussion, id_: int | None) -> DiscussionComment | None:
    """The top comment of a thread, made where only its id is told."""
    if not id_:
        return None
    found = next((c for c in world.of(DiscussionComment) if c.discussion is above and c.id == id_), None)
    return found or world.discussion_comment(above, "What does the setting mean?", above.author.login, id=id_)


def _first(world: World, above: Issue, id_: int | None) -> ReviewComment | None:
    if not id_:
        return None
    found = next((c for c in world.of(ReviewComment) if c.pull is above and c.id == id_), None)
    return found or world.review_comment(above, "Please look at this line.", above.author.login, id=id_)


def _settle(post: Post, told: Payload, deleted: bool) -> None:
    post.association = told.get("author_association", post.association)
    post.deleted = deleted
