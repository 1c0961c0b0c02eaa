"""How a table's updates leave the processor that stores them: at once, or when a cache flushes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.records import Change, make_record

if TYPE_CHECKING:
    from millstream.core.engine.context import NodeContext


class FlushListener:
    """Forwards what a cache flushes, as updates of the node that owns the store."""

    def __init__(self, context: NodeContext) -> None:
        self._context = context

    def __call__(self, key: Any, new: Any, old: Any, timestamp: int, record_context: Any) -> None:
        headers = record_context._headers
        self._context.forward(make_record(key, Change(new, old), timestamp, headers))

    def flush_chunk(self, chunk: Chunk) -> None:
        """Forward a run of updates."""
        self._context.forward_chunk(chunk)


def forwards_at_once(context: NodeContext, store: Any, *, sends_old: bool) -> bool:
    """Tell whether the node forwards its updates itself; if not, the store's cache does."""
    return not store.set_flush_listener(FlushListener(context), sends_old)
