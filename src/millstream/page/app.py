"""Routes of the page."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from millstream.core.errors import MillstreamError
from millstream.page import queries
from millstream.page.access import PageAccess, SafeHeaders
from millstream.page.events import events
from millstream.page.exposition import CONTENT_TYPE
from millstream.page.health import is_live, is_ready

if TYPE_CHECKING:
    from millstream.page.live import LivePage

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"
READABLE = ("RUNNING", "REBALANCING")
"""States in which stores can be asked."""
Work = Callable[[], Any]


def application(page: LivePage) -> Starlette:
    """Return the ASGI application that serves a page."""

    async def index(request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def topology(request: Request) -> Response:
        return await answered(page.topology)

    async def snapshot(request: Request) -> Response:
        return await answered(page.snapshot)

    async def described(request: Request) -> Response:
        return PlainTextResponse(page.view.description)

    async def metrics(request: Request) -> Response:
        text = await run_in_threadpool(page.metrics)
        return Response(text, media_type=CONTENT_TYPE)

    async def query(request: Request) -> Response:
        return await _asked(request, queries.answer)

    async def metadata(request: Request) -> Response:
        return await _asked(request, queries.metadata)

    async def _asked(request: Request, work: Callable[..., Any]) -> Response:
        store, asked = request.path_params["store"], dict(request.query_params)
        if page.view.state() not in READABLE:
            state = page.view.state()
            return problem(503, f"the application is {state}", "Ask again when it is RUNNING.")
        try:
            return await answered(lambda: work(page.view, store, asked))
        except queries.RefusedQuery as error:
            return problem(error.status, error.problem, error.hint)
        except MillstreamError as error:
            return problem(409, error.getMessage(), error.hint)

    async def stream(request: Request) -> Response:
        return events(page.watchers, page.snapshot)

    async def live(request: Request) -> Response:
        return _health(*is_live(page.view))

    async def ready(request: Request) -> Response:
        return _health(*is_ready(page.view))

    routes: list[Any] = [
        Route("/", index),
        Route("/api/topology", topology),
        Route("/api/snapshot", snapshot),
        Route("/api/events", stream),
        Route("/api/query/{store:path}", query),
        Route("/query/{store:path}", query),
        Route("/api/stores/{store:path}/metadata", metadata),
        Route("/topology", described),
        Route("/metrics", metrics),
        Route("/health/live", live),
        Route("/health/ready", ready),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(SafeHeaders), Middleware(PageAccess, settings=page.settings)],
        exception_handlers={500: failed, 404: not_found, 405: not_allowed},
    )


async def answered(work: Work) -> Response:
    """Return the JSON answer of work that is done in a thread of its own."""
    found = await run_in_threadpool(work)
    return JSONResponse(found, headers={"Cache-Control": "no-store"})


async def failed(request: Request, error: Exception) -> Response:
    """Return the answer to a request that the page has failed at."""
    log.warning("the live page could not answer path=%s: %r", request.url.path, error)
    return problem(500, f"the page failed: {type(error).__name__}", "The application's log has it.")


async def not_found(request: Request, error: Exception) -> Response:
    """Return the answer to a request for what is not there."""
    return problem(404, f"there is no {request.url.path}", "GET / is the page.")


async def not_allowed(request: Request, error: Exception) -> Response:
    """Return the answer to a request that would change something."""
    return problem(405, f"{request.method} is not allowed", "The page only shows: use GET.")


def problem(status: int, error: str, hint: str) -> Response:
    """Return an answer that says what is wrong and what to do."""
    return JSONResponse({"error": error, "hint": hint}, status)


def _health(good: bool, state: str, reason: str) -> Response:
    return JSONResponse({"state": state, "reason": reason}, 200 if good else 503)
