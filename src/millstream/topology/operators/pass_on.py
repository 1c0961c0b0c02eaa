"""Processor that joins several inputs to one."""

from __future__ import annotations

from millstream.core.chunk import Chunk
from millstream.topology.operators.operator import AnyRecord, Operator


class PassOn(Operator):
    """Forwards what it gets."""

    def process(self, record: AnyRecord) -> None:
        """Forward the record."""
        self.forward(record)

    def process_chunk(self, chunk: Chunk) -> None:
        """Forward the records."""
        self.context.forward_chunk(chunk)
