"""Changes of a batch as records of Kafka Streams' changelog topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from millstream.core.engine.output import SentChunk
from millstream.core.headers import Header, Headers
from millstream.core.state.changelog_format import (
    ChangelogColumns,
    ChangelogFormat,
    ChangelogRecord,
    columns_of,
)
from millstream.core.working_copy import Changes
from millstream.topology.spark.logged_store import SPILLED, LoggedStore

_NOTHING = Changes({})


class LoggedChanges:
    """Makes the records of one task's changelog partitions, a chunk for each store and batch.

    A batch has one record for each key that it has changed, with the last value: what Kafka Streams
    writes with caches. Of stores whose rows depend on several records, such as versioned ones, it
    has each write.

    Args:
        stores: Store -> its topic.
        partition: The task's partition, which is that of its records.
    """

    def __init__(self, stores: Mapping[str, LoggedStore], partition: int) -> None:
        self._stores = stores
        self._partition = partition
        self._writes: dict[str, list[ChangelogRecord]] = {}
        self.each = frozenset(name for name, store in stores.items() if store.format.in_order)
        """Stores of which each write is logged."""

    def begin(self) -> None:
        """Forget the writes of a batch that failed."""
        self._writes = {}

    def log_write(self, store: str, key: bytes, value: bytes | None, time: int) -> None:
        """Note one write."""
        self._writes.setdefault(store, []).append(ChangelogRecord(key, value, time))

    def chunks(
        self, changes: Mapping[str, Changes], stream_time: int, now_ms: int
    ) -> Iterator[SentChunk]:
        """Yield the records of a batch.

        Args:
            changes: Store -> what the batch has changed.
            stream_time: The task's, in ms; -1 if it has none yet.
            now_ms: The batch's wall clock.
        """
        otherwise = now_ms if stream_time < 0 else stream_time
        for name, store in self._stores.items():
            time = now_ms if store.format.by_wall_clock else otherwise
            found = self._columns(name, store.format, changes)
            if found.keys:
                yield SentChunk(
                    store.topic,
                    found.keys,
                    found.values,
                    [time if each is None else each for each in found.timestamps],
                    None if found.headers is None else [_headers(each) for each in found.headers],
                    [self._partition] * len(found.keys),
                )

    def _columns(
        self, name: str, layout: ChangelogFormat, changes: Mapping[str, Changes]
    ) -> ChangelogColumns:
        if layout.in_order:
            return columns_of(self._writes.get(name, ()))
        rows = changes.get(name, _NOTHING).entries
        spilled = changes.get(name + SPILLED)
        if not spilled:
            return layout.columns(rows)
        # A key that has moved between the parts is deleted in one of them.
        both = [*layout.changes(rows), *layout.changes(spilled.entries)]
        return columns_of(sorted(both, key=lambda each: each.value is not None))


def _headers(pairs: Iterable[tuple[str, bytes | None]]) -> Headers | None:
    found = [Header(name, value) for name, value in pairs]
    return Headers(found) if found else None
