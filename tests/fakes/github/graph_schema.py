"""The part of GitHub's GraphQL schema that the fake serves, with its true names and types.

https://docs.github.com/graphql/reference
"""

from __future__ import annotations

from functools import cache

from graphql import GraphQLSchema, build_schema

_TEXT = """
  id: ID!
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  bodyText: String!
  createdAt: DateTime!
  updatedAt: DateTime!
  lastEditedAt: DateTime
  viewerDidAuthor: Boolean!
"""
_REACTABLE = """
  databaseId: Int
  reactions(first: Int, last: Int, after: String, before: String, content: ReactionContent): ReactionConnection!
  viewerCanReact: Boolean!
"""
_HIDEABLE = """
  isMinimized: Boolean!
  minimizedReason: String
  viewerCanMinimize: Boolean!
"""
_PAGES = "after: String, before: String, first: Int, last: Int"
_SUBJECT = """
  number: Int!
  title: String!
  locked: Boolean!
  closed: Boolean!
  url: URI!
  repository: Repository!
"""
_LABELS = f"labels({_PAGES}): LabelConnection"
_KINDS = (
    "Reaction Label IssueComment PullRequestReviewComment PullRequestReviewThread DiscussionComment Discussion Issue"
).split()
_CONNECTIONS = "\n".join(
    f"""
type {name}Connection {{ nodes: [{name}] edges: [{name}Edge] pageInfo: PageInfo! totalCount: Int! }}
type {name}Edge {{ cursor: String! node: {name} }}
"""
    for name in _KINDS
)
_SUBJECTS = "\n".join(
    f"""
type {name} implements Node & Comment & Reactable {{
  {_TEXT}{_REACTABLE}{_SUBJECT}{_LABELS}
  state: {name}State!
  comments({_PAGES}): IssueCommentConnection!
  {more}
}}
enum {name}State {{ {states} }}
"""
    for name, more, states in (
        ("Issue", "", "OPEN CLOSED"),
        ("PullRequest", f"reviewThreads({_PAGES}): PullRequestReviewThreadConnection!", "OPEN CLOSED MERGED"),
    )
)

