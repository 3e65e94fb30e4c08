"""The service's JSON: what clients send, cleaned, and what they get. Field names are shared/design.md's contract."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from fastapi import Header
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from bot import types as domain
from bot.history import Vote
from indexer.types import FileKind

# Room for a stack trace with a question; prompts are cut to the model's context anyway.
LONGEST_QUESTION = 8_000
LONGEST_TURN = 32_000
LONGEST_HISTORY = 50
LONGEST_NAME = 200
LONGEST_COMMENT = 2_000
LONGEST_ID = 64
ID = "6f1c2e0a9b3d4c5f8e7a6b5c4d3e2f10"
MOST_PASSAGES = 50
PASSAGES = 10

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def whole(value: object) -> object:
    """Text with each half of a surrogate pair replaced (U+FFFD): JSON can hold one alone, UTF-8 cannot."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def clean(value: object) -> object:
    """Text fit for stores, prompts and logs: line ends are `\\n`, control characters but it and the tab are spaces."""
    if isinstance(value, str):
        return _CONTROL.sub(" ", str(whole(value)).replace("\r\n", "\n").replace("\r", "\n"))
    return value


def integral(value: object) -> object:
    """A number without a fraction as an integer: to JSON, and to its schemas, 10.0 is one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Clean = BeforeValidator(clean)
Integral = BeforeValidator(integral)
Whole = Annotated[str, BeforeValidator(whole)]


class Turn(BaseModel):
    """One earlier message of the conversation."""

    model_config = ConfigDict(strict=True)

    role: Literal["user", "assistant"]
    content: Annotated[str, Field(max_length=LONGEST_TURN), Clean]


History = Annotated[
    list[Turn] | None,
    Field(max_length=LONGEST_HISTORY, description="The conversation so far, oldest first, without the question."),
]
# What is more than white space once it is cleaned.
Asked = Annotated[
    str, Field(min_length=1, max_length=LONGEST_QUESTION, pattern=r"[^\s\x00-\x1f\x7f-\x9f\ufeff]"), Clean
]
Name = Annotated[str, Field(max_length=LONGEST_NAME), Clean]
Repository = Annotated[
    Name | None,
    Field(description="OWNER/NAME of an indexed repository; null: the default one.", examples=["acme/engine"]),
]
Ref = Annotated[
    Name | None,
    Field(
        description="A branch, tag, version or commit that is indexed; null: the newest release.", examples=["v2.4.0"]
    ),
]


class SearchRequest(BaseModel):
    """A search. Fields that are not named here are ignored."""

    model_config = ConfigDict(strict=True)

    query: Annotated[Asked, Field(description="What to look for.", examples=["How are blocks of the cache allocated?"])]
    history: History = None
    limit: Annotated[int, Field(ge=1, le=MOST_PASSAGES, description="How many passages at most."), Integral] = PASSAGES
    repository: Repository = None
    ref: Ref = None

    def asked(self) -> domain.Question:
        return _question(self.query, self.history, self.repository, self.ref)


class AskRequest(BaseModel):
    """A question. Fields that are not named here are ignored."""

    model_config = ConfigDict(strict=True)

    question: Annotated[Asked, Field(description="In any words.", examples=["How large is a block of the cache?"])]
    history: History = None
    repository: Repository = None
    ref: Ref = None
    stream: Annotated[bool, Field(description="Answer with server-sent events while it is being written.")] = False

    def asked(self) -> domain.Question:
        return _question(self.question, self.history, self.repository, self.ref)


# A string of RFC 9651 §3.3.3, as the draft of Idempotency-Key wants it, or the bare word that most clients send.
KEY_IN_QUOTES = r'"((?:[ !#-\[\]-~]|\\["\\]){1,255})"'
BARE_KEY = r"[A-Za-z0-9_.:/+=@~-]{1,255}"
IdempotencyKey = Annotated[
    str | None,
    WithJsonSchema({"type": "string", "pattern": f"^({KEY_IN_QUOTES}|{BARE_KEY})$"}),
    Header(
        alias="Idempotency-Key",
        description="A string that is new for each question, such as a UUID in quotes. Within 24 hours the same"
        " question with the same key gets the same answer again, with `Idempotent-Replayed: true`, and is not asked"
        " anew; what failed may be tried again.",
        examples=['"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
    ),
]


class FeedbackRequest(BaseModel):
    """What somebody thinks of an answer. Fields that are not named here are ignored."""

    model_config = ConfigDict(strict=True)

    answer_id: Annotated[
        str, Field(min_length=1, max_length=LONGEST_ID, description="The answer's `id`.", examples=[ID]), Clean
    ]
    vote: Vote
    comment: Annotated[
        Annotated[str, Field(max_length=LONGEST_COMMENT), Clean] | None,
        Field(description="What was wrong or right.", examples=["It is about another version."]),
    ] = None
    voter: Annotated[
        Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")] | None,
        Field(
            description="Whose vote it is, as an opaque id, such as one that a browser keeps; null: the key's, or the"
            " address's.",
            examples=["b3c1d2"],
        ),
    ] = None


class Feedback(BaseModel):
    """The vote that counts from now on."""

    answer_id: str
    vote: Vote


def _question(text: str, history: list[Turn] | None, repository: str | None, ref: str | None) -> domain.Question:
    turns = tuple(domain.Turn(turn.role, turn.content) for turn in history or ())
    return domain.Question(text.strip(), turns, repository or None, ref or None)


class Sent(BaseModel):
    """What is read off the domain's own values."""

    model_config = ConfigDict(from_attributes=True)


