"""Routes of issues, their comments, and the comments at lines of pull requests.

https://docs.github.com/rest/issues/comments, https://docs.github.com/rest/pulls/comments
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from fakes.github import problems
from fakes.github.calls import Call, Reply, Routes, paged
from fakes.github.documents import Document
from fakes.github.moments import iso
from fakes.github.people import Level
from fakes.github.posts import Issue, IssueComment, Post, ReviewComment
from fakes.github.problems import BODY_LIMIT, Problem

P = TypeVar("P", bound=Post)
ROUTES = Routes()
HOME = "/repos/{owner}/{name}"
ISSUE, COMMENTS = f"{HOME}/issues/{{number:int}}", f"{HOME}/issues/{{number:int}}/comments"
COMMENT = f"{HOME}/issues/comments/{{id_:int}}"
PULL, REVIEW_COMMENT = f"{HOME}/pulls/{{number:int}}", f"{HOME}/pulls/comments/{{id_:int}}"


def find_issue(call: Call, owner: str, name: str, number: int, level: Level = "read") -> Issue:
    """The issue, when the caller may do this to it; 410 when it was deleted."""
    repository = call.repository(owner, name, "read", "issues", "pull_requests")
    found = call.hub.world.find_subject(Issue, repository, number)
    if found is None:
        raise problems.not_found()
    if found.deleted:
        raise Problem(410, "This issue was deleted")
    call.caller.demand(repository, level, *_permissions(found))
    return found


def find_comment(call: Call, kind: type[P], owner: str, name: str, id_: int, level: Level = "read") -> P:
    """The comment; only its author changes it, or who may write to the repository."""
    permissions = ("pull_requests",) if kind is ReviewComment else ("issues", "pull_requests")
    repository = call.repository(owner, name, level, *permissions)
    found = call.hub.world.find(kind, repository, id_)
    if found is None or found.deleted:
        raise problems.not_found()
    if level != "read" and found.author is not call.caller.user and not _may_write(call, found):
        raise Problem(403, "Must have admin rights to Repository.")
    return found


def _may_write(call: Call, post: Post) -> bool:
    """Whoever shows an installation's token with write access moderates; a person needs to be a collaborator."""
    token = call.caller.token
    person = post.repository.collaborators.get(call.caller.user.login) in ("write", "admin")
    return person or (token is not None and token.installation is not None)


def _permissions(issue: Issue) -> Sequence[str]:
    return ("issues", "pull_requests") if issue.pull_request else ("issues",)


def written(call: Call, resource: str) -> str:
    """The text that the client wants to be written; raises the 422 with which GitHub refuses it."""
    text = call.fields().get("body")
    if not isinstance(text, str) or not text.strip():
        raise problems.missing(resource, "body")
    if len(text) > BODY_LIMIT:
        raise problems.too_long(resource)
    return text


def _unlocked(call: Call, issue: Issue) -> None:
    writes = issue.repository.collaborators.get(call.caller.user.login) in ("write", "admin")
    if issue.locked and not writes:
        raise Problem(403, "Unable to create comment because issue is locked.")


def _since(call: Call, posts: Sequence[P]) -> list[P]:
    return [post for post in posts if iso(post.updated_at) >= call.query.get("since", "")]


@ROUTES.add("GET", ISSUE)
def issue(call: Call, owner: str, name: str, number: int) -> Reply:
    found = find_issue(call, owner, name, number)
    return Reply(200, call.hub.documents.issue(found, len(_comments(call, found))))


@ROUTES.add("GET", PULL)
def pull_request(call: Call, owner: str, name: str, number: int) -> Reply:
    found = find_issue(call, owner, name, number)
    if not found.pull_request:
        raise problems.not_found()
    return Reply(200, call.hub.documents.pull_request(found))


def _comments(call: Call, above: Issue) -> list[IssueComment]:
    return [c for c in call.hub.world.of(IssueComment) if c.issue is above and not c.deleted]


@ROUTES.add("GET", COMMENTS)
def comments(call: Call, owner: str, name: str, number: int) -> Reply:
    found = _since(call, _comments(call, find_issue(call, owner, name, number)))
    return paged(call, found, call.hub.documents.comment)