SDL = f"""
scalar DateTime
scalar URI
scalar BigInt

type Query {{
  viewer: User!
  node(id: ID!): Node
  nodes(ids: [ID!]!): [Node]!
  repository(owner: String!, name: String!, followRenames: Boolean = true): Repository
  rateLimit(dryRun: Boolean = false): RateLimit
}}

type RateLimit {{ limit: Int! remaining: Int! used: Int! resetAt: DateTime! cost: Int! nodeCount: Int! }}
interface Node {{ id: ID! }}
interface Actor {{ login: String! url: URI! resourcePath: URI! avatarUrl(size: Int): URI! }}
interface Comment {{ {_TEXT} }}
interface Reactable {{ id: ID! {_REACTABLE} }}
interface Minimizable {{ {_HIDEABLE} }}

type User implements Node & Actor {{
  id: ID! databaseId: Int login: String! name: String url: URI! resourcePath: URI! avatarUrl(size: Int): URI!
}}
type Bot implements Node & Actor {{
  id: ID! databaseId: Int login: String! url: URI! resourcePath: URI! avatarUrl(size: Int): URI!
}}
type Organization implements Node & Actor {{
  id: ID! databaseId: Int login: String! name: String url: URI! resourcePath: URI! avatarUrl(size: Int): URI!
}}

type Repository implements Node {{
  id: ID!
  databaseId: Int
  name: String!
  nameWithOwner: String!
  isPrivate: Boolean!
  hasDiscussionsEnabled: Boolean!
  url: URI!
  discussion(number: Int!): Discussion
  discussions({_PAGES}): DiscussionConnection!
  issue(number: Int!): Issue
  issues({_PAGES}): IssueConnection!
  pullRequest(number: Int!): PullRequest
  issueOrPullRequest(number: Int!): IssueOrPullRequest
}}
union IssueOrPullRequest = Issue | PullRequest

type PageInfo {{ endCursor: String startCursor: String hasNextPage: Boolean! hasPreviousPage: Boolean! }}
type Label implements Node {{ id: ID! name: String! description: String color: String! }}
type DiscussionCategory implements Node {{ id: ID! name: String! slug: String! isAnswerable: Boolean! }}
type Reaction implements Node {{ id: ID! databaseId: Int content: ReactionContent! user: User createdAt: DateTime! }}
{_CONNECTIONS}
{_SUBJECTS}
type IssueComment implements Node & Comment & Reactable & Minimizable {{
  {_TEXT}{_REACTABLE}{_HIDEABLE}
  fullDatabaseId: BigInt
  url: URI!
  issue: Issue!
  pullRequest: PullRequest
}}
type PullRequestReviewComment implements Node & Comment & Reactable & Minimizable {{
  {_TEXT}{_REACTABLE}{_HIDEABLE}
  fullDatabaseId: BigInt
  url: URI!
  path: String!
  line: Int
  startLine: Int
  diffHunk: String!
  pullRequest: PullRequest!
  replyTo: PullRequestReviewComment
}}
type PullRequestReview implements Node & Comment & Reactable & Minimizable {{
  {_TEXT}{_REACTABLE}{_HIDEABLE}
  fullDatabaseId: BigInt
  url: URI!
  pullRequest: PullRequest!
}}
type PullRequestReviewThread implements Node {{
  id: ID!
  isResolved: Boolean!
  path: String!
  line: Int
  pullRequest: PullRequest!
  comments({_PAGES}): PullRequestReviewCommentConnection!
}}
type Discussion implements Node & Comment & Reactable {{
  {_TEXT}{_REACTABLE}{_SUBJECT}{_LABELS}
  answer: DiscussionComment
  category: DiscussionCategory!
  isAnswered: Boolean
  comments({_PAGES}): DiscussionCommentConnection!
}}
type DiscussionComment implements Node & Comment & Reactable & Minimizable {{
  {_TEXT}{_REACTABLE}{_HIDEABLE}
  url: URI!
  discussion: Discussion
  isAnswer: Boolean!
  replyTo: DiscussionComment
  replies({_PAGES}): DiscussionCommentConnection!
}}

enum CommentAuthorAssociation {{
  COLLABORATOR CONTRIBUTOR FIRST_TIMER FIRST_TIME_CONTRIBUTOR MANNEQUIN MEMBER NONE OWNER
}}
enum ReactionContent {{ THUMBS_UP THUMBS_DOWN LAUGH HOORAY CONFUSED HEART ROCKET EYES }}
enum ReportedContentClassifiers {{ ABUSE DUPLICATE LOW_QUALITY OFF_TOPIC OUTDATED RESOLVED SPAM }}

type Mutation {{
  addDiscussionComment(input: AddDiscussionCommentInput!): AddDiscussionCommentPayload
  updateDiscussionComment(input: UpdateDiscussionCommentInput!): UpdateDiscussionCommentPayload
  deleteDiscussionComment(input: DeleteDiscussionCommentInput!): DeleteDiscussionCommentPayload
  addComment(input: AddCommentInput!): AddCommentPayload
  addPullRequestReviewThreadReply(input: AddPullRequestReviewThreadReplyInput!): AddPullRequestReviewThreadReplyPayload
  addReaction(input: AddReactionInput!): AddReactionPayload
  removeReaction(input: RemoveReactionInput!): RemoveReactionPayload
  minimizeComment(input: MinimizeCommentInput!): MinimizeCommentPayload
  unminimizeComment(input: UnminimizeCommentInput!): UnminimizeCommentPayload
}}

input AddDiscussionCommentInput {{ body: String! clientMutationId: String discussionId: ID! replyToId: ID }}
type AddDiscussionCommentPayload {{ clientMutationId: String comment: DiscussionComment }}
input UpdateDiscussionCommentInput {{ body: String! clientMutationId: String commentId: ID! }}
type UpdateDiscussionCommentPayload {{ clientMutationId: String comment: DiscussionComment }}
input DeleteDiscussionCommentInput {{ clientMutationId: String id: ID! }}
type DeleteDiscussionCommentPayload {{ clientMutationId: String comment: DiscussionComment }}
input AddCommentInput {{ body: String! clientMutationId: String subjectId: ID! }}
type AddCommentPayload {{ clientMutationId: String commentEdge: IssueCommentEdge subject: Node }}
input AddPullRequestReviewThreadReplyInput {{
  body: String! clientMutationId: String pullRequestReviewId: ID pullRequestReviewThreadId: ID!
}}
type AddPullRequestReviewThreadReplyPayload {{ clientMutationId: String comment: PullRequestReviewComment }}
input AddReactionInput {{ clientMutationId: String content: ReactionContent! subjectId: ID! }}
type AddReactionPayload {{ clientMutationId: String reaction: Reaction subject: Reactable }}
input RemoveReactionInput {{ clientMutationId: String content: ReactionContent! subjectId: ID! }}
type RemoveReactionPayload {{ clientMutationId: String reaction: Reaction subject: Reactable }}
input MinimizeCommentInput {{ classifier: ReportedContentClassifiers! clientMutationId: String subjectId: ID! }}
type MinimizeCommentPayload {{ clientMutationId: String minimizedComment: Minimizable }}
input UnminimizeCommentInput {{ clientMutationId: String subjectId: ID! }}
type UnminimizeCommentPayload {{ clientMutationId: String unminimizedComment: Minimizable }}
"""


@cache
def schema() -> GraphQLSchema:
    return build_schema(SDL)
