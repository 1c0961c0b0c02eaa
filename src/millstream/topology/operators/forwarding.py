"""Flush listeners: forwarding of a table's updates when the record cache of its store flushes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.records import Change, make_record

if TYPE_CHECKING:
    from millstream.core.engine.context import NodeContext


class ForwardingListener:
    """Forwards what a cache flushes, as updates of the node that owns the store."""

    def __init__(self, context: NodeContext) -> None:
        self._context = context

    @cached_property
    def mixes(self) -> bool:
        """Whether one chunk may have records of several topics or partitions."""
        return self._context.forwards_alike(())

    def __call__(self, key: Any, new: Any, old: Any, timestamp: int, record_context: Any) -> None:
        headers = record_context._headers
        self._context.forward(make_record(key, Change(new, old), timestamp, headers))

    def flush_chunk(self, chunk: Chunk) -> None:
        """Forward a run of updates."""
        self._context.forward_chunk(chunk)


class SessionForwardingListener(ForwardingListener):
    """Forwards updates of sessions, whose time is the end of the session."""

    def __call__(self, key: Any, new: Any, old: Any, timestamp: int, record_context: Any) -> None:
        super().__call__(key, new, old, key.window().end(), record_context)

    def flush_chunk(self, chunk: Chunk) -> None:
        super().flush_chunk(chunk.at([key._window._end for key in chunk.keys]))


def forwards_at_once(
    context: NodeContext,
    store: Any,
    *,
    sends_old: bool,
    listener: type[ForwardingListener] = ForwardingListener,
) -> bool:
    """Return whether the node forwards its updates itself; if not, the store's cache does."""
    return not store.set_flush_listener(listener(context), sends_old)
