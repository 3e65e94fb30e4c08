"""What the routes do: each hands a question to answering or retrieval, or says how the service is doing."""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from contextlib import aclosing
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from anyio.to_thread import run_sync
from fastapi import Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from bot.adapters.http import wire
from bot.adapters.http.gate import CLIENT, Client
from bot.adapters.http.idempotency import Attempt, Attempts, idempotency_key
from bot.adapters.http.options import HttpOptions
from bot.adapters.http.problem import Problem, Refused
from bot.adapters.http.readiness import Readiness
from bot.adapters.http.stream import AnswerStream, while_connected
from bot.retrieval import Retriever, index_of
from bot.searching import on_a_core
from bot.types import Question, answer_of
from indexer.errors import IndexMissing
from indexer.records import Snapshot
from indexer.stores import Stores

if TYPE_CHECKING:
    from bot.observing import ObservedAnswerer

# Text of a repository, shown by a browser: nothing in it may run or load anything.
SOURCE_HEADERS = {"Content-Security-Policy": "default-src 'none'; sandbox"}
NO_SOURCE = Problem(404, "not_found", "No indexed version has this file; the link may be of a version since replaced.")
NO_ANSWER = Problem(404, "unknown_answer", "There is no such answer, or it is not kept any more.")
REPLAYED = {"Idempotent-Replayed": "true"}
NO_GITHUB = Problem(404, "not_found", "GitHub is not set up here: REPOPILOT_GITHUB_WEBHOOK_SECRET is not set.")


@dataclass(frozen=True, slots=True)
class Service:
    """One method a route; its docstring is shown in the OpenAPI document."""

    version: str
    answerer: ObservedAnswerer
    retriever: Retriever
    stores: Stores
    options: HttpOptions
    readiness: Readiness
    attempts: Attempts | None = None
    salt: bytes = field(default_factory=partial(secrets.token_bytes, 32), repr=False)

    async def search(self, body: wire.SearchRequest) -> wire.SearchResponse:
        """Find the passages of the indexed version that say most about the query."""
        question = body.asked()
        await self.demand_index(question)
        found = await on_a_core(self.retriever.search, question, body.limit)
        return wire.SearchResponse.model_validate(found)

    async def ask(
        self, request: Request, response: Response, body: wire.AskRequest, key: wire.IdempotencyKey = None
    ) -> Any:
        """Answer a question, with links to the exact lines that prove the answer."""
        question = body.asked()
        await self.demand_index(question)
        attempt = await self._attempt(request, body)
        headers = REPLAYED if attempt and attempt.answer else {}
        ask = partial(self.answerer.stream, question)
        events = self.attempts.events(attempt, ask) if self.attempts and attempt else ask()
        if body.stream:
            stream = AnswerStream(events, self.options.ping_s)
            stream.headers.update(headers)
            return stream
        response.headers.update(headers)
        async with while_connected(request.receive), aclosing(events):
            return wire.Answer.model_validate(await answer_of(events))

    async def feedback(self, request: Request, body: wire.FeedbackRequest) -> wire.Feedback:
        """Say what you think of an answer; what you said before is replaced."""
        history = self.options.history
        record = await run_sync(history.kept, body.answer_id) if history else None
        if history is None or record is None or record.answer is None:
            raise Refused(NO_ANSWER)
        voter = f"http:{body.voter or self._voter(request)}"
        comment = (body.comment or "").strip() or None
        await run_sync(history.vote, body.answer_id, voter, body.vote, comment)
        return wire.Feedback(answer_id=body.answer_id, vote=body.vote)

    async def source(self, location: str) -> PlainTextResponse:
        """Show a file of an indexed version that is on no code host: OWNER/NAME/COMMIT/PATH."""
        text = await run_sync(self._text, location)
        if text is None:
            raise Refused(NO_SOURCE)
        return PlainTextResponse(text, headers=SOURCE_HEADERS)

    async def github(self, request: Request) -> JSONResponse:
        """Take a delivery of GitHub's webhooks."""
        if self.options.github is None:
            raise Refused(NO_GITHUB)
        status, body = await self.options.github.receive(dict(request.headers), await request.body())
        return JSONResponse(body, status)

    async def metrics(self, request: Request) -> Response:
        """Tell what was counted and measured, for Prometheus."""
        metrics = self.options.metrics
        assert metrics
        text, media_type = await metrics.exposition(request.headers.get("accept", ""))
        return Response(text, media_type=media_type)

    async def healthz(self) -> wire.Health:
        """Say that the process answers."""
        return wire.Health(status="alive")

    async def readyz(self) -> wire.Health:
        """Say whether an index answers, by searching it."""
        await self.readiness.demand()
        return wire.Health(status="ready")

    async def status(self) -> wire.Status:
        """Say what is indexed, how old it is, what was left out, and what answers."""
        model, worker = self.options.model, self.options.worker
        return wire.Status(
            version=self.version,
            embedder=self.options.embedder,
            model=model.name if model else None,
            model_problem=(await model.ready()).reason or None if model else None,
            indexes=await run_sync(lambda: [self._described(s) for s in self.stores.catalog.snapshots()]),
            jobs=wire.JobCounts(**await worker.counts()) if worker else None,
        )

    def _voter(self, request: Request) -> str:
        """Who votes without saying so: a key by its name; an address by a hash that this process alone can make, so
        that nobody finds the address again."""
        client: Client = request.scope[CLIENT]
        hashed = hashlib.blake2s(client.address.encode(), key=self.salt, digest_size=16).hexdigest()
        return f"key:{client.key}" if client.key else f"address:{hashed}"

    async def _attempt(self, request: Request, body: wire.AskRequest) -> Attempt | None:
        """What is known of a question with an Idempotency-Key. Raises as `Attempts.begin` does."""
        key = idempotency_key(request.headers.getlist("idempotency-key"))
        if key is None or self.attempts is None:
            return None
        client: Client = request.scope[CLIENT]
        return await run_sync(self.attempts.begin, client.name, key, body.model_dump_json())

    async def demand_index(self, question: Question) -> None:
        """Raises IndexMissing when no version can answer, or Refused when it is only the one asked for that is not."""
        try:
            await run_sync(self.retriever.snapshot, question.repository, question.ref)
        except IndexMissing as missing:
            indexed = await run_sync(self.stores.catalog.snapshots)
            if indexed and (question.repository or question.ref):
                raise Refused(Problem(404, "unknown_version", str(missing))) from missing
            raise

    def _text(self, location: str) -> str | None:
        """Repositories, commits and paths all may hold slashes: the indexed versions tell where each ends."""
        for snapshot in self.stores.catalog.snapshots():
            prefix = f"{snapshot.origin.repository}/{snapshot.origin.commit}/"
            if location.startswith(prefix):
                text = self.stores.catalog.text(snapshot, location.removeprefix(prefix))
                if text is not None:
                    return text
        return None

    def _described(self, snapshot: Snapshot) -> wire.IndexStatus:
        skipped = self.stores.catalog.skipped(snapshot)
        reasons = Counter(rejected.skipped.reason for rejected in skipped)
        return wire.IndexStatus(
            **asdict(index_of(snapshot)),
            checked_at=snapshot.checked_at,
            files=snapshot.files,
            chunks=snapshot.chunks,
            embedder=snapshot.collection.embedder,
            skipped=len(skipped),
            skipped_by_reason=dict(reasons.most_common()),
        )
