"""`POST /graphql`: reading threads, and the mutations that discussions need; errors come with status 200.

https://docs.github.com/graphql/guides/using-the-graphql-api-for-discussions
"""

from __future__ import annotations

from typing import Any, TypeVar

from graphql import GraphQLError, graphql_sync

from fakes.github.calls import Call, Reply, Routes
from fakes.github.documents import Document
from fakes.github.graph_nodes import CONTENTS, Nodes
from fakes.github.graph_schema import schema
from fakes.github.people import Repository
from fakes.github.posts import Discussion, DiscussionComment, Issue, Post, Review, ReviewComment, subject
from fakes.github.problems import BODY_LIMIT, TOO_LONG, GraphProblem, Problem

P = TypeVar("P", bound=Post)
ROUTES = Routes()
PERMISSIONS = {
    Discussion: "discussions",
    DiscussionComment: "discussions",
    Review: "pull_requests",
    ReviewComment: "pull_requests",
}


@ROUTES.add("POST", "/graphql")
def graphql(call: Call) -> Reply:
    if call.caller.token is None:
        raise Problem(401, "This endpoint requires you to be authenticated.")
    asked = call.fields()
    if not isinstance(asked.get("query"), str):
        raise Problem(400, "A query attribute must be specified and must be a string.")
    done = graphql_sync(
        schema(),
        asked["query"],
        root_value=Root(Nodes(call)).fields,
        variable_values=asked.get("variables"),
        operation_name=asked.get("operationName"),
    )
    data = {} if done.data is None and done.errors else {"data": done.data}
    return Reply(200, data | ({"errors": [_error(each) for each in done.errors]} if done.errors else {}))


def error_document(type_: str, message: str) -> Document:
    """A GraphQL response that is one error."""
    return {"errors": [{"type": type_, "message": message}]}


def _error(error: GraphQLError) -> Document:
    known = {"type": error.original_error.type} if isinstance(error.original_error, GraphProblem) else {}
    if error.original_error and not known:
        raise error.original_error
    places = [{"line": place.line, "column": place.column} for place in error.locations or ()]
    return known | {"path": error.path or [], "locations": places, "message": error.message}


