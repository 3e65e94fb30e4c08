"""The only module that speaks to GitHub, through githubkit: what we read there, and what we write.

githubkit signs as the App, gets and renews installation tokens, and knows Enterprise's GraphQL address. Responses are
read as plain JSON, since we need few fields of them; waiting and trying again is the job's, which outlives a crash.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any, Final, Literal
from urllib.parse import quote

from githubkit import AppAuthStrategy, GitHub, TokenAuthStrategy, UnauthAuthStrategy
from githubkit.cache import MemCacheStrategy
from githubkit.exception import GitHubException, GraphQLFailed, RequestError, RequestFailed, RequestTimeout

from bot.adapters.github import queries, threads
from bot.adapters.github.failures import SECONDARY_WAIT_S, GitHubError, refused
from bot.adapters.github.types import Place, Text, Thread
from bot.history import Vote

Json = Mapping[str, Any]
Reaction = Literal["eyes", "heart"]

TIMEOUT_S: Final = 20.0
PAGE: Final = 100
MOST_PAGES: Final = 10

_GRAPHQL_REACTIONS: Final[Mapping[Reaction, str]] = {"eyes": "EYES", "heart": "HEART"}
_FOREIGN: Final = "What answered is not GitHub's API, but perhaps some proxy."
_VOTES: Final[Mapping[str, Vote]] = {"THUMBS_UP": "up", "THUMBS_DOWN": "down"}


@dataclass(frozen=True, slots=True)
class Credentials:
    """An App (`app_id` and its private key, PEM) or a token; `url` is the API's address."""

    url: str
    app_id: str | None = None
    private_key: str | None = None
    token: str | None = None


