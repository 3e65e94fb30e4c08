"""The parts of the service put together: routes, error responses and the two middlewares around them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import anyio
from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from bot.adapters.http import wire
from bot.adapters.http.description import ASK, DELIVERY, ERRORS, HOOK, PROBE, SOURCE, SUMMARY, UNAVAILABLE
from bot.adapters.http.gate import Gate
from bot.adapters.http.journal import Journal
from bot.adapters.http.options import HttpOptions, Worker
from bot.adapters.http.problem import explained
from bot.adapters.http.readiness import Readiness
from bot.adapters.http.service import Service
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
    service = Service(_version(), answerer, retriever, stores, options, Readiness(retriever))
    application = FastAPI(
        title="RepoPilot",
        description=SUMMARY,
        version=service.version,
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        strict_content_type=False,  # Gate decides
        generate_unique_id_function=lambda route: route.name,
        lifespan=lambda application: _running(service, options.worker),
    )
    for kind in (HTTPException, RequestValidationError, RepoPilotError, Busy):
        application.add_exception_handler(kind, _refuse)
    application.add_middleware(Gate, options=options)
    application.add_middleware(Journal)
    application.include_router(_guarded(service))
    application.include_router(_open(service))
    return application


def _guarded(service: Service) -> APIRouter:
    """What needs the token, where there is one. Gate checks it; the dependency puts it into the OpenAPI document."""
    token = HTTPBearer(auto_error=False, scheme_name="token", description="The token that the service was given.")
    router = APIRouter(dependencies=[Depends(token)] if service.options.api_token else [])
    router.post("/search", responses=ERRORS, response_model=wire.SearchResponse)(service.search)
    router.post("/ask", responses=ERRORS | ASK, response_model=wire.Answer)(service.ask)
    router.get("/status", responses=PROBE, response_model=wire.Status)(service.status)
    router.get("/source/{location:path}", responses=SOURCE, response_class=PlainTextResponse)(service.source)
    return router


def _open(service: Service) -> APIRouter:
    router = APIRouter()
    router.get("/healthz", response_model=wire.Health)(service.healthz)
    router.get("/readyz", responses=UNAVAILABLE, response_model=wire.Health)(service.readyz)
    router.post("/webhooks/github", status_code=202, responses=HOOK, openapi_extra=DELIVERY)(service.github)
    return router


@asynccontextmanager
async def _running(service: Service, worker: Worker | None) -> AsyncIterator[None]:
    """Jobs are worked on from before the first request until after the last; the first question finds a warm index."""
    async with worker.running() if worker else nullcontext(), anyio.create_task_group() as tasks:
        tasks.start_soon(service.readiness.warm)
        yield
        tasks.cancel_scope.cancel()


async def _refuse(request: Request, error: Exception) -> JSONResponse:
    return explained(error).response()


def _version() -> str:
    try:
        return version("repopilot")
    except PackageNotFoundError:  # run from a checkout that is not installed
        return "0"
