"""The only place that builds and knows every part."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bot.crossencoding import CrossEncoder
from bot.retrieval import Retriever
from bot.settings import Settings, SettingsError
from indexer.embedding import Embedder, open_embedder
from indexer.errors import IndexDamaged, IndexMissing
from indexer.stores import Stores

if TYPE_CHECKING:  # imported where they are needed: langchain and fastapi take seconds
    from fastapi import FastAPI
    from pydantic import SecretStr

    from bot.adapters.discord.app import DiscordSurface
    from bot.adapters.github.app import Surface as GitHubSurface
    from bot.adapters.github.client import Credentials
    from bot.adapters.github.policy import Policy
    from bot.adapters.http import PageOptions
    from bot.adapters.mcp.parts import Parts as AgentParts
    from bot.answering import Answerer
    from bot.history import History, Surface
    from bot.jobs import Jobs
    from bot.keys import Keyring
    from bot.ledger import Ledger
    from bot.lines import LineReader
    from bot.metrics import Metrics
    from bot.model import LanguageModel
    from bot.observing import ObservedAnswerer, Observer
    from bot.retention import Retention
    from bot.telemetry import Tracing
    from bot.types import Answer, Citation
    from bot.worker import Worker
    from indexer.sync import Progress, Report
    from indexer.types import Address
    from indexer.upgrading import Remembered


class App:
    """The parts, each built when first asked for, from one set of settings."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @cached_property
    def stores(self) -> Stores:
        return Stores(self.settings.home.expanduser(), self.settings.chroma_url)

    def index(
        self,
        address: Address,
        *,
        full: bool = False,
        say: Callable[[str], None] = lambda message: None,
        progress: Progress = lambda done, total: None,
    ) -> Report:
        """Open a source and index it, saying what is being done. A full run also replaces an index that cannot be read.

        Raises what `open_source` and `sync` raise.
        """
        try:
            return self._index(address, full, say, progress)
        except IndexDamaged:
            if not full:
                raise
            self.stores = Stores.anew(self.settings.home.expanduser(), self.settings.chroma_url)
            return self._index(address, full, say, progress)

    def _index(self, address: Address, full: bool, say: Callable[[str], None], progress: Progress) -> Report:
        from indexer.sources import open_source, storable
        from indexer.sync import sync

        s, a = self.settings, address
        say(f"Opening {a.source}")
        source = open_source(a.source, ref=a.ref, repository=a.repository, cache=self.stores.cache)
        say(f"Indexing {source.origin.repository} at {source.origin.ref}")
        return sync(
            source,
            self.stores,
            self.embedder,
            full=full,
            exclude=s.exclude,
            address=storable(address),
            workers=s.workers,
            progress=progress,
        )

    def upgrade(self, say: Callable[[str], None], progress: Progress) -> list[Remembered] | None:
        """Make an index of an earlier format anew; what it holds, or None when it is of this format already.

        Raises what `remembered` and `upgrade` raise.
        """
        from indexer.upgrading import remembered, upgrade

        home = self.settings.home.expanduser()

        def index(stores: Stores, address: Address) -> None:
            self.stores = stores
            self.index(address, say=say, progress=progress)

        if found := remembered(home):
            upgrade(home, found, index, self.settings.chroma_url)
            del self.stores
        return found

    @cached_property
    def embedder(self) -> Embedder:
        s = self.settings
        return open_embedder(s.embedder, s.embedder_url, _revealed(s.embedder_api_key))

    @cached_property
    def retriever(self) -> Retriever:
        s = self.settings
        reader = CrossEncoder(s.reranker) if s.reranker else None
        return Retriever(self.stores, self.embedder, s.repository, s.ref, reader)

    @cached_property
    def model(self) -> LanguageModel | None:
        s = self.settings
        if not s.llm_url or not s.llm_model:
            return None
        from bot.chat.client import ChatModel, ModelOptions

        options = ModelOptions(
            url=s.llm_url,
            model=s.llm_model,
            api_key=_revealed(s.llm_api_key),
            timeout_s=s.llm_timeout_s,
            context_tokens=s.llm_context_tokens,
            answer_tokens=s.llm_answer_tokens,
            concurrency=s.llm_concurrency,
            queue=s.llm_queue,
            structured=s.llm_structured,
            instructions=s.llm_instructions,
            logprobs=s.llm_logprobs,
        )
        return ChatModel(options)

    @cached_property
    def answerer(self) -> Answerer:
        from bot.answering import Answerer

        return Answerer(self.retriever, self.model, self.secrets)

    @cached_property
    def secrets(self) -> frozenset[str]:
        """What must never be said: secrets of the environment, and those of the settings wherever they came from."""
        from bot.chat.leaks import secrets_of

        return secrets_of({**os.environ, **self.settings.secrets()})

    def answering(self, surface: Surface) -> ObservedAnswerer:
        """The answerer as a surface uses it: what it answers is kept and counted."""
        from bot.observing import ObservedAnswerer

        return ObservedAnswerer(self.answerer, surface, self.observers)

    @cached_property
    def observers(self) -> tuple[Observer, ...]:
        """Who is told of each question that a surface was asked."""
        from bot.logs import question_line

        line = question_line(self.settings.log_questions)
        return (self.history.record, line, *((self.tracing.question,) if self.tracing else ()))

    def open_log(self) -> None:
        """Let this process log as the settings say, without their secrets."""
        from bot.logs import configure

        configure(self.settings.log_format, {*self.secrets, *self.settings.secrets().values()})

    @cached_property
    def metrics(self) -> Metrics:
        """What the service counts and measures, for `/metrics`."""
        from bot.build import version
        from bot.metrics import Metrics

        return Metrics(version())

    @cached_property
    def tracing(self) -> Tracing | None:
        """What sends traces, where OpenTelemetry's variables say where to. Raises TelemetryError."""
        from bot.build import version
        from bot.telemetry import open_tracing

        return open_tracing(self.settings.log_questions, version())

    @property
    def beside(self) -> list[Callable[[], Coroutine[Any, Any, None]]]:
        """What goes on as long as the program serves: as part of the worker, where there is one."""
        return [self.retention.keep, *([self.tracing.run] if self.tracing else [])]

    @cached_property
    def retention(self) -> Retention:
        """What deletes questions, answers, votes and settled jobs after their time."""
        from bot.retention import Retention

        jobs = [self.jobs.forget] if self.github or self.discord else []
        return Retention(self.settings.history_days, [self.history.forget, self.ledger.forget, *jobs])

    @cached_property
    def lines(self) -> LineReader:
        from bot.lines import LineReader

        return LineReader(self.stores, self.retriever)

    @cached_property
    def database_url(self) -> str:
        """Where jobs and history are kept, as SQLAlchemy writes it."""
        if url := self.settings.database_url:
            return f"postgresql+psycopg://{url.partition('://')[2]}"
        home = self.settings.home.expanduser()
        home.mkdir(parents=True, exist_ok=True)
        return f"sqlite:///{home / 'jobs.sqlite'}"

    @cached_property
    def ledger(self) -> Ledger:
        from bot.ledger import Ledger

        return Ledger(self.database_url)

    @cached_property
    def history(self) -> History:
        from bot.history import History

        return History(self.database_url)

    @cached_property
    def keyring(self) -> Keyring:
        from bot.keys import Keyring

        return Keyring(self.database_url)

    @cached_property
    def jobs(self) -> Jobs:
        from bot.jobs import Jobs
        from bot.seats import FileSeats, PostgresSeats

        s, folder = self.settings, self.settings.home.expanduser() / "workers"
        kind = "-".join(name for name, on in (("github", s.github_webhook_secret), ("discord", s.discord_token)) if on)
        seats = PostgresSeats(self.database_url, kind) if s.database_url else FileSeats(folder, kind)
        return Jobs(self.database_url, seats, s.jobs_concurrency)

    @cached_property
    def github(self) -> GitHubSurface | None:
        """What answers on GitHub, where it is set up."""
        s = self.settings
        if not s.github_webhook_secret:
            return None
        from bot.adapters.github.app import GitHubOptions, open_github

        secret = _revealed(s.github_webhook_secret) or ""
        options = GitHubOptions(self.github_credentials, secret, self.github_policy, s.per_user_per_minute)
        answer = self.answering("github").answer
        return open_github(options, self.ledger, self.history, self.jobs, answer, self.sync)

    @cached_property
    def github_credentials(self) -> Credentials:
        """With what we show GitHub who we are. Raises SettingsError when the key's file cannot be read."""
        from bot.adapters.github.client import Credentials

        s, key_file = self.settings, self.settings.github_private_key_file
        try:
            key = key_file.expanduser().read_text() if key_file else _revealed(s.github_private_key)
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"The App's private key cannot be read from {key_file} ({error}).") from error
        return Credentials(s.github_url, s.github_app_id, key, _revealed(s.github_token))

    @cached_property
    def github_policy(self) -> Policy:
        """Whom and what we answer on GitHub."""
        from bot.adapters.github.policy import Policy

        s = self.settings
        return Policy(
            handle=s.github_handle,
            associations=_lower(s.github_associations),
            allow=_lower(s.github_allow),
            deny=_lower(s.github_deny),
            label=s.github_label,
            drafts=s.github_drafts,
        )

    @cached_property
    def discord(self) -> DiscordSurface | None:
        """What answers on Discord, where it is set up."""
        s = self.settings
        if not s.discord_token:
            return None
        from bot.adapters.discord.app import DiscordOptions, DiscordSurface
        from bot.adapters.discord.limits import Limits
        from bot.adapters.discord.policy import Policy

        policy = Policy(
            guilds=frozenset(s.discord_guilds),
            channels=frozenset(s.discord_channels),
            denied=frozenset(s.discord_denied),
            direct=s.discord_direct,
            threads=s.discord_threads,
            streaming=s.discord_streaming,
            editable_s=s.discord_editable_s,
        )
        options = DiscordOptions(
            token=_revealed(s.discord_token) or "",
            url=s.discord_url,
            policy=policy,
            limits=Limits(s.per_user_per_minute, s.per_channel_per_minute, s.per_guild_per_minute),
            message_content=s.discord_message_content,
            shards=s.discord_shards,
        )
        answering = self.answering("discord")
        return DiscordSurface(
            options, self.ledger, self.history, self.jobs, answering.stream, self.cited_lines, self.indexed
        )

    def cited_lines(self, answer: Answer, citation: Citation) -> str | None:
        """The lines that a citation refers to; None when their version is not indexed any more."""
        lines, version = (citation.start_line, citation.end_line), (answer.index.repository, answer.index.commit)
        try:
            excerpt = self.lines.read(citation.path, *lines, *version)
        except IndexMissing:
            return None
        return excerpt.text if excerpt else None

    def indexed(self) -> str:
        """What is indexed, as a list in Markdown."""
        snapshots = self.stores.catalog.snapshots()
        lines = (
            f"- **{s.origin.repository}** `{s.origin.ref}`, read {s.indexed_at[:10]}, {s.files} files"
            for s in snapshots
        )
        return "\n".join(lines)[:1_900] or "Nothing is indexed yet."

    def sync(self, address: Address, private: bool = False) -> str:
        """Bring an index up to date: each version that was indexed from a repository by that name and may move on, else
        what is at the address; a `private` repository is only read from the address, which holds a token. What was
        done, in a few words. Raises as `index` does."""
        from indexer.watching import movable

        name = (address.repository or "").lower()
        known = (
            []
            if address.ref
            else movable(found for found in self.stores.catalog.snapshots() if found.origin.repository.lower() == name)
        )
        if private:
            known = [replace(found, source=address.source) for found in known]
        reports = [self.index(found) for found in known or [address]]
        return "; ".join(f"{origin.repository} at {origin.commit}" for origin in (r.snapshot.origin for r in reports))

    @cached_property
    def worker(self) -> Worker | None:
        """What works on jobs in this process; None where no surface makes any."""
        if not self.github and not self.discord:
            return None
        from bot.worker import Worker

        rounds = self.github.rounds if self.github else ()
        listeners = [*self.beside, *([self.discord.listen] if self.discord else [])]
        return Worker(self.jobs, self.ledger, rounds, listeners, self.settings.jobs_sweep_s)

    @property
    def page(self) -> PageOptions | None:
        """What the web page answers with; None where there is none."""
        from bot.adapters.http import PageOptions

        off = self.settings.page == "off"
        return None if off else PageOptions(self.answering("page"), self.lines, self.settings.widget_origins)

    def agent_parts(self) -> AgentParts:
        """What the tools for coding agents work with."""
        from bot.adapters.mcp.parts import Parts

        return Parts(self.answering("mcp"), self.retriever, self.lines, self.stores)

    def http(self, local: bool = False) -> FastAPI:
        """The HTTP service over these parts. `local`: it will listen on this machine alone."""
        from bot.adapters.http import HttpOptions, create_application
        from bot.adapters.http.options import BESIDE_THE_MODEL_S
        from bot.adapters.http.problem import explained
        from bot.adapters.mcp.endpoint import Endpoint
        from bot.gauges import sources

        self.observers = (*self.observers, self.metrics.question)  # before any surface is built, and only where served
        counts = self.worker.counts if self.worker else None
        self.metrics.sources = sources(self.stores.catalog.snapshots, self.history.tally, counts, self.model)
        options = HttpOptions(
            _revealed(self.settings.api_token),
            self.settings.per_client_per_minute,
            embedder=self.embedder.name,
            model=self.model,
            github=self.github.webhook if self.github else None,
            worker=self.worker,
            chat=self.answering("openai"),
            mcp=Endpoint(self.agent_parts, lambda error: explained(error).message),
            keys=self.keyring,
            history=self.history,
            attempts_url=self.database_url,
            local=local,
            hosts=self.settings.hosts,
            per_address_per_minute=self.settings.per_address_per_minute,
            page_open=self.settings.page == "open",
            body_timeout_s=self.settings.body_timeout_s,
            request_timeout_s=self.settings.request_timeout_s or self.settings.llm_timeout_s + BESIDE_THE_MODEL_S,
            page=self.page,
            metrics=self.metrics,
            tracer_provider=self.tracing.provider if self.tracing else None,
            beside=() if self.worker else self.beside,
        )
        return create_application(self.answering("http"), self.retriever, self.stores, options)


def _lower(names: Iterable[str]) -> frozenset[str]:
    return frozenset(map(str.lower, names))


def _revealed(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None