class Client:
    """GitHub as we use it. Every method raises GitHubError."""

    def __init__(self, credentials: Credentials, clock: Callable[[], float] = time.monotonic) -> None:
        self._credentials = credentials
        self._clock = clock  # seconds; for how long to keep still
        self._options: dict[str, Any] = {
            "base_url": credentials.url,
            "timeout": TIMEOUT_S,
            "auto_retry": False,
            "http_cache": False,
            "user_agent": "RepoPilot",
            "ssl_verify": ssl.create_default_context(),  # costs 20 ms, so once
        }
        self._hubs: dict[int | None, GitHub[Any]] = {}
        self._installations: dict[str, int] = {}
        self._pauses: dict[int | None, float] = {}
        self._login: str | None = None

    # Reading

    async def own_login(self) -> str:
        """Our account's name as texts show it: `slug[bot]`, or the token's user."""
        if self._login is None:
            if self._credentials.app_id:
                self._login = f"{(await self._send(None, 'GET', '/app'))['slug']}[bot]"
            else:
                self._login = await self.viewer()
        return self._login

    async def thread(self, text: Text) -> Thread:
        """The thread that a text stands in, up to it."""
        login = await self.own_login()
        if text.place.kind != "review":
            return threads.read(text, await self._found(text), login)
        path = f"/repos/{text.place.repository}/pulls/{text.place.number}/comments"
        found = [
            (comment["id"], threads.message(comment, login))
            async for comment in self._pages(text, path, {})
            if str(comment.get("in_reply_to_id") or comment["id"]) == text.place.parent
        ]
        return replace(threads.told(text), messages=threads.up_to(text, found))

    async def _found(self, text: Text) -> Json:
        """What GraphQL tells of an issue, pull request or discussion."""
        owner, _, name = text.place.repository.partition("/")
        query = queries.DISCUSSION if text.place.kind == "discussion" else queries.ISSUE
        data = await self._ask(text, query, {"owner": owner, "name": name, "number": text.place.number})
        found: Json | None = (data.get("repository") or {}).get("thread")
        if not found:
            raise GitHubError("gone", "GitHub does not show this thread.", 404)
        return found

    async def reply_with(self, text: Text, marker: str) -> Json | None:
        """Our reply to a text that has a marker, if it is there; what others wrote does not count."""
        login = await self.own_login()
        if text.place.kind == "discussion":
            tops = (await self._found(text))["comments"]["nodes"]
            nodes = (node for top in tops for node in (top, *top["replies"]["nodes"]))
            ours = (node for node in nodes if threads.message(node, login).own)
            return next((_reply(node) for node in ours if marker in node["body"]), None)
        kind = "pulls" if text.place.kind == "review" else "issues"
        path = f"/repos/{text.place.repository}/{kind}/{text.place.number}/comments"
        async for comment in self._pages(text, path, {"since": text.written_at} if text.written_at else {}):
            if marker in (comment.get("body") or "") and threads.message(comment, login).own:
                return _reply(comment)
        return None

    async def votes(self, text: Text, reply: Json) -> dict[str, Vote]:
        """Who reacted to our reply with 👍 (`up`) or 👎 (`down`)."""
        if not reply.get("node"):
            return {}
        found = (await self._ask(text, queries.VOTES, {"id": reply["node"]})).get("node") or {}
        reactions = (found.get("reactions") or {}).get("nodes") or ()
        return {
            reaction["user"]["login"]: _VOTES[reaction["content"]]
            for reaction in reactions
            if reaction["content"] in _VOTES and reaction.get("user")
        }

    async def may_write(self, text: Text, login: str) -> bool:
        """Whether somebody may write to the repository."""
        path = f"/repos/{text.place.repository}/collaborators/{login}/permission"
        return (await self._send(text, "GET", path)).get("permission") in ("admin", "maintain", "write")

    # Writing

    async def react(self, text: Text, reaction: Reaction) -> Json | None:
        """React to a text; what `unreact` takes, None where there are no reactions."""
        if text.place.kind == "discussion":
            await self._ask(text, queries.ADD_REACTION, {"input": _reaction(text.place, reaction)})
            return {"content": reaction}
        if (path := _reactions(text.place)) is None:
            return None
        made = await self._send(text, "POST", path, {"content": reaction})
        return {"id": made.get("id"), "content": reaction}

    async def unreact(self, text: Text, reaction: Json) -> None:
        """Take back a reaction of ours."""
        if text.place.kind == "discussion":
            await self._ask(text, queries.REMOVE_REACTION, {"input": _reaction(text.place, reaction["content"])})
        elif (path := _reactions(text.place)) and reaction.get("id"):
            await self._send(text, "DELETE", f"{path}/{reaction['id']}")

    async def reply(self, text: Text, body: str) -> Json:
        """Post a reply below a text; what the other methods take."""
        place = text.place
        if place.kind == "discussion":
            values = {"discussionId": place.parent, "body": body}
            if place.comment is not None:
                values["replyToId"] = await self._top_comment(text)
            return _reply(
                (await self._ask(text, queries.ADD_COMMENT, {"input": values}))["addDiscussionComment"]["comment"]
            )
        path = f"/repos/{place.repository}/issues/{place.number}/comments"
        if place.kind == "review":
            path = f"/repos/{place.repository}/pulls/{place.number}/comments/{place.parent}/replies"
        return _reply(await self._send(text, "POST", path, {"body": body}))

    async def edit(self, text: Text, reply: Json, body: str) -> None:
        """Replace the words of a reply of ours."""
        if text.place.kind == "discussion":
            await self._ask(text, queries.UPDATE_COMMENT, {"input": {"commentId": reply["node"], "body": body}})
            return
        kind = "pulls" if text.place.kind == "review" else "issues"
        await self._send(text, "PATCH", f"/repos/{text.place.repository}/{kind}/comments/{reply['id']}", {"body": body})

    async def fold(self, text: Text, reply: Json, away: bool = True) -> None:
        """Fold a reply of ours away as outdated, or out again."""
        if not reply.get("node"):
            return
        if away:
            await self._ask(text, queries.MINIMIZE, {"input": {"subjectId": reply["node"], "classifier": "OUTDATED"}})
        else:
            await self._ask(text, queries.UNMINIMIZE, {"input": {"subjectId": reply["node"]}})

    async def _top_comment(self, text: Text) -> str:
        """Replies in a discussion hang below a top comment, never below another reply."""
        node = (await self._ask(text, queries.TOP_COMMENT, {"id": text.place.node})).get("node") or {}
        return str((node.get("replyTo") or {}).get("id") or text.place.node)

    # Setting up

    async def look(self, path: str, installation: int | None = None) -> tuple[Any, Mapping[str, str]]:
        """What GitHub shows the App, one of its installations, or the token's owner; header names in lower case."""
        try:
            response = await self._hub_of(installation).arequest("GET", path)
            return response.json(), {name.lower(): value for name, value in response.headers.items()}
        except GitHubException as error:
            raise self._failed(error, installation) from error
        except ValueError as error:
            raise GitHubError("unavailable", _FOREIGN) from error

    async def viewer(self) -> str:
        """The account that a token acts as, also where it is an installation's, to which `GET /user` is closed."""
        hub, key = await self._hub(None)
        try:
            return str((await hub.async_graphql("query { viewer { login } }"))["viewer"]["login"])
        except GitHubException as error:
            raise self._failed(error, key) from error
        except (ValueError, TypeError, KeyError) as error:
            raise GitHubError("unavailable", _FOREIGN) from error

    async def clock_ahead_s(self) -> float | None:
        """How many seconds our clock is ahead of GitHub's; None where it does not tell."""
        try:
            headers = (await self._stranger().arequest("GET", "/meta")).headers
        except RequestFailed as error:
            headers = error.response.headers
        except GitHubException as error:
            raise _failure(error) from error
        try:
            return time.time() - parsedate_to_datetime(headers.get("date", "")).timestamp()
        except ValueError:
            return None

    async def register(self, code: str) -> Json:
        """The App that a manifest's code stands for, with its key and secrets. A code works once, for an hour."""
        try:
            response = await self._stranger().arequest("POST", f"/app-manifests/{quote(code, safe='')}/conversions")
            return dict(response.json())
        except GitHubException as error:
            raise _failure(error) from error
        except ValueError as error:
            raise GitHubError("unavailable", _FOREIGN) from error

    def _stranger(self) -> GitHub[Any]:
        return GitHub(UnauthAuthStrategy(), **self._options)

    # Sending

    async def clone_token(self, repository: str, installation: int | None) -> str:
        """A token that may read a repository's code, for an hour or as long as ours lasts."""
        if not self._credentials.app_id:
            return self._credentials.token or ""
        known = await self._installation(repository, installation)
        body = {"repositories": [repository.partition("/")[2]], "permissions": {"contents": "read"}}
        made = await self._send(None, "POST", f"/app/installations/{known}/access_tokens", body)
        return str(made["token"])

    async def _pages(self, text: Text, path: str, parameters: Json) -> AsyncIterator[Json]:
        for page in range(1, MOST_PAGES + 1):
            found = await self._send(text, "GET", path, None, {**parameters, "per_page": PAGE, "page": page})
            for one in found if isinstance(found, list) else ():
                yield one
            if not isinstance(found, list) or len(found) < PAGE:
                return

    async def _send(
        self, text: Text | None, method: str, path: str, body: Json | None = None, parameters: Json | None = None
    ) -> Any:
        hub, key = await self._hub(text)
        try:
            response = await hub.arequest(method, path, json=body, params=parameters)
        except GitHubException as error:
            raise self._failed(error, key) from error
        return response.json() if response.raw_response.content else {}

    async def _ask(self, text: Text, query: str, variables: dict[str, Any]) -> Json:
        hub, key = await self._hub(text)
        try:
            return await hub.async_graphql(query, variables) or {}
        except GitHubException as error:
            raise self._failed(error, key) from error

    async def _hub(self, text: Text | None) -> tuple[GitHub[Any], int | None]:
        """The client for the installation that a text belongs to; None for the App itself, or the token."""
        key = None
        if text and self._credentials.app_id:
            key = await self._installation(text.place.repository, text.installation)
        if (wait := self._pauses.get(key, 0) - self._clock()) > 0:
            raise GitHubError("limited", "GitHub has asked us to wait.", 429, wait)
        return self._hub_of(key), key

    def _hub_of(self, installation: int | None) -> GitHub[Any]:
        if installation not in self._hubs:
            authentication = self._authentication(installation)
            self._hubs[installation] = GitHub(authentication, cache_strategy=MemCacheStrategy(), **self._options)
        return self._hubs[installation]

    def _authentication(self, installation: int | None) -> Any:
        c = self._credentials
        if not c.app_id:
            return TokenAuthStrategy(c.token or "")
        app = AppAuthStrategy(c.app_id, c.private_key or "")
        return app if installation is None else app.as_installation(installation)

    async def _installation(self, repository: str, told: int | None) -> int:
        """The installation that a delivery told of; a repository's own hook does not say which is ours."""
        if told is not None:
            return told
        if repository not in self._installations:
            self._installations[repository] = (await self._send(None, "GET", f"/repos/{repository}/installation"))["id"]
        return self._installations[repository]

    def _failed(self, error: GitHubException, key: int | None) -> GitHubError:
        failure = _failure(error)
        if failure.kind == "limited":
            self._pauses[key] = self._clock() + (failure.retry_after_s or SECONDARY_WAIT_S)
        if failure.kind == "unauthorized":
            self._hubs.pop(key, None)  # and with it the token that it kept
        return failure


