"""What the routes do: each hands a question to answering or retrieval, or says how the service is doing."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from anyio.to_thread import run_sync
from fastapi import Request
from fastapi.responses import JSONResponse, PlainTextResponse

from bot.adapters.http import wire
from bot.adapters.http.options import HttpOptions
from bot.adapters.http.problem import Problem, Refused
from bot.adapters.http.readiness import Readiness
from bot.adapters.http.stream import AnswerStream, while_connected
from bot.retrieval import Retriever, index_of
from bot.types import Question
from indexer.errors import IndexMissing
from indexer.records import Snapshot
from indexer.stores import Stores

if TYPE_CHECKING:
    from bot.observing import ObservedAnswerer

# Text of a repository, shown by a browser: nothing in it may run or load anything.
SOURCE_HEADERS = {"Content-Security-Policy": "default-src 'none'; sandbox"}
NO_SOURCE = Problem(404, "not_found", "No indexed version has this file; the link may be of a version since replaced.")
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

    async def search(self, body: wire.SearchRequest) -> wire.SearchResponse:
        """Find the passages of the indexed version that say most about the query."""
        question = body.asked()
        await self._demand_index(question)
        found = await run_sync(self.retriever.search, question, body.limit)
        return wire.SearchResponse.model_validate(found)

    async def ask(self, request: Request, body: wire.AskRequest) -> Any:
        """Answer a question, with links to the exact lines that prove the answer."""
        question = body.asked()
        await self._demand_index(question)
        if body.stream:
            return AnswerStream(self.answerer.stream(question), self.options.ping_s)
        async with while_connected(request.receive):
            return wire.Answer.model_validate(await self.answerer.answer(question))

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

    async def _demand_index(self, question: Question) -> None:
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
