"""What we ask GitHub in GraphQL: threads in one request each, and discussions, which REST does not have.

https://docs.github.com/graphql/reference
"""

from __future__ import annotations

from string import Template
from typing import Final

# Threads are read from the end; what is older is not context any more.
MOST_COMMENTS: Final = 50

_TEXT = "author { login __typename } body"
_COMMENT = f"databaseId isMinimized {_TEXT}"
_SUBJECT = f"title {_TEXT} labels(first: 20) {{ nodes {{ name }} }}"
_COMMENTS = f"comments(last: {MOST_COMMENTS}) {{ nodes {{ {_COMMENT} }} }}"
_REPLIES = f"replies(last: {MOST_COMMENTS}) {{ nodes {{ id {_COMMENT} }} }}"
_WITH_REPLIES = f"comments(last: {MOST_COMMENTS}) {{ nodes {{ id {_COMMENT} {_REPLIES} }} }}"
_QUERY = Template(
    "query($$owner: String!, $$name: String!, $$number: Int!) { repository(owner: $$owner, name: $$name) { $found } }"
)

ISSUE: Final = _QUERY.substitute(
    found="thread: issueOrPullRequest(number: $number) {"
    f" ... on Issue {{ {_SUBJECT} {_COMMENTS} }} ... on PullRequest {{ {_SUBJECT} {_COMMENTS} }} }}"
)
DISCUSSION: Final = _QUERY.substitute(found=f"thread: discussion(number: $number) {{ {_SUBJECT} {_WITH_REPLIES} }}")
TOP_COMMENT: Final = "query($id: ID!) { node(id: $id) { ... on DiscussionComment { replyTo { id } } } }"
VOTES: Final = (
    "query($id: ID!) { node(id: $id) { ... on Reactable {"
    " reactions(first: 100) { nodes { content user { login } } } } } }"
)


def _mutation(name: str, result: str) -> str:
    kind = name[0].upper() + name[1:] + "Input"
    return f"mutation($input: {kind}!) {{ {name}(input: $input) {{ {result} }} }}"


ADD_COMMENT: Final = _mutation("addDiscussionComment", "comment { id databaseId url }")
UPDATE_COMMENT: Final = _mutation("updateDiscussionComment", "comment { id }")
ADD_REACTION: Final = _mutation("addReaction", "reaction { content }")
REMOVE_REACTION: Final = _mutation("removeReaction", "reaction { content }")
MINIMIZE: Final = _mutation("minimizeComment", "minimizedComment { isMinimized }")
UNMINIMIZE: Final = _mutation("unminimizeComment", "unminimizedComment { isMinimized }")
