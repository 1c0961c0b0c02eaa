"""The host of a continuous task: local stores, output that waits for the commit, the clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from millstream.core.engine.host import TaskHost
from millstream.core.engine.output import Sent, SentChunk
from millstream.core.headers import Headers
from millstream.core.store import ByteStore
from millstream.core.working_copy import WorkingCopy
from millstream.plugins.registry import open_store, store_class
from millstream.topology.spark.state.copies import UNFINISHED
from millstream.topology.spark.worker.logged_changes import LoggedChanges

Restore = Callable[[str, ByteStore], None]
"""Brings a store, by its name, to the committed offsets."""


class ContinuousHost(TaskHost):
    """World of one task that runs without end.

    Args:
        configs: The application's configuration.
        directory: The task's local stores.
        sizes: Partition counts of topics.
        logged: Makes the records of the changelog topics.
        restore: Called for each store that is opened.
    """

    def __init__(
        self,
        configs: Mapping[str, Any],
        directory: Path,
        sizes: Mapping[str, int],
        logged: LoggedChanges,
        restore: Restore,
    ) -> None:
        super().__init__()
        self._configs = configs
        self._directory = directory
        self._sizes = sizes
        self._logged = logged
        self._restore = restore
        self._copies: dict[str, WorkingCopy] = {}
        self._chunks: list[SentChunk] = []
        self._loose: list[Sent] = []
        self._now_ms = 0
        self.tick()

    def tick(self) -> None:
        """Read the machine's clock; records of one poll have one time, as in Kafka Streams."""
        self._now_ms = time.time_ns() // 1_000_000

    def now_ms(self) -> int:
        return self._now_ms

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        directory = Path()
        if store_class(kind).traits.durable:
            directory = self.state_dir() / "stores" / kind / store
            directory.mkdir(parents=True, exist_ok=True)
        opened = open_store(kind, directory, self._configs)
        self._restore(store, opened)
        copy = self._copies[store] = WorkingCopy(opened)
        return copy

    def send(self, record: Sent) -> None:
        self._loose.append(record)

    def send_chunk(self, chunk: SentChunk) -> None:
        self._pack()
        self._chunks.append(chunk)

    def partition_count(self, topic: str) -> int:
        return self._sizes.get(topic, 1)

    def logs_changes(self, store: str) -> bool:
        return store in self._logged.each

    def log_change(
        self, store: str, key: bytes, value: bytes | None, timestamp: int, headers: Headers | None
    ) -> None:
        del headers
        self._logged.log_write(store, key, value, timestamp)

    def state_dir(self) -> Path:
        return self._directory

    def output(self) -> list[SentChunk]:
        """Return what was sent since the last call."""
        self._pack()
        chunks, self._chunks = self._chunks, []
        return chunks

    def changes(self, stream_time: int) -> Iterator[SentChunk]:
        """Yield the changes since the last commit as records of changelog topics."""
        changed = {name: copy.changes() for name, copy in self._copies.items()}
        yield from self._logged.chunks(changed, stream_time, self._now_ms)
        self._logged.begin()

    def distrust(self) -> None:
        """Take their version from the stores that change.

        What a punctuation changes while no record comes moves no offset: if this process ends
        between the transaction and ``apply``, the version would not tell that they are behind.
        """
        for copy in self._copies.values():
            if copy.changes():
                copy.store.write({}, UNFINISHED)

    def apply(self, version: bytes) -> None:
        """Write the changes through to the local stores: their transaction has been committed."""
        for copy in self._copies.values():
            copy.apply(version)

    def close(self) -> None:
        """Close the local stores."""
        for copy in self._copies.values():
            copy.store.close()

    def _pack(self) -> None:
        """Make chunks of single records, in order."""
        loose, self._loose = self._loose, []
        start = 0
        for at in range(1, len(loose) + 1):
            if at == len(loose) or loose[at].topic != loose[start].topic:
                _, keys, values, times, headers, chosen = zip(*loose[start:at], strict=True)
                self._chunks.append(
                    SentChunk(
                        loose[start].topic,
                        keys,
                        values,
                        times,
                        headers if any(headers) else None,
                        chosen if any(each is not None for each in chosen) else None,
                    )
                )
                start = at
