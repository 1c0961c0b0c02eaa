"""Server-sent events: a snapshot at once, and after each batch or change of state."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from millstream.page.watchers import Watchers

log = logging.getLogger(__name__)

LEAST_S = 1.0
"""Shortest time between two snapshots."""
QUIET_S = 15.0
"""Longest time without a line: proxies end connections that are silent."""


def events(watchers: Watchers, snapshot: Callable[[], Any]) -> StreamingResponse:
    """Return the answer that goes on while the viewer stays.

    Args:
        watchers: Wakes at every change.
        snapshot: Returns the current snapshot; it may take a moment.
    """
    return StreamingResponse(
        _lines(watchers, snapshot),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _lines(watchers: Watchers, snapshot: Callable[[], Any]) -> AsyncIterator[str]:
    changed = watchers.join()
    try:
        while True:
            over = watchers.over
            changed.clear()
            text = await run_in_threadpool(lambda: json.dumps(snapshot(), allow_nan=False))
            yield f"event: snapshot\ndata: {text}\n\n"
            if over:
                return
            if not watchers.over:
                await asyncio.sleep(LEAST_S)
            while not await _set_within(changed, QUIET_S):
                yield ": still there\n\n"
    finally:
        watchers.leave(changed)


async def _set_within(event: asyncio.Event, limit_s: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), limit_s)
    except (TimeoutError, asyncio.TimeoutError):
        return False
    return True