def _failure(error: GitHubException) -> GitHubError:
    if isinstance(error, RequestFailed):
        response = error.response
        headers = {name.lower(): value for name, value in response.headers.items()}
        return refused(response.status_code, headers, _said(response), time.time())
    if isinstance(error, RequestTimeout):
        return GitHubError("unavailable", "GitHub did not answer in time.")
    if isinstance(error, GraphQLFailed):
        return _graphql_failure(error)
    cause = error.exc if isinstance(error, RequestError) else error
    if isinstance(cause, GitHubException):  # a token could not be had
        return _failure(cause)
    return GitHubError("unavailable", f"GitHub could not be reached ({type(cause).__name__}).")


def _graphql_failure(error: GraphQLFailed) -> GitHubError:
    errors = error.response.errors or []
    kinds = {str(one.type) for one in errors}
    message = f"GitHub answered: {'; '.join(one.message for one in errors)}"
    if kinds & {"RATE_LIMITED", "RATE_LIMIT"} or "secondary rate limit" in message:
        return GitHubError("limited", message, 200)
    if "NOT_FOUND" in kinds:
        return GitHubError("gone", message, 200)
    return GitHubError("forbidden" if kinds & {"FORBIDDEN", "INSUFFICIENT_SCOPES"} else "invalid", message, 200)


