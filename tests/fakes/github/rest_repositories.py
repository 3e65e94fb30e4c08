"""Routes of accounts and repositories, and of reactions to what people wrote.

https://docs.github.com/rest/reactions/reactions
"""

from __future__ import annotations

from fakes.github import problems
from fakes.github.calls import Call, Reply, Routes, paged
from fakes.github.documents import BORN, CONTENTS, Document
from fakes.github.people import Level
from fakes.github.posts import Issue, IssueComment, Post, ReviewComment
from fakes.github.problems import Problem
from fakes.github.rest_posts import COMMENT, HOME, ISSUE, REVIEW_COMMENT, find_issue

ROUTES = Routes()


@ROUTES.add("GET", "/user")
def user(call: Call) -> Reply:
    asking = call.caller
    if asking.token and asking.token.installation:
        raise problems.not_accessible()
    return Reply(200, call.hub.documents.account(asking.user))


@ROUTES.add("GET", "/users/{login}")
def account(call: Call, login: str) -> Reply:
    found = call.hub.world.users.get(login)
    if found is None:
        raise problems.not_found()
    return Reply(200, call.hub.documents.account(found))


@ROUTES.add("GET", "/rate_limit")
def rate_limit(call: Call) -> Reply:
    return Reply(200, call.hub.limits.document)


@ROUTES.add("GET", "/meta")
def meta(call: Call) -> Reply:
    return Reply(200, {"verifiable_password_authentication": False})


@ROUTES.add("GET", "/installation/repositories")
def installation_repositories(call: Call) -> Reply:
    token = call.caller.token
    if token is None or token.installation is None:
        raise Problem(403, "You must authenticate with an installation access token in order to list repositories.")
    page = paged(call, token.repositories, call.hub.documents.repository)
    about = {"total_count": len(token.repositories), "repository_selection": "selected"}
    return Reply(200, about | {"repositories": page.document}, page.headers)


@ROUTES.add("GET", HOME)
def repository(call: Call, owner: str, name: str) -> Reply:
    found = call.repository(owner, name, "read", "metadata")
    held = found.collaborators.get(call.caller.user.login, "none") if call.caller.token else "none"
    rights = {"admin": held == "admin", "push": held in ("admin", "write"), "pull": True}
    shown = {"permissions": rights} if call.caller.token else {}
    return Reply(200, call.hub.documents.repository(found) | shown)


@ROUTES.add("GET", f"{HOME}/hooks")
def hooks(call: Call, owner: str, name: str) -> Reply:
    """The repository's own webhooks; only who administers it sees them."""
    found = call.repository(owner, name, "read", "metadata")
    token = call.caller.token
    if token is None or not (token.allows("repository_hooks") or _administers(call, owner, name)):
        raise problems.not_accessible() if token and token.installation else problems.not_found()
    return paged(call, list(enumerate(found.hooks, start=1)), lambda hook: _hook(call, *hook))


def _administers(call: Call, owner: str, name: str) -> bool:
    found = call.hub.world.find_repository(f"{owner}/{name}")
    return found is not None and found.collaborators.get(call.caller.user.login) == "admin"


def _hook(call: Call, number: int, address: str) -> Document:
    url = f"{call.hub.documents.api}{call.path}/{number}"
    config = {"url": address, "content_type": "json", "insecure_ssl": "0", "secret": "********"}
    said = {"code": 200, "status": "active", "message": "OK"}
    head = {"type": "Repository", "id": number, "name": "web", "active": True, "events": ["*"], "config": config}
    links = {"url": url, "test_url": f"{url}/test", "ping_url": f"{url}/pings"}
    return head | links | {"last_response": said, "created_at": BORN, "updated_at": BORN}


@ROUTES.add("GET", f"{HOME}/collaborators/{{login}}/permission")
def permission(call: Call, owner: str, name: str, login: str) -> Reply:
    found = call.repository(owner, name, "read", "metadata")
    if call.caller.token is None:
        raise problems.needs_credentials()
    who = call.hub.world.users.get(login)
    if who is None:
        raise Problem(404, f"{login} is not a user")
    held = found.collaborators.get(login, "none" if found.private else "read")
    shown = call.hub.documents.user(who) | {"role_name": held}
    return Reply(200, {"permission": held, "role_name": held, "user": shown})


def _subject(call: Call, kind: type[Post], owner: str, name: str, id_: int, level: Level = "read") -> Post:
    """What is reacted to."""
    if kind is Issue:
        return find_issue(call, owner, name, id_, level)
    permissions = ("pull_requests",) if kind is ReviewComment else ("issues", "pull_requests")
    repository = call.repository(owner, name, level, *permissions)
    found = call.hub.world.find(kind, repository, id_)
    if found is None or found.deleted:
        raise problems.not_found()
    return found


def _add_reactions(path: str, kind: type[Post], place: str) -> None:
    """The three routes of reactions below one kind of text."""

    @ROUTES.add("GET", f"{path}/reactions")
    def reactions(call: Call, owner: str, name: str, **places: int) -> Reply:
        post, wanted = _subject(call, kind, owner, name, places[place]), call.query.get("content")
        chosen = [reaction for reaction in post.reactions if wanted in (None, "", reaction.content)]
        return paged(call, chosen, call.hub.documents.reaction)

    @ROUTES.add("POST", f"{path}/reactions")
    def react(call: Call, owner: str, name: str, **places: int) -> Reply:
        post, content = _subject(call, kind, owner, name, places[place], "write"), call.fields().get("content")
        if content not in CONTENTS:
            raise problems.missing("Reaction", "content")
        reaction, new = call.hub.world.react(post, content, call.caller.user)
        return Reply(201 if new else 200, call.hub.documents.reaction(reaction))

    @ROUTES.add("DELETE", f"{path}/reactions/{{reaction:int}}")
    def unreact(call: Call, owner: str, name: str, reaction: int, **places: int) -> Reply:
        post = _subject(call, kind, owner, name, places[place], "write")
        held = next((r for r in post.reactions if r.id == reaction), None)
        if held is None:
            raise problems.not_found()
        if held.user is not call.caller.user:
            raise problems.not_accessible()
        call.hub.world.unreact(post, held)
        return Reply(204)


_add_reactions(ISSUE, Issue, "number")
_add_reactions(COMMENT, IssueComment, "id_")
_add_reactions(REVIEW_COMMENT, ReviewComment, "id_")
