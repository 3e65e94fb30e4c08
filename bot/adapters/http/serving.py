"""The server under the service: what it refuses before there is a request to look at."""

from __future__ import annotations

import resource
from contextlib import suppress
from typing import Final

import h11
import uvicorn
from fastapi import FastAPI
from fastapi.responses import JSONResponse
from uvicorn.protocols.http.h11_impl import H11Protocol

from bot.adapters.http.openai import error_body
from bot.adapters.http.problem import BAD_HTTP

# Then 503, also for clients that only hold connections; the index has up to 742 files open beside them (docs/scale.md).
MOST_CONNECTIONS: Final = 2_000
# A request that is sent on an idle connection just as we close it is lost, so clients and proxies must close it first:
# nginx and AWS' load balancers after 60 s; and nobody is told to come back later than that.
IDLE_S: Final = 75
MOST_FILES: Final = 65_536
# Request line and headers together, in bytes; proxies commonly let 8 to 32 KiB through.
LARGEST_HEAD: Final = 32 * 1024


def open_many_files() -> None:
    """Let this process open as many files as it may: 1,024, which most systems give, are too few for a busy service."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if resource.RLIM_INFINITY != soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class Protocol(H11Protocol):
    """uvicorn's, which says in our form (and OpenAI's, since there is no path yet) what is no request."""

    def send_400_response(self, msg: str) -> None:
        response = JSONResponse(error_body(BAD_HTTP).model_dump(), BAD_HTTP.status, headers=dict(BAD_HTTP.headers))
        head = h11.Response(status_code=response.status_code, headers=response.raw_headers, reason=b"Bad Request")
        with suppress(h11.LocalProtocolError):  # a response is on its way, or has gone
            for event in (head, h11.Data(data=bytes(response.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()


def server_of(
    application: FastAPI, host: str = "127.0.0.1", port: int = 8080, *, lifespan: bool = True
) -> uvicorn.Server:
    """A server for the service, not started.

    h11 parses requests, not httptools, which bounds no headers. Behind a proxy, FORWARDED_ALLOW_IPS names the proxies
    whose X-Forwarded-For is believed (https://www.uvicorn.org/settings/#http).
    """
    config = uvicorn.Config(
        application,
        host=host,
        port=port,
        http=Protocol,
        ws="none",
        lifespan="auto" if lifespan else "off",
        h11_max_incomplete_event_size=LARGEST_HEAD,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=IDLE_S,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
    )
    return uvicorn.Server(config)