def _said(response: Any) -> str:
    """What an error response says, in short; it may be a page of some proxy."""
    try:
        said = response.json()
    except ValueError:
        return "something that is not JSON"
    if not isinstance(said, dict):
        return "no message"
    errors = [one.get("message") for one in said.get("errors") or () if isinstance(one, dict) and one.get("message")]
    return "; ".join(map(str, (said.get("message") or "no message", *errors)))[:500]


def _reply(comment: Json) -> Json:
    """What there is to keep of a comment of ours. GraphQL calls `id` what REST calls `node_id`."""
    if "databaseId" in comment:
        return {"id": comment["databaseId"], "node": comment["id"], "url": comment.get("url")}
    return {"id": comment["id"], "node": comment.get("node_id"), "url": comment.get("html_url")}


def _reactions(place: Place) -> str | None:
    """Where reactions to a text are; reviews have none over REST."""
    base = f"/repos/{place.repository}"
    if place.kind == "summary":
        return None
    if place.comment is None:
        return f"{base}/issues/{place.number}/reactions"
    return f"{base}/{'pulls' if place.kind == 'review' else 'issues'}/comments/{place.comment}/reactions"


def _reaction(place: Place, content: Reaction) -> Json:
    return {"subjectId": place.node, "content": _GRAPHQL_REACTIONS[content]}
