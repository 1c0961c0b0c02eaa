"""Server of samples: the page's files and routes, with snapshots that a test publishes.

``python -m compat_tests.page.browser.server 8000`` shows the page with a sample that evolves.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from typing_extensions import Self

import millstream
from compat_tests.page.browser import sample
from compat_tests.page.browser.sample import Json

STATIC = Path(millstream.__path__[0]) / "page" / "static"
POLICY = {"Content-Security-Policy": "default-src 'self'"}


class SampleServer:
    """The page with given snapshots, on a port of its own, in a thread."""

    def __init__(self, topology: Json | None = None, snapshot: Json | None = None) -> None:
        self.topology = topology or sample.topology()
        self.snapshot = snapshot or sample.snapshot()
        self.queries: list[dict[str, str]] = []
        """The queries that came, as their stores and parameters."""
        self.answer: tuple[int, Json] = (
            200,
            {"store": "", "key": None, "entries": [], "more": False},
        )
        """What the next queries get: status and body."""
        self.token: str | None = None
        self._readers: set[asyncio.Queue[Json]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.port = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start on a free port; again on the same one after a stop."""
        config = uvicorn.Config(
            self._routes(),
            port=self.port,
            log_level="critical",
            timeout_graceful_shutdown=1,
            lifespan="off",
        )
        self._server = uvicorn.Server(config)
        started = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(started,), daemon=True)
        self._thread.start()
        assert started.wait(30)

    def _serve(self, started: threading.Event) -> None:
        asyncio.run(self._run(started))

    async def _run(self, started: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        serving = asyncio.create_task(self._server.serve())
        while not self._server.started and not serving.done():
            await asyncio.sleep(0.01)
        self.port = self._server.servers[0].sockets[0].getsockname()[1]
        started.set()
        await serving

    def stop(self) -> None:
        """Stop, and break all streams."""
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(30)
        self._readers.clear()

    def publish(self, snapshot: Json) -> None:
        """Send a snapshot to all who read the stream."""
        self.snapshot = snapshot
        assert self._loop is not None
        for queue in list(self._readers):
            self._loop.call_soon_threadsafe(queue.put_nowait, snapshot)

    def _routes(self) -> Starlette:
        routes = [
            Route("/", self._page),
            Mount("/static", StaticFiles(directory=STATIC)),
            Route("/api/topology", self._topology),
            Route("/api/snapshot", self._snapshot),
            Route("/api/events", self._events),
            Route("/api/query/{store:path}", self._query),
            Route("/health/ready", self._ready),
        ]
        return Starlette(routes=routes)

    async def _page(self, request: Request) -> Response:
        return FileResponse(STATIC / "index.html", headers=POLICY)

    async def _topology(self, request: Request) -> Response:
        if self.token is not None:
            return JSONResponse({"error": "a token is needed", "hint": "?token="}, 401)
        return JSONResponse(self.topology)

    async def _snapshot(self, request: Request) -> Response:
        return JSONResponse(self.snapshot)

    async def _query(self, request: Request) -> Response:
        self.queries.append({"store": request.path_params["store"], **request.query_params})
        status, body = self.answer
        return JSONResponse(body, status)

    async def _ready(self, request: Request) -> Response:
        running = self.snapshot["application"]["state"] == "RUNNING"
        body = {
            "state": self.snapshot["application"]["state"],
            "reason": "" if running else "not started",
        }
        return JSONResponse(body, 200 if running else 503)

    async def _events(self, request: Request) -> Response:
        if self.token is not None:
            return JSONResponse({"error": "a token is needed", "hint": "?token="}, 401)
        return StreamingResponse(self._stream(), media_type="text/event-stream")

    async def _stream(self) -> AsyncIterator[str]:
        queue: asyncio.Queue[Json] = asyncio.Queue()
        self._readers.add(queue)
        try:
            found: Any = self.snapshot
            while True:
                yield f"event: snapshot\ndata: {json.dumps(found)}\n\n"
                found = await queue.get()
        finally:
            self._readers.discard(queue)


def main() -> None:
    """Show the sample until Ctrl-C."""
    server = SampleServer()
    server.port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    with server:
        print(server.address, flush=True)
        for tick in range(100, 1_000_000):
            server.publish(sample.snapshot(tick))
            time.sleep(1)


if __name__ == "__main__":
    main()