class Index(Sent):
    """The indexed version that was read."""

    repository: Annotated[str, Field(examples=["acme/engine"])]
    ref: Annotated[str, Field(description="What people call the version.", examples=["v2.4.0"])]
    commit: Annotated[str, Field(description="What it is pinned to: a full SHA, or a release tag.")]
    indexed_at: Annotated[str, Field(description="ISO 8601, UTC.", examples=["2026-11-29T12:00:00+00:00"])]
    stale: Annotated[bool, Field(description="Whether the source is known to have moved on.")] = False


class Passage(Sent):
    """A stretch of a file that was found, best first. Lines are 1-based and inclusive."""

    path: Annotated[str, Field(examples=["engine/cache/blocks.py"])]
    start_line: Annotated[int, Field(ge=1, examples=[12])]
    end_line: Annotated[int, Field(ge=1, examples=[14])]
    symbol: Annotated[str, Field(description="Qualified name or heading path.", examples=["BlockPool.allocate"])]
    kind: Annotated[FileKind, Field(examples=["code"])]
    language: Annotated[str, Field(examples=["python"])]
    score: Annotated[float, Field(description="Comparable within one response only.", examples=[0.0312])]
    text: Annotated[str, Field(description="Exactly those lines.")]
    url: Annotated[str, Field(description="A permanent link to those lines; relative to this service when they are"
                              " on no code host.")]  # fmt: skip


class Citation(Sent):
    """What `[number]` in the answer refers to. Lines are 1-based and inclusive."""

    number: Annotated[int, Field(ge=1, examples=[1])]
    path: Annotated[str, Field(examples=["engine/cache/blocks.py"])]
    start_line: Annotated[int, Field(ge=1, examples=[12])]
    end_line: Annotated[int, Field(ge=1, examples=[14])]
    symbol: Annotated[str, Field(examples=["BlockPool.allocate"])]
    url: Annotated[str, Field(description="A permanent link to those lines.")]


class SearchResponse(Sent):
    """What was found, best first; also the data of a `passages` event."""

    passages: list[Passage]
    index: Index
    unknown_names: Annotated[
        dict[str, list[str]],
        Field(
            description="Flags, identifiers and variables of the question that are nowhere in this version, each with"
            " the nearest names that are.",
            examples=[{"--block-sise": ["--block-size"]}],
        ),
    ] = {}


class Usage(Sent):
    """Tokens of a language model, as its server counts them."""

    prompt: Annotated[int, Field(ge=0, examples=[2600])]
    completion: Annotated[int, Field(ge=0, examples=[120])]


class Answer(Sent):
    """A cited answer. Numbers start at 1, in order of first use; each citation is used, and none is repeated."""

    id: str
    answer: Annotated[Whole, Field(description="Markdown; `[n]` refers to the citation numbered n.")]
    citations: list[Citation]
    declined: Annotated[bool, Field(description="Nothing was found that proves an answer.")]
    reason: Annotated[domain.DeclineReason | None, Field(description="Why it was declined.")]
    model: Annotated[str, Field(description="The language model, or `extractive`: the passages' own words.")]
    index: Index
    warnings: Annotated[list[Whole], Field(description="Sentences for the asker, such as that the model is down.")]
    usage: Annotated[Usage | None, Field(description="What a language model read and wrote; null without.")] = None


class Token(Sent):
    """A `token` event: the next piece of the answer's text."""

    text: Whole


class Error(BaseModel):
    """What went wrong."""

    code: Annotated[str, Field(description="For programs; stable.", examples=["invalid"])]
    message: Annotated[str, Field(description="For people.", examples=["question: must not be blank."])]


class ErrorBody(BaseModel):
    """Every error, as a response and as an `error` event."""

    error: Error


class Health(BaseModel):
    """That all is well; otherwise there is an error."""

    status: Literal["alive", "ready"]


class IndexStatus(Index):
    """One version that answers."""

    checked_at: Annotated[str, Field(description="When the source was last seen to be the same; ISO 8601, UTC.")]
    files: int
    chunks: int
    embedder: Annotated[str, Field(description="What it was made with; questions need the same one.")]
    skipped: Annotated[int, Field(description="Paths that were left out.")]
    skipped_by_reason: Annotated[dict[str, int], Field(description="How many paths for which reason, most first.")]


class JobCounts(BaseModel):
    """Jobs of GitHub and Discord."""

    queued: int
    running: int
    set_aside: Annotated[int, Field(description="Given up; `repopilot jobs` says why.")]


class Status(BaseModel):
    """What is indexed, latest first, and what answers."""

    version: Annotated[str, Field(description="RepoPilot's own.")]
    embedder: str | None
    model: Annotated[str | None, Field(description="The language model; null: answers are the passages' own words.")]
    model_problem: Annotated[str | None, Field(description="Why it cannot be asked now; null when it can.")] = None
    indexes: list[IndexStatus]
    jobs: Annotated[JobCounts | None, Field(description="null: nothing here makes jobs.")] = None
