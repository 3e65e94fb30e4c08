"""The parts of the service put together: routes, error responses and the two middlewares around them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

import anyio
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException
from starlette.routing import Route

from bot.adapters.http import description as told
from bot.adapters.http import wire
from bot.adapters.http.deadline import Deadline
from bot.adapters.http.document import Described
from bot.adapters.http.gate import Gate
from bot.adapters.http.idempotency import Attempts
from bot.adapters.http.journal import Journal
from bot.adapters.http.openai import OpenAI, openai_router
from bot.adapters.http.options import HttpOptions
from bot.adapters.http.page import page_routes
from bot.adapters.http.readiness import Readiness
from bot.adapters.http.refusing import refused
from bot.adapters.http.service import Service
from bot.build import version
from bot.model import Busy
from bot.retrieval import Retriever
from indexer.errors import RepoPilotError
from indexer.stores import Stores

if TYPE_CHECKING:
    from bot.observing import ObservedAnswerer


def create_application(
    answerer: ObservedAnswerer, retriever: Retriever, stores: Stores, options: HttpOptions
) -> FastAPI:
    """The service over these parts; it starts nothing and closes nothing of theirs."""
    attempts = Attempts(options.attempts_url, options.request_timeout_s) if options.attempts_url else None
    service = Service(version(), answerer, retriever, stores, options, Readiness(retriever), attempts)
    application = Described(
        title="RepoPilot",
        description=told.SUMMARY,
        version=service.version,
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        strict_content_type=False,  # Gate decides
        generate_unique_id_function=lambda route: route.name,
        lifespan=lambda application: _running(service),
        telemetry={
            "tracing": options.tracer_provider is not None,
            "tracer_provider": options.tracer_provider,
            "metrics": False,  # `/metrics` has them
            "logs": False,  # they would hold what went wrong, unmasked
            "operation_spans": False,
            "auto_configure": False,
        },
    )
    for kind in (HTTPException, RequestValidationError, RepoPilotError, Busy, OperationalError):
        application.add_exception_handler(kind, _refuse)
    application.add_middleware(Gate, options=options)
    application.add_middleware(Deadline, seconds=options.request_timeout_s)
    application.add_middleware(Journal, counted=options.metrics.request if options.metrics else None)
    application.include_router(_guarded(service))
    application.include_router(_open(service))
    if options.page:
        application.include_router(page_routes(service, options.page))
    if options.mcp:  # each request stands by itself: there is no session to GET or to DELETE
        application.router.routes.append(Route("/mcp", options.mcp, methods=["POST"]))
    return application


def _guarded(service: Service) -> APIRouter:
    """What needs a key, where there are any: Gate sees to it."""
    router = APIRouter()
    answers, index = APIRouter(tags=["answers"]), APIRouter(tags=["index"])
    answers.post("/search", responses=told.SEARCH, response_model=wire.SearchResponse)(service.search)
    answers.post("/ask", responses=told.ASK, response_model=wire.Answer)(service.ask)
    answers.post("/feedback", responses=told.FEEDBACK, response_model=wire.Feedback)(service.feedback)
    index.get("/status", response_model=wire.Status)(service.status)
    index.get("/source/{location:path}", responses=told.SOURCE, response_class=PlainTextResponse)(service.source)
    if service.options.metrics:
        router.get("/metrics", tags=["operation"], responses=told.METRICS, response_class=PlainTextResponse)(
            service.metrics
        )
    openai = OpenAI(service.options.chat or service.answerer, service.retriever, service.stores, service.options.ping_s)
    for part in (answers, index):
        router.include_router(part)
    router.include_router(openai_router(openai), tags=["openai"])
    return router


def _open(service: Service) -> APIRouter:
    router = APIRouter()
    probes = APIRouter(tags=["operation"])
    probes.get("/healthz", response_model=wire.Health)(service.healthz)
    probes.get("/readyz", responses=told.UNAVAILABLE, response_model=wire.Health)(service.readyz)
    router.include_router(probes)
    router.post(
        "/webhooks/github", tags=["webhooks"], status_code=202, responses=told.HOOK, openapi_extra=told.DELIVERY
    )(service.github)
    return router


@asynccontextmanager
async def _running(service: Service) -> AsyncIterator[None]:
    """Jobs are worked on from before the first request until after the last; the first question finds a warm index."""
    worker, mcp = service.options.worker, service.options.mcp
    async with (
        worker.running() if worker else nullcontext(),
        mcp.running() if mcp else nullcontext(),
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(service.readiness.warm)
        if service.attempts:
            tasks.start_soon(service.attempts.sweep)
        for work in service.options.beside:
            tasks.start_soon(work)
        yield
        tasks.cancel_scope.cancel()
    if service.attempts:
        service.attempts.close()


async def _refuse(request: Request, error: Exception) -> JSONResponse:
    return refused(request.url.path, error)
