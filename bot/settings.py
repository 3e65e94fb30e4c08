"""Environment variables `REPOPILOT_…` (and a `.env` file) become settings; all that is wrong is said in one message."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from indexer.errors import RepoPilotError
from indexer.rules import rules_of

PREFIX = "REPOPILOT_"
_HOST = r"[a-z0-9-]+(?:\.[a-z0-9-]+)*"
# https://html.spec.whatwg.org/multipage/browsers.html#ascii-serialisation-of-an-origin
_ORIGIN = re.compile(rf"https?://(?:{_HOST}|\[[0-9a-f:]+\])(?::[1-9][0-9]{{0,4}})?")


class SettingsError(RepoPilotError):
    """One or more settings are missing or wrong; the message names them all."""


def http_url(url: str) -> str:
    """An address without the slash at its end. Raises ValueError."""
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, a broken IPv6 address
        valid = False
    if not valid:
        raise ValueError("should be an address that begins with http:// or https://")
    return url.rstrip("/")


HttpUrl = Annotated[str, AfterValidator(http_url)]


def _listed(value: object) -> object:
    """The parts of a text that commas separate."""
    return tuple(filter(None, (part.strip() for part in value.split(",")))) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_listed)]
Ids = Annotated[tuple[int, ...], NoDecode, BeforeValidator(_listed)]


class Settings(BaseSettings):
    """Every setting, with its default."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, env_file=".env", extra="ignore", hide_input_in_errors=True)

    home: Path = Field(
        default_factory=lambda: user_data_path("repopilot"),
        description="where everything is stored",
        json_schema_extra={"default": "the platform's folder for user data"},
    )
    secrets_dir: Path | None = Field(
        default=None,
        description="a folder with a file for each setting that is to come from one, such as repopilot_api_token: what"
        " Docker and Kubernetes mount secrets as; the environment goes before it",
    )
    repository: str | None = Field(default=None, description="the repository that answers when a question names none")
    ref: str | None = Field(default=None, description="the version that answers when a question names none")
    exclude: Names = Field(
        default=(), description="paths never to index: gitignore patterns such as docs/archive/, separated by commas"
    )

    workers: int = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=0,
        description="processes that parse while indexing; 0: none but the program's own",
        json_schema_extra={"default": "one a core"},
    )

    embedder_url: HttpUrl | None = Field(default=None, description="an OpenAI-compatible /v1 that serves embeddings")
    embedder: str | None = Field(
        default=None,
        validate_default=True,
        description="a sentence-transformers model, or the model at EMBEDDER_URL",
    )
    embedder_api_key: SecretStr | None = Field(default=None, description="the key of the server at EMBEDDER_URL")
    reranker: str | None = Field(
        default=None, description="a sentence-transformers cross-encoder that reads the best passages again"
    )
    chroma_url: HttpUrl | None = Field(default=None, description="a Chroma server in place of the embedded one")

    llm_url: HttpUrl | None = Field(default=None, description="an OpenAI-compatible /v1, such as a vLLM server's")
    llm_model: str | None = Field(default=None, validate_default=True, description="the model's name there")
    llm_api_key: SecretStr | None = Field(default=None, description="the key of the server at LLM_URL")
    llm_timeout_s: float = Field(
        default=90, gt=0, description="after how many seconds the extractive answer is given instead"
    )
    llm_context_tokens: int | None = Field(
        default=None, ge=2_048, description="the model's context, where its server does not say or less shall be used"
    )
    llm_answer_tokens: int = Field(default=1_000, ge=16, description="how long an answer may be")
    llm_concurrency: int = Field(default=16, ge=1, description="questions at the model at once")
    llm_queue: int = Field(default=64, ge=0, description="questions that wait for it; more are told to come back")
    llm_structured: Literal["auto", "on", "off"] = Field(
        default="auto", description="whether the model is held to a JSON schema of statements with their sources"
    )
    llm_instructions: str = Field(default="", description="what the model is told beside RepoPilot's own rules")
    llm_logprobs: bool = Field(default=False, description="whether to ask how sure the model was of each token")

    api_token: SecretStr | None = Field(default=None, description="what HTTP clients must send as a bearer token")
    hosts: Names = Field(
        default=(),
        description="names by which a service without keys that listens on this machine alone answers beside localhost,"
        " such as its proxy's bot.example.org, by commas",
    )
    per_client_per_minute: int | None = Field(
        default=None, ge=1, description="requests that a key, or an address without one, may send to the HTTP API"
    )
    per_address_per_minute: int | None = Field(
        default=None, ge=1, description="requests that an address may send, whatever keys it shows"
    )
    body_timeout_s: float = Field(default=20, gt=0, description="seconds in which a request's body must have come")
    request_timeout_s: float | None = Field(
        default=None,
        gt=0,
        description="seconds in which a request is answered; default: a minute more than LLM_TIMEOUT_S",
    )

    page: Literal["on", "open", "off"] = Field(
        default="on",
        description="the web page at /; open: it needs no key where others do, and each address has its own limit",
    )
    widget_origins: Names = Field(
        default=(), description="sites that may show the widget, such as https://docs.example.org, by commas"
    )

    database_url: str | None = Field(
        default=None, description="a PostgreSQL database for jobs and history, postgresql://…; default: SQLite in HOME"
    )
    history_days: int = Field(default=90, ge=1, description="how long questions, answers and votes are kept, in days")
    log_format: Literal["text", "json"] = Field(default="text", description="how log lines are written")
    log_questions: bool = Field(default=False, description="whether the log shows what was asked")
    jobs_concurrency: int = Field(default=16, ge=1, description="questions that a process works on at once")
    jobs_sweep_s: float = Field(default=30.0, gt=0, description="how often to look for what others left undone")
    per_user_per_minute: int | None = Field(default=None, ge=1, description="questions a person may ask")

    github_app_id: str | None = Field(default=None, description="the id of the GitHub App, or its client id")
    github_private_key: SecretStr | None = Field(default=None, description="the App's private key (PEM)")
    github_private_key_file: Path | None = Field(default=None, description="the file that holds it, in its place")
    github_token: SecretStr | None = Field(default=None, description="a token, in place of an App")
    github_webhook_secret: SecretStr | None = Field(
        default=None, validate_default=True, description="what GitHub signs its deliveries with"
    )
    github_url: HttpUrl = Field(
        default="https://api.github.com", description="the API; for Enterprise https://HOST/api/v3"
    )
    github_handle: str = Field(default="RepoPilot", description="the name that people mention, without the @")
    github_associations: Names = Field(
        default=(), description="who may ask, such as OWNER,MEMBER,COLLABORATOR,CONTRIBUTOR; default: anyone"
    )
    github_allow: Names = Field(default=(), description="the only accounts that may ask, whatever they are")
    github_deny: Names = Field(default=(), description="accounts that are not answered")
    github_label: str | None = Field(default=None, description="new issues with this label are answered unasked")
    github_drafts: bool = Field(default=False, description="answers stay folded up until a maintainer reacts with 👍")

    discord_token: SecretStr | None = Field(default=None, description="the bot's token")
    discord_url: HttpUrl = Field(default="https://discord.com/api/v10", description="the API")
    discord_guilds: Ids = Field(default=(), description="the only servers that are answered; default: all")
    discord_channels: Ids = Field(default=(), description="the only channels, threads in them included; default: all")
    discord_denied: Ids = Field(default=(), description="servers, channels and people that are not answered")
    discord_direct: bool = Field(default=True, description="whether direct messages are answered")
    discord_threads: bool = Field(default=False, description="whether each answer opens a thread and goes on there")
    discord_streaming: bool = Field(default=True, description="whether an answer is shown while it grows")
    discord_editable_s: float = Field(
        default=900, ge=0, description="seconds in which an edited question is answered anew"
    )
    discord_message_content: bool = Field(
        default=True, description="whether to hear what does not mention the bot: threads, mentions of its role"
    )
    discord_shards: int | None = Field(
        default=None, ge=1, description="connections to the gateway; default: as advised"
    )
    per_channel_per_minute: int | None = Field(default=None, ge=1, description="questions in a channel on Discord")
    per_guild_per_minute: int | None = Field(default=None, ge=1, description="questions in a server on Discord")

    def secrets(self) -> dict[str, str]:
        """What must never be shown, by the variable that sets it, wherever it came from."""
        values = ((f"{PREFIX}{name.upper()}", getattr(self, name)) for name in type(self).model_fields)
        return {name: value.get_secret_value() for name, value in values if isinstance(value, SecretStr)}

    @model_validator(mode="before")
    @classmethod
    def _empty_is_unset(cls, values: dict[str, object]) -> dict[str, object]:
        return {name: value for name, value in values.items() if value != ""}

    @field_validator("exclude")
    @classmethod
    def _are_patterns(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        if problems := rules_of({}, patterns).problems:
            raise ValueError("; ".join(problems))
        return patterns

    @field_validator("hosts")
    @classmethod
    def _are_hosts(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        """In lower case, as they are compared."""
        lower = tuple(map(str.lower, hosts))
        if not all(re.fullmatch(_HOST, host) for host in lower):
            raise ValueError("should be names such as bot.example.org: no scheme, no port, no star")
        return lower

    @field_validator("widget_origins")
    @classmethod
    def _are_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        """As browsers write them, since they are compared with what browsers say."""
        if not all(map(_ORIGIN.fullmatch, origins)):
            raise ValueError("should be origins such as https://docs.example.org: in lower case, no path, no star")
        return origins

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

    @field_validator("github_webhook_secret")
    @classmethod
    def _is_set_where_github_is(cls, secret: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        given = [name for name in ("github_app_id", "github_token") if info.data.get(name)]
        if given and secret is None:
            raise ValueError(
                f"is missing, since {PREFIX}{given[0].upper()} is set: deliveries without it could be anybody's"
            )
        return secret

    @field_validator("request_timeout_s")
    @classmethod
    def _is_longer_than_the_models(cls, seconds: float | None, info: ValidationInfo) -> float | None:
        """Else the model's time would never be over, and the extractive answer never given."""
        model = info.data.get("llm_timeout_s", 0)
        if seconds is not None and seconds <= model:
            raise ValueError(f"should be longer than {PREFIX}LLM_TIMEOUT_S, which is {model:g}")
        return seconds

    @field_validator("database_url")
    @classmethod
    def _is_a_database(cls, url: str | None) -> str | None:
        if url and not url.startswith(("postgresql://", "postgres://", "postgresql+psycopg://")):
            raise ValueError("should begin with postgresql://")
        return url

    @model_validator(mode="after")
    def _app_has_a_key(self) -> Settings:
        if self.github_app_id and not (self.github_private_key or self.github_private_key_file):
            raise ValueError(f"{PREFIX}GITHUB_PRIVATE_KEY (or _FILE) is missing, since {PREFIX}GITHUB_APP_ID is set")
        return self


def load(**given: str) -> Settings:
    """The settings; what is given goes before the environment. Raises SettingsError."""
    folder = os.environ.get(f"{PREFIX}SECRETS_DIR") or None
    if folder and not Path(folder).is_dir():
        raise SettingsError(f"{PREFIX}SECRETS_DIR: there is no folder {folder}.")
    try:
        return Settings(_secrets_dir=folder, **given)  # type: ignore[arg-type]
    except (OSError, UnicodeDecodeError) as error:
        where = f"The file .env in this folder, or a file in {folder}," if folder else "The file .env in this folder"
        raise SettingsError(f"{where} cannot be read ({error}).") from error
    except ValidationError as error:
        raise SettingsError("Wrong settings: " + "; ".join(map(_problem, error.errors()))) from error


def unknown(environment: Iterable[str]) -> dict[str, str | None]:
    """Variables that look like settings and are none, each with the setting that was perhaps meant."""
    given = {name: name.upper().removeprefix(PREFIX) for name in environment if name.upper().startswith(PREFIX)}
    known = [name.upper() for name in Settings.model_fields]
    near = {name: get_close_matches(short, known, 1, 0.8) for name, short in given.items() if short not in known}
    return {name: f"{PREFIX}{found[0]}" if found else None for name, found in near.items()}


def _problem(error: object) -> str:
    assert isinstance(error, dict)
    name = "_".join(str(part) for part in error["loc"][:1])
    message = str(error["msg"]).removeprefix("Value error, ")
    if not name:
        return message
    return f"{PREFIX}{name.upper()} {message[:1].lower()}{message[1:]}"
