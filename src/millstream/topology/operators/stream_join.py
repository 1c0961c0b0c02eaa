"""Processors of a join of two streams.

Each side has two: one that stores the side's records for the other side, and below it the one that
finds partners among the other side's records. A record finds its partners before it is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from millstream.core.chunk_processor import ChunkProcessor
from millstream.core.durations import LONG_MAX
from millstream.core.engine.shortcuts.join_merger import Partners, StartInserts
from millstream.core.records import make_record
from millstream.core.state import Headed
from millstream.core.windows import JoinWindows
from millstream.topology.operators.inner_inserts import inner_inserts
from millstream.topology.operators.joiners import Joiner
from millstream.topology.operators.operator import AnyRecord, Operator
from millstream.topology.operators.outer_inserts import Alone, ForwardAlone, outer_inserts
from millstream.topology.operators.returned import Returned
from millstream.topology.operators.stream_time import SavesStreamTime
from millstream.topology.operators.unmatched import UnmatchedRecord, UnmatchedRecords

_INCOMPLETE = "null key or value"
_AFTER_ALL = b"\xff"
"""After the slots of all times."""


class StoreForJoin(Operator):
    """Forwards each record, then stores it for the other side."""

    def __init__(self, store: str) -> None:
        self._store = store

    def init(self, context: Any) -> None:
        super().init(context)
        self._access = context.getStateStore(self._store).access()

    def join_inserts(self, below: ChunkProcessor) -> StartInserts | None:
        partners = below.partners()
        if partners is None:
            return None
        make = inner_inserts if partners.alone is None else outer_inserts
        return make(self._access, partners)

    def process(self, record: AnyRecord) -> None:
        """Forward the record, then put it into the store."""
        self.forward(record)
        key, timestamp = record._key, record._timestamp
        if key is not None:
            key_bytes = self._access.serialize_key(key)
            value = record._value
            if self._access.keeps_headers and value is not None:
                value = Headed(value, record._headers)
            self._access.write(key_bytes, key, timestamp, value, timestamp)


class JoinStreams(Operator):
    """Joins each record of one side with those of the other that are near it in time.

    In a left or outer join a record without partner is stored until none can come any more: until
    its window and the grace period are over, in stream time of both sides. It is forwarded while a
    record is processed that is not late; Kafka Streams does so at most once per second of wall
    clock, which would make results depend on where batches are cut.
    """

    def __init__(
        self,
        windows: JoinWindows,
        joiner: Joiner,
        *,
        is_left: bool,
        unmatched_result: bool,
        outer: bool,
        other_store: str,
        unmatched_store: str | None,
    ) -> None:
        """Take the settings.

        ``unmatched_result``: a record of this side without partner is a result; ``outer``: one of
        either side.
        """
        self._outer = outer
        self._is_left = is_left
        before, after = windows.beforeMs, windows.afterMs
        self._before, self._after = (before, after) if is_left else (after, before)
        self._grace = windows.gracePeriodMs()
        self._look_back = (windows.beforeMs, windows.afterMs)
        self._join = joiner.of_key() if is_left else joiner.of_key_reversed()
        self._unmatched_result = unmatched_result
        self._other_store = other_store
        self._unmatched_store = unmatched_store
        self.saves_times_of = unmatched_store if is_left else None
        """The store whose times ``save`` returns."""

    def init(self, context: Any) -> None:
        super().init(context)
        self._other = context.getStateStore(self._other_store).access()
        self._unmatched: UnmatchedRecords | None = None
        if self._unmatched_store is not None:
            self._unmatched = context.getStateStore(self._unmatched_store)

    def partners(self) -> Partners:
        alone = None
        if self._unmatched_result or self._unmatched is not None:
            alone = Alone(self._unmatched, self._is_left, self._unmatched_result, self.release)
        return Partners(
            store=self._other,
            before=self._before,
            after=self._after,
            join=self._join,
            context=self.context,
            returned=Returned(),
            alone=alone,
        )

    def save(self) -> bytes | None:
        """Return the times of both sides; one of them does it for both."""
        if self._unmatched is None or not self._is_left:
            return None
        return self._unmatched.save()

    def combine(self, saved: Sequence[bytes]) -> bytes:
        return UnmatchedRecords.combined(saved)

    def restore(self, data: bytes) -> None:
        if self._unmatched is not None:
            self._unmatched.restore(data)

    def process(self, record: AnyRecord) -> None:
        """Join the record with its partners, or store it as unmatched."""
        key, value, timestamp = record._key, record._value, record._timestamp
        unmatched = self._unmatched
        if unmatched is not None:
            unmatched.stream_time = max(unmatched.stream_time, timestamp)
        if key is None or value is None:
            if self._unmatched_result and value is not None:
                self.forward(record.withValue(self._join(key, value, None)))
            else:
                self.context.drop(_INCOMPLETE)
            return
        if unmatched is not None and timestamp == unmatched.stream_time:
            self.release(partial(self._forward_alone, record))
        last = max(0, timestamp + self._after)
        key_bytes = self._other.serialize_key(key)
        found = list(self._other.fetch(key_bytes, max(0, timestamp - self._before), last))
        for time, (partner, _) in found:
            if unmatched is not None:
                unmatched.matched(key, time, is_left=not self._is_left)
            joined = self._join(key, value, partner)
            self.forward(make_record(key, joined, max(timestamp, time), record._headers))
        if found or not self._unmatched_result:
            return
        if unmatched is None or last < unmatched.stream_time:
            self.forward(record.withValue(self._join(key, value, None)))
        else:
            unmatched.add(key, value, timestamp, is_left=self._is_left)

    def release(self, forward: ForwardAlone) -> None:
        """Forward the unmatched records that can have no partner any more."""
        unmatched = self._unmatched
        assert unmatched is not None
        if unmatched.earliest + self._after + self._grace >= unmatched.stream_time:
            return
        unmatched.earliest = LONG_MAX
        gone: list[bytes] = []
        previous: bytes | None = None
        try:
            for waiting in self._expired(unmatched):
                self._join_alone(unmatched, waiting, forward)
                # One that could not be forwarded is tried again, with the one before it.
                if previous is not None and previous != waiting.slot:
                    gone.append(previous)
                previous = waiting.slot
            if previous is not None:
                gone.append(previous)
        finally:
            unmatched.remove(gone)

    def _expired(self, unmatched: UnmatchedRecords) -> Iterator[UnmatchedRecord]:
        """Yield the unmatched records that can have no partner any more, in order."""
        ends = [unmatched.stream_time - back - self._grace for back in self._look_back]
        if self._outer:
            yield from unmatched.expired(ends)
            return
        first_open = _AFTER_ALL
        for waiting in unmatched.records():
            # This becomes the last time and not the first still open one, so that others are
            # forwarded later than they could be: as in Kafka. So it is seldom, and may take long.
            unmatched.earliest = waiting.timestamp
            if waiting.timestamp < ends[waiting.is_left]:
                yield waiting
            else:
                first_open = min(first_open, waiting.slot)
        unmatched.first = first_open

    def _join_alone(
        self, unmatched: UnmatchedRecords, waiting: UnmatchedRecord, forward: ForwardAlone
    ) -> None:
        key, value = unmatched.key_of(waiting), unmatched.value_of(waiting)
        if waiting.is_left is self._is_left:
            joined = self._join(key, value, None)
        else:
            joined = self._join(key, None, value)
        forward(key, joined, waiting.timestamp)

    def _forward_alone(self, record: AnyRecord, key: Any, joined: Any, timestamp: int) -> None:
        self.forward(make_record(key, joined, timestamp, record._headers))


class JoinWithItself(SavesStreamTime, Operator):
    """Joins a stream with itself, over one store instead of two."""

    def __init__(self, windows: JoinWindows, joiner: Joiner, *, store: str) -> None:
        self._before, self._after = windows.beforeMs, windows.afterMs
        self._retention = windows.size() + windows.gracePeriodMs()
        self._join = joiner.of_key()
        self._store_name = store

    def init(self, context: Any) -> None:
        super().init(context)
        self._access = context.getStateStore(self._store_name).access()

    def process(self, record: AnyRecord) -> None:
        """Join the record with those before it, as left and as right one, and with itself."""
        key, value, timestamp = record._key, record._value, record._timestamp
        if key is None or value is None:
            self.context.drop(_INCOMPLETE)
            return
        alone = record.withValue(self._join(key, value, value))
        self._stream_time = max(self._stream_time, timestamp)
        with_itself = timestamp > self._stream_time - self._retention + 1
        key_bytes, before, after = self._access.serialize_key(key), self._before, self._after
        for time, partner in self._partners(key_bytes, timestamp - before, timestamp + after):
            joined = self._join(key, value, partner)
            self.forward(make_record(key, joined, max(timestamp, time), record._headers))
        for time, partner in self._partners(key_bytes, timestamp - after, timestamp + before):
            if with_itself and time > timestamp:
                with_itself = False
                self.forward(alone)
            joined = self._join(key, partner, value)
            self.forward(make_record(key, joined, max(timestamp, time), record._headers))
        if with_itself:
            self.forward(alone)

    def _partners(self, key_bytes: bytes, first: int, last: int) -> list[tuple[int, Any]]:
        found = self._access.fetch(key_bytes, max(0, first), max(0, last))
        return [(time, partner) for time, (partner, _) in found]
