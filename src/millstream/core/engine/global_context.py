"""Context of a processor that fills a global store."""

from __future__ import annotations

from typing import Any

from millstream.core.engine.context import NodeContext
from millstream.core.errors import UnsupportedOperationException
from millstream.core.processor import Cancellable, TaskId
from millstream.core.records import Record, RecordMetadata

GLOBAL_TASK = TaskId(-1, -1)
"""The id that a task has which fills global stores, as in Kafka Streams."""


class GlobalNodeContext(NodeContext):
    """A node's context without what needs a task of its own: stream time and schedules.

    Source: Kafka's ``GlobalProcessorContextImpl``.
    """

    def forward(self, record: Record[Any, Any], childName: str | None = None) -> None:
        """Do nothing, as there are no children; refuse a name.

        Raises:
            UnsupportedOperationException: A child is named.
        """
        if childName is not None:
            raise self._refused(
                "this should not happen: forward() not supported in global processor context."
            )
        super().forward(record)

    def recordMetadata(self) -> RecordMetadata | None:
        """Return where the current record came from; None before the first one."""
        found = super().recordMetadata()
        return None if found is None or found.topic() is None else found

    def schedule(self, *_: Any, **__: Any) -> Cancellable:
        """Refuse a punctuator: nothing would call it.

        Raises:
            UnsupportedOperationException: Always.
        """
        raise self._refused(
            "this should not happen: schedule() not supported in global processor context."
        )

    def currentStreamTimeMs(self) -> int:
        raise self._refused("There is no concept of stream-time for a global processor.")

    def _refused(self, words: str) -> UnsupportedOperationException:
        return UnsupportedOperationException(
            words,
            detail=f'"{self._node.name}" fills a global store.',
            hint="Do such work in a processor of a stream, which may read the global store.",
        )
