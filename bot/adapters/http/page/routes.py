"""The page's addresses. They are the page's own and may change with it, so the OpenAPI document leaves them out."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, JSONResponse, Response

from bot.adapters.http import wire
from bot.adapters.http.options import PageOptions
from bot.adapters.http.page.quoted import Whole
from bot.adapters.http.page.site import Site
from bot.adapters.http.page.told import told
from bot.adapters.http.problem import Problem, Refused
from bot.adapters.http.stream import AnswerStream
from bot.highlighting import coloured_lines
from bot.retrieval import index_of
from bot.types import Index, Question
from indexer.errors import IndexMissing

if TYPE_CHECKING:
    from bot.adapters.http.service import Service

LONGEST_PATH = 1_000
NO_STORE = {"Cache-Control": "no-store"}
NO_FILE = Problem(404, "not_found", "There is nothing at this address.")
NO_LINES = Problem(404, "not_found", "That version has no such file, or the file has no such lines.")

Path = Annotated[str, Query(min_length=1, max_length=LONGEST_PATH)]
Line = Annotated[int, Query(ge=1, le=10_000_000)]


def page_routes(service: Service, options: PageOptions) -> APIRouter:
    """The page, its files and its answers; with origins that may show it, the widget too."""
    page = Page(service, options, Site(options.widget_origins))
    router = APIRouter(include_in_schema=False)
    router.get("/", response_class=HTMLResponse)(page.page)
    router.get("/assets/{version}/{name}")(page.asset)
    router.get("/page/indexed")(page.indexed)
    router.get("/page/lines")(page.lines)
    router.post("/page/ask")(page.ask)
    if options.widget_origins:
        router.get("/embed", response_class=HTMLResponse)(page.frame)
        router.get("/widget.js")(page.widget)
    return router


@dataclass(frozen=True, slots=True)
class Page:
    """One method a route."""

    service: Service
    options: PageOptions
    site: Site

    async def page(self) -> HTMLResponse:
        """The page."""
        return self.site.page()

    async def frame(self) -> HTMLResponse:
        """The page in the widget's frame."""
        return self.site.frame()

    async def widget(self) -> Response:
        """The script of the widget."""
        return self.site.widget()

    async def asset(self, version: str, name: str) -> Response:
        """One of the page's files."""
        found = self.site.asset(version, name)
        if found is None:
            raise Refused(NO_FILE)
        return found

    async def indexed(self) -> JSONResponse:
        """What can be asked about, latest first, and what is unless something is chosen."""
        return JSONResponse(await run_sync(self._indexed), headers=NO_STORE)

    async def ask(self, body: wire.AskRequest) -> AnswerStream:
        """An answer as events: see `told`."""
        question = body.asked()
        await self.service.demand_index(question)
        stream = AnswerStream(told(self.options.answerer.stream(question), self._texts), self.service.options.ping_s)
        stream.headers.update(NO_STORE)
        return stream

    async def lines(self, repository: wire.Name, ref: wire.Name, path: Path, start: Line, end: Line) -> JSONResponse:
        """Lines of a file, coloured."""
        await self.service.demand_index(Question("", (), repository, ref))
        found = await run_sync(self._lines, repository, ref, path, start, end)
        if found is None:
            raise Refused(NO_LINES)
        return JSONResponse(found, headers=NO_STORE)

    def _texts(self, index: Index) -> Whole:
        """The files of a version, by path. A version that has gone meanwhile has none."""

        def whole(path: str) -> str | None:
            with suppress(IndexMissing):
                return self.options.lines.whole(path, index.repository, index.commit)
            return None

        return whole

    def _indexed(self) -> dict[str, Any]:
        snapshots = self.service.stores.catalog.snapshots()
        default = index_of(self.service.retriever.snapshot())
        return {
            "default": {"repository": default.repository, "ref": default.ref},
            "indexes": [asdict(index_of(s)) | {"files": s.files, "checked_at": s.checked_at} for s in snapshots],
        }

    def _lines(self, repository: str, ref: str, path: str, start: int, end: int) -> dict[str, Any] | None:
        """The lines with their spans; None when there are none."""
        reader = self.options.lines
        excerpt, text = reader.read(path, start, end, repository, ref), reader.whole(path, repository, ref)
        if excerpt is None or text is None:
            return None
        return {
            "start": excerpt.start_line,
            "end": excerpt.end_line,
            "total": excerpt.total_lines,
            "url": excerpt.url,
            "lines": coloured_lines(text, path, excerpt.start_line, excerpt.end_line),
        }