@ROUTES.add("GET", f"{HOME}/issues/comments")
def all_comments(call: Call, owner: str, name: str) -> Reply:
    repository = call.repository(owner, name, "read", "issues")
    held = [c for c in call.hub.world.of(IssueComment) if c.repository is repository and not c.deleted]
    return paged(call, _since(call, held), call.hub.documents.comment)


@ROUTES.add("POST", COMMENTS)
def create_comment(call: Call, owner: str, name: str, number: int) -> Reply:
    above = find_issue(call, owner, name, number, "write")
    _unlocked(call, above)
    text = written(call, "IssueComment")
    call.hub.limits.count_content()
    made = call.hub.world.comment(above, text, call.caller.user.login)
    return _created(call, made, call.hub.documents.comment(made))


def _created(call: Call, made: Post, document: Document) -> Reply:
    call.hub.world.did("created", made, made.author, made.body or "")
    return Reply(201, document, {"Location": str(document["url"])})


@ROUTES.add("GET", COMMENT)
def comment(call: Call, owner: str, name: str, id_: int) -> Reply:
    return Reply(200, call.hub.documents.comment(find_comment(call, IssueComment, owner, name, id_)))


@ROUTES.add("PATCH", COMMENT)
def edit_comment(call: Call, owner: str, name: str, id_: int) -> Reply:
    found = find_comment(call, IssueComment, owner, name, id_, "write")
    call.hub.world.edit(found, written(call, "IssueComment"), call.caller.user)
    return Reply(200, call.hub.documents.comment(found))


@ROUTES.add("DELETE", COMMENT)
def delete_comment(call: Call, owner: str, name: str, id_: int) -> Reply:
    call.hub.world.delete(find_comment(call, IssueComment, owner, name, id_, "write"), call.caller.user)
    return Reply(204)


@ROUTES.add("GET", f"{PULL}/comments")
def review_comments(call: Call, owner: str, name: str, number: int) -> Reply:
    above = find_issue(call, owner, name, number)
    held = [c for c in call.hub.world.of(ReviewComment) if c.pull is above and not c.deleted]
    return paged(call, _since(call, held), call.hub.documents.review_comment)


@ROUTES.add("POST", f"{PULL}/comments/{{id_:int}}/replies")
def reply_to_review_comment(call: Call, owner: str, name: str, number: int, id_: int) -> Reply:
    """A reply stands in the thread of the first comment; GitHub takes no reply to a reply."""
    above = find_issue(call, owner, name, number)
    repository = call.repository(owner, name, "write", "pull_requests")
    first = call.hub.world.find(ReviewComment, repository, id_)
    if first is None or first.deleted or first.pull is not above:
        raise problems.not_found()
    if first.in_reply_to:
        raise Problem(422, "Validation Failed", errors=[{"resource": "PullRequestReviewComment", "code": "invalid"}])
    _unlocked(call, above)
    text = written(call, "PullRequestReviewComment")
    call.hub.limits.count_content()
    place = {"path": first.path, "line": first.line, "diff_hunk": first.diff_hunk, "commit_id": first.commit_id}
    made = call.hub.world.review_comment(above, text, call.caller.user.login, in_reply_to=first, **place)
    return _created(call, made, call.hub.documents.review_comment(made))


@ROUTES.add("GET", REVIEW_COMMENT)
def review_comment(call: Call, owner: str, name: str, id_: int) -> Reply:
    return Reply(200, call.hub.documents.review_comment(find_comment(call, ReviewComment, owner, name, id_)))


@ROUTES.add("PATCH", REVIEW_COMMENT)
def edit_review_comment(call: Call, owner: str, name: str, id_: int) -> Reply:
    found = find_comment(call, ReviewComment, owner, name, id_, "write")
    call.hub.world.edit(found, written(call, "PullRequestReviewComment"), call.caller.user)
    return Reply(200, call.hub.documents.review_comment(found))


@ROUTES.add("DELETE", REVIEW_COMMENT)
def delete_review_comment(call: Call, owner: str, name: str, id_: int) -> Reply:
    call.hub.world.delete(find_comment(call, ReviewComment, owner, name, id_, "write"), call.caller.user)
    return Reply(204)
