"""Environment variables `REPOPILOT_…` (and a `.env` file) become settings; all that is wrong is said in one message."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import AfterValidator, Field, SecretStr, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from indexer.errors import RepoPilotError
from indexer.rules import rules_of

PREFIX = "REPOPILOT_"


class SettingsError(RepoPilotError):
    """One or more settings are missing or wrong; the message names them all."""


def _http_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, a broken IPv6 address
        valid = False
    if not valid:
        raise ValueError("should be an address that begins with http:// or https://")
    return url.rstrip("/")


HttpUrl = Annotated[str, AfterValidator(_http_url)]


class Settings(BaseSettings):
    """Every setting, with its default."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=".env", extra="ignore", hide_input_in_errors=True)

    home: Path = Field(default_factory=lambda: user_data_path("repopilot"), description="where everything is stored")
    repository: str | None = Field(default=None, description="the repository that answers when a question names none")
    ref: str | None = Field(default=None, description="the version that answers when a question names none")
    exclude: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="paths never to index: gitignore patterns such as docs/archive/, separated by commas"
    )

    workers: int = Field(
        default_factory=lambda: os.cpu_count() or 1, ge=0, description="processes that parse while indexing (0: none)"
    )

    embedder_url: HttpUrl | None = Field(default=None, description="an OpenAI-compatible /v1 that serves embeddings")
    embedder: str | None = Field(
        default=None,
        validate_default=True,
        description="a sentence-transformers model, or the model at EMBEDDER_URL",
    )
    embedder_api_key: SecretStr | None = None
    reranker: str | None = Field(
        default=None, description="a sentence-transformers cross-encoder that reads the best passages again"
    )
    chroma_url: HttpUrl | None = Field(default=None, description="a Chroma server in place of the embedded one")

    llm_url: HttpUrl | None = Field(default=None, description="an OpenAI-compatible /v1, such as a vLLM server's")
    llm_model: str | None = Field(default=None, validate_default=True, description="the model's name there")
    llm_api_key: SecretStr | None = None
    llm_timeout_s: float = Field(default=90, gt=0)
    llm_context_tokens: int | None = Field(
        default=None, ge=2_048, description="the model's context, where its server does not say or less shall be used"
    )
    llm_answer_tokens: int = Field(default=1_000, ge=16)
    llm_concurrency: int = Field(default=16, ge=1)
    llm_queue: int = Field(default=64, ge=0)
    llm_structured: Literal["auto", "on", "off"] = Field(
        default="auto", description="whether the model is held to a JSON schema of statements with their sources"
    )
    llm_instructions: str = Field(default="", description="what the model is told beside RepoPilot's own rules")
    llm_logprobs: bool = Field(default=False, description="whether to ask how sure the model was of each token")

    api_token: SecretStr | None = Field(default=None, description="what HTTP clients must send as a bearer token")
    per_client_per_minute: int | None = Field(
        default=None, ge=1, description="questions and searches a client may send"
    )

    @model_validator(mode="before")
    @classmethod
    def _empty_is_unset(cls, values: dict[str, object]) -> dict[str, object]:
        values = {name: value for name, value in values.items() if value != ""}
        if isinstance(patterns := values.get("exclude"), str):
            values["exclude"] = tuple(filter(None, (pattern.strip() for pattern in patterns.split(","))))
        return values

    @field_validator("exclude")
    @classmethod
    def _are_patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        if problems := rules_of({}, patterns).problems:
            raise ValueError("; ".join(problems))
        return patterns

    @field_validator("embedder", "llm_model")
    @classmethod
    def _belongs_to_its_url(cls, model: str | None, info: ValidationInfo) -> str | None:
        """A server's address needs the model's name; a language model's name needs the address."""
        url = "llm_url" if info.field_name == "llm_model" else "embedder_url"
        if info.data.get(url) and not model:
            raise ValueError(f"is missing, since {PREFIX}{url.upper()} is set")
        if model and url == "llm_url" and info.data.get(url, "wrong") is None:
            raise ValueError(f"needs {PREFIX}LLM_URL, where the model is served")
        return model


def load() -> Settings:
    """The settings. Raises SettingsError."""
    try:
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The file .env in this folder cannot be read ({error}).") from error
    except ValidationError as error:
        raise SettingsError("Wrong settings: " + "; ".join(map(_problem, error.errors()))) from error


def _problem(error: object) -> str:
    assert isinstance(error, dict)
    name = "_".join(str(part) for part in error["loc"][:1])
    message = str(error["msg"]).removeprefix("Value error, ")
    return f"{PREFIX}{name.upper()} {message[:1].lower()}{message[1:]}"
