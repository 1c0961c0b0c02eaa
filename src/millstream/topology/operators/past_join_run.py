"""Joint run of a stream that waits for a versioned table, and of the table's updates.

Record by record the two take turns, often after each record. But one of the stream does no more
than wait, and one of the table no more than be written, until stream time releases what has waited:
so one loop does all of it, and what was joined goes on as one run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk, Origin, Waited
from millstream.core.chunk_processor import JointRun
from millstream.core.engine.failure import note_record
from millstream.core.headers import Headers
from millstream.core.record_context import RecordContext
from millstream.core.records import Record
from millstream.topology.operators.returned import Returned
from millstream.topology.operators.time_buffer_run import TimeBufferRun
from millstream.topology.operators.versioned_updates import VersionedUpdates

if TYPE_CHECKING:
    from millstream.core.engine.context import NodeContext

Join = Callable[[Any, Any, int], "tuple[Any] | None"]
"""Given key, value and time of a record, returns the joined value; None if there is none."""


@dataclass(slots=True)
class _Joined:
    """Columns of what was joined, to be forwarded."""

    offsets: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    keys: list[Any] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    origins: list[Origin] = field(default_factory=list)
    headers: list[Headers | None] = field(default_factory=list)

    def chunk(self) -> Chunk:
        headers = self.headers if any(self.headers) else None
        columns = (self.offsets, self.times, self.keys, self.values, headers, None, self.origins)
        return Chunk(None, -1, *columns)


class PastJoinRun:
    """Takes a run of the stream, alone or beside one of the table.

    Args:
        context: That of the join, which forwards the results.
        chunk: The stream's records: none without key or headers.
        waiting: The buffer in which they wait.
        join: Joins a record with the table.
        returned: What the user's function has returned so far.
        reason: Why records without value are dropped.
    """

    def __init__(
        self,
        context: NodeContext,
        chunk: Chunk,
        waiting: TimeBufferRun,
        join: Join,
        returned: Returned,
        *,
        reason: str,
    ) -> None:
        self._context = context
        self._chunk = chunk
        self._waiting = waiting
        self._join = join
        self._returned = returned
        self._reason = reason
        self._joined = _Joined()
        self._at_once: Origin = (chunk.topic, chunk.partition)
        self._later = Waited(self._at_once)

    def process(self, order: Sequence[int]) -> None:
        """Take the records in an order."""
        self._each(order, self._take)

    def beside(self, table: VersionedUpdates, *, first: bool) -> JointRun:
        """Return what also writes the table's records; they have the ``first`` numbers, or not."""
        take, write, border = self._take, table.write, len(table.chunk if first else self._chunk)
        table.before_failure = self._forward
        lower, upper = (write, take) if first else (take, write)

        def each(number: int) -> None:
            if number < border:
                lower(number)
            else:
                upper(number - border)

        return lambda order: self._each(order, each)

    def _each(self, order: Sequence[int], take: Callable[[int], None]) -> None:
        try:
            for number in order:
                take(number)
            self._forward()
        finally:
            self._waiting.settle()

    def _take(self, index: int) -> None:
        """Let a record of the stream wait, and join those that are released."""
        if self._chunk.values[index] is None:
            self._context.drop(self._reason, self._chunk, index)
            return
        try:
            if self._waiting.add(index):
                self._waiting.release(self._released, self._older)
            else:
                chunk = self._chunk
                self._add(index, chunk.keys[index], chunk.values[index], self._at_once)
        except Exception as error:  # noqa: BLE001 - a user's function may raise anything
            self._forward()
            self._context.fail(self._chunk, index, error)

    def _released(self, index: int) -> None:
        waiting = self._waiting
        try:
            self._add(index, waiting.key_of(index), waiting.value_of(index), self._later)
        except Exception as error:
            chunk = self._chunk
            context = RecordContext(*self._later, chunk.offsets[index], chunk.timestamps[index])
            note_record(error, context)
            raise

    def _add(self, index: int, key: Any, value: Any, origin: Origin) -> None:
        """Join a record of the run."""
        chunk, joined = self._chunk, self._joined
        timestamp = chunk.timestamps[index]
        found = self._join(key, value, timestamp)
        if found is not None:
            joined.values.append(found[0])
            joined.keys.append(key)
            joined.times.append(timestamp)
            joined.offsets.append(chunk.offsets[index])
            joined.origins.append(origin)
            joined.headers.append(None)
            self._look(found[0])

    def _older(self, record: Record[Any, Any], context: RecordContext) -> None:
        """Join a record that has waited since before the run."""
        try:
            found = self._join(record._key, record._value, record._timestamp)
        except Exception as error:
            note_record(error, context)
            raise
        if found is not None:
            joined = self._joined
            joined.values.append(found[0])
            joined.keys.append(record._key)
            joined.times.append(record._timestamp)
            joined.offsets.append(context._offset)
            joined.origins.append(Waited((context._topic, context._partition)))
            joined.headers.append(record._headers)
            self._look(found[0])

    def _look(self, value: Any) -> None:
        """Forward a result at once if the next one may be the same object, changed."""
        if self._returned.look(value):
            self._forward()

    def _forward(self) -> None:
        joined, self._joined = self._joined, _Joined()
        self._returned.forward_run(joined.chunk(), joined.values, self._context)