class Root:
    """The fields of Query and Mutation."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes, self._call, self._world = nodes, nodes.call, nodes.world

    @property
    def fields(self) -> dict[str, Any]:
        queries = (self.viewer, self.node, self.nodes, self.repository, self.rate_limit)
        mutations = (
            self.add_discussion_comment,
            self.update_discussion_comment,
            self.delete_discussion_comment,
            self.add_comment,
            self.add_pull_request_review_thread_reply,
            self.add_reaction,
            self.remove_reaction,
            self.minimize_comment,
            self.unminimize_comment,
        )
        return {_camel(each.__name__): each for each in (*queries, *mutations)}

    # Query.

    def viewer(self, _: object) -> Document:
        return self._nodes.viewer()

    def node(self, _: object, id: str) -> Document:
        user = next((user for user in self._world.users.values() if user.node_id == id), None)
        repository = next((each for each in self._world.repositories.values() if each.node_id == id), None)
        if user:
            return self._nodes.actor(user)
        if repository and self._call.caller.sees(repository):
            return self._nodes.repository(repository)
        if first := self._first_of_thread(id):
            return self._nodes.thread(first)
        return self._nodes.post(self._seen(id))

    def nodes(self, info: object, ids: list[str]) -> list[Document]:
        return [self.node(info, id_) for id_ in ids]

    def repository(self, _: object, owner: str, name: str, **__: object) -> Document:
        found = self._world.find_repository(f"{owner}/{name}")
        if found is None or not self._call.caller.sees(found):
            raise GraphProblem("NOT_FOUND", f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        return self._nodes.repository(found)

    def rate_limit(self, _: object, **__: object) -> Document:
        limits = self._call.hub.limits
        counts = {"limit": limits.limit, "remaining": limits.remaining, "used": limits.used}
        return counts | {"resetAt": "", "cost": 1, "nodeCount": 0}

    # Mutation.

    def add_discussion_comment(self, _: object, input: Document) -> Document:
        discussion = self._found(Discussion, input["discussionId"])
        self._demand(discussion)
        above = self._found(DiscussionComment, input["replyToId"]) if input.get("replyToId") else None
        if above and above.reply_to:
            raise GraphProblem("UNPROCESSABLE", "Parent comment is already in a thread, cannot reply to it")
        body = self._written(discussion, input)
        made = self._world.discussion_comment(discussion, body, self._call.caller.user.login, reply_to=above)
        return self._created(input, "comment", made)

    def update_discussion_comment(self, _: object, input: Document) -> Document:
        comment = self._found(DiscussionComment, input["commentId"])
        self._demand(comment)
        self._world.edit(comment, self._bounded(input), self._call.caller.user)
        return self._payload(input, comment=self._nodes.post(comment))

    def delete_discussion_comment(self, _: object, input: Document) -> Document:
        comment = self._found(DiscussionComment, input["id"])
        self._demand(comment)
        self._world.delete(comment, self._call.caller.user)
        return self._payload(input, comment=self._nodes.post(comment))

    def add_comment(self, _: object, input: Document) -> Document:
        issue = self._found(Issue, input["subjectId"])
        self._demand(issue)
        body = self._written(issue, input)
        made = self._world.comment(issue, body, self._call.caller.user.login)
        self._world.did("created", made, made.author, body)
        edge = {"cursor": "", "node": self._nodes.post(made)}
        return self._payload(input, commentEdge=edge, subject=self._nodes.post(issue))

    def add_pull_request_review_thread_reply(self, _: object, input: Document) -> Document:
        first = self._first_of_thread(input["pullRequestReviewThreadId"])
        if first is None:
            raise _unresolved(input["pullRequestReviewThreadId"])
        self._demand(first)
        body = self._written(first.pull, input)
        made = self._world.review_comment(first.pull, body, self._call.caller.user.login, in_reply_to=first)
        return self._created(input, "comment", made)

    def add_reaction(self, _: object, input: Document) -> Document:
        post = self._seen(input["subjectId"])
        self._demand(post)
        reaction, _new = self._world.react(post, _content(input), self._call.caller.user)
        return self._payload(input, reaction=self._nodes.reaction(reaction), subject=self._nodes.post(post))

    def remove_reaction(self, _: object, input: Document) -> Document:
        post, content, who = self._seen(input["subjectId"]), _content(input), self._call.caller.user
        self._demand(post)
        held = next((r for r in post.reactions if r.content == content and r.user is who), None)
        if held is None:
            raise GraphProblem("NOT_FOUND", f"Could not find a {input['content']} reaction by the viewer.")
        self._world.unreact(post, held)
        return self._payload(input, reaction=self._nodes.reaction(held), subject=self._nodes.post(post))

    def minimize_comment(self, _: object, input: Document) -> Document:
        comment = self._hideable(input)
        comment.minimized = input["classifier"].lower().replace("_", "-")
        self._world.did("minimized", comment, self._call.caller.user, comment.minimized or "")
        return self._payload(input, minimizedComment=self._nodes.post(comment))

    def unminimize_comment(self, _: object, input: Document) -> Document:
        comment = self._hideable(input)
        comment.minimized = None
        return self._payload(input, unminimizedComment=self._nodes.post(comment))

    # What they share.

    def _hideable(self, input: Document) -> Post:
        comment = self._seen(input["subjectId"])
        if isinstance(comment, Issue | Discussion):
            raise GraphProblem("NOT_FOUND", f"{input['subjectId']} cannot be minimized.")
        self._demand(comment)
        return comment

    def _created(self, input: Document, name: str, made: Post) -> Document:
        self._world.did("created", made, made.author, made.body or "")
        return self._payload(input, **{name: self._nodes.post(made)})

    def _payload(self, input: Document, **more: Any) -> Document:
        return {"clientMutationId": input.get("clientMutationId")} | more

    def _seen(self, node_id: str) -> Post:
        """The text, when the caller may know of it."""
        found = self._world.find_node(node_id)
        if found is None or not self._call.caller.sees(found.repository):
            raise _unresolved(node_id)
        return found

    def _found(self, kind: type[P], node_id: str) -> P:
        found = self._seen(node_id)
        if not isinstance(found, kind):
            raise _unresolved(node_id)
        return found

    def _first_of_thread(self, node_id: str) -> ReviewComment | None:
        firsts = (c for c in self._world.of(ReviewComment) if c.in_reply_to is None and not c.deleted)
        return next((c for c in firsts if f"PRRT_{c.id}" == node_id and self._call.caller.sees(c.repository)), None)

    def _demand(self, post: Post) -> None:
        above = subject(post)
        permission = PERMISSIONS.get(type(post), "issues")
        accepted = [permission, *(["pull_requests"] if isinstance(above, Issue) and above.pull_request else [])]
        self._allow(post.repository, accepted)

    def _allow(self, repository: Repository, permissions: list[str]) -> None:
        token = self._call.caller.token
        may = token is not None and any(token.allows(each, "write") for each in permissions)
        if token is None or repository not in token.repositories or not may:
            raise GraphProblem("FORBIDDEN", "Resource not accessible by integration")

    def _written(self, above: Discussion | Issue, input: Document) -> str:
        """The text of new content, where the conversation is open for it."""
        if above.locked:
            raise GraphProblem("FORBIDDEN", "The conversation is locked and limited to collaborators.")
        body = self._bounded(input)
        self._call.hub.limits.count_content()
        return body

    def _bounded(self, input: Document) -> str:
        body = str(input["body"])
        if not body.strip():
            raise GraphProblem("UNPROCESSABLE", "Body can't be blank")
        if len(body) > BODY_LIMIT:
            raise GraphProblem("UNPROCESSABLE", TOO_LONG)
        return body


def _content(input: Document) -> str:
    return next(rest for rest, graph in CONTENTS.items() if graph == input["content"])


def _unresolved(node_id: str) -> GraphProblem:
    return GraphProblem("NOT_FOUND", f"Could not resolve to a node with the global id of '{node_id}'")


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.title() for word in rest)
