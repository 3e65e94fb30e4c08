"""OpenAI's JSON, as far as it is spoken here: https://platform.openai.com/docs/api-reference/chat

What asks for something that cannot be done (a second choice, JSON, a tool that must be called, a picture that must be
seen) is refused; what only tunes a model (temperature, penalties, lengths) is ignored, as any other field is.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic_core import PydanticCustomError

from bot.adapters.http.wire import Citation, Clean, Index, Whole

OWNER = "repopilot"


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)


class TextPart(Strict):
    """The only kind of part that can be read: pictures, sound and files are refused."""

    type: Literal["text"]
    text: Annotated[str, Clean]


def _readable(content: object) -> object:
    """The same; one sentence where it is no text, in place of what each kind of content wants."""
    parts = content if isinstance(content, list) else [content]
    if any(isinstance(part, dict) and part.get("type") not in ("text", None) for part in parts):
        raise PydanticCustomError("not_text", "only text can be read; leave out pictures, sound and files")
    if not isinstance(content, str) and not all(map(_is_text, parts)):
        raise PydanticCustomError("not_text", "should be text, or a list of parts of text")
    return content


def _is_text(part: object) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str) and "type" in part


Content = Annotated[Annotated[str, Clean] | list[TextPart], BeforeValidator(_readable)]


class UserMessage(Strict):
    """What was asked."""

    role: Literal["user"]
    content: Content


class AssistantMessage(Strict):
    """What was answered; null where a model called a tool instead."""

    role: Literal["assistant"]
    content: Content | None = None


class OtherMessage(BaseModel):
    """Ignored: RepoPilot takes orders from nobody but its maintainer, and calls no tools."""

    role: Literal["system", "developer", "tool", "function"]


Message = Annotated[UserMessage | AssistantMessage | OtherMessage, Field(discriminator="role")]


# A message of the user with text in it, as a schema.
_TEXT: Final = {"type": "string", "pattern": r"[^\s\x00-\x1f\x7f-\x9f]"}
_PART: Final = {"properties": {"text": _TEXT}, "required": ["text"]}
_ASKING: Final[dict[str, Any]] = {
    "properties": {"role": {"const": "user"}, "content": {"anyOf": [_TEXT, {"type": "array", "contains": _PART}]}},
    "required": ["role", "content"],
}


def _asking(messages: list[UserMessage | AssistantMessage | OtherMessage]) -> object:
    if not any(isinstance(message, UserMessage) and text_of(message.content).strip() for message in messages):
        raise PydanticCustomError("no_question", "no message of the user has text, so there is no question")
    return messages


def text_of(content: str | list[TextPart]) -> str:
    return content if isinstance(content, str) else "\n".join(part.text for part in content)


def _untold(asked: bool | None) -> bool | None:
    if asked:
        raise PydanticCustomError("untold", "cannot be told")
    return asked


class ResponseFormat(Strict):
    type: Literal["text"]


class StreamOptions(Strict):
    include_usage: bool | None = None


class ChatRequest(Strict):
    """A conversation, of which the last message of the user is the question. Fields not named here are ignored."""

    model: Annotated[
        str, Clean, Field(description="One of `/v1/models`.", examples=["repopilot", "repopilot/acme/demo@v1.2.0"])
    ]
    messages: Annotated[
        list[Message],
        AfterValidator(_asking),
        Field(
            min_length=1,
            examples=[[{"role": "user", "content": "How is the KV cache allocated?"}]],
            json_schema_extra={"contains": _ASKING},
        ),
    ]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[int | None, Field(ge=1, le=1, description="There is one answer.")] = None
    logprobs: Annotated[
        bool | None, AfterValidator(_untold), Field(description="Not told.", json_schema_extra={"enum": [False, None]})
    ] = None
    response_format: Annotated[ResponseFormat | None, Field(description="Answers are text.")] = None
    modalities: Annotated[list[Literal["text"]] | None, Field(description="Answers are text.")] = None
    tool_choice: Annotated[Literal["none", "auto"] | None, Field(description="No tool is ever called.")] = None
    function_call: Annotated[Literal["none", "auto"] | None, Field(description="No function is ever called.")] = None


class TokenUsage(BaseModel):
    """Tokens: the language model's, else an estimate (a token is three bytes)."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Cited(BaseModel):
    """What OpenAI's answers do not have: which lines prove this one."""

    answer_id: Annotated[str, Field(description="For `/feedback`.")]
    citations: list[Citation]
    declined: bool
    index: Index


class CompletionMessage(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: Annotated[Whole, Field(description="Markdown: the answer, and below a rule what `[n]` in it refers to.")]
    refusal: None = None


class Choice(BaseModel):
    index: Literal[0] = 0
    message: CompletionMessage
    logprobs: None = None
    finish_reason: Literal["stop"] = "stop"


class Completion(Cited):
    """An answer, as a model's completion."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: TokenUsage


class Delta(BaseModel):
    """What a chunk adds; what it does not is left out, since some clients take a null for an ending."""

    role: Literal["assistant"] | None = None
    content: Whole | None = None

    @model_serializer(mode="wrap")
    def _added(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in serialize(self).items() if value is not None}


class ChunkChoice(BaseModel):
    index: Literal[0] = 0
    delta: Delta
    finish_reason: Literal["stop"] | None = None


class Chunk(BaseModel):
    """A piece of a streamed completion."""

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: TokenUsage | None = None


class LastChunk(Chunk, Cited):
    """The one that says how it ended."""


class Model(BaseModel):
    """A version that can be asked, as a model."""

    id: str
    object: Literal["model"] = "model"
    created: Annotated[int, Field(description="When it was indexed, in seconds of Unix time.")]
    owned_by: str = OWNER


class Models(BaseModel):
    object: Literal["list"] = "list"
    data: list[Model]


class Failure(BaseModel):
    """What went wrong, as OpenAI says it."""

    message: str
    type: str
    param: str | None
    code: str | None


class FailureBody(BaseModel):
    error: Failure
