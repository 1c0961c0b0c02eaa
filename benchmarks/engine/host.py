"""The host of the measured task: lists in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from millstream.core.chunk import RawChunk
from millstream.core.engine.output import Sent, SentChunk
from millstream.core.headers import Headers
from millstream.testing.driver_host import DriverHost


class ListHost(DriverHost):
    """Counts what leaves, and gives back what the task sends to itself.

    Args:
        configs: The application's configuration.
        folder: Where durable stores lie.
    """

    def __init__(self, configs: Mapping[str, Any], folder: Path) -> None:
        super().__init__("bench", configs, 0, real_stores=True)
        self._folder = folder
        self._offsets: dict[str, int] = {}
        self._returned: dict[str, list[RawChunk]] = {}
        self.reads: Callable[[str], bool] = lambda topic: False
        """Tells whether the task reads a topic."""
        self.outputs = 0
        """Records that left for other topics."""

    def send(self, record: Sent) -> None:
        """Take one record."""
        topic, key, value, timestamp, headers, _ = record
        if self.reads(topic):
            self._return(topic, [timestamp], [key], [value], [headers] if headers else None)
        else:
            self.outputs += 1

    def send_chunk(self, chunk: SentChunk) -> None:
        """Take many records."""
        if self.reads(chunk.topic):
            headers = None if chunk.headers is None else [*chunk.headers]
            columns = chunk.timestamps, [*chunk.keys], [*chunk.values], headers
            self._return(chunk.topic, *columns)
        else:
            self.outputs += len(chunk)

    def _return(self, topic: str, timestamps: Sequence[int], *columns: Any) -> None:
        first = self._offsets.get(topic, 0)
        self._offsets[topic] = stop = first + len(timestamps)
        chunk = RawChunk(topic, 0, range(first, stop), timestamps, *columns)
        self._returned.setdefault(topic, []).append(chunk)

    def drain(self) -> list[RawChunk]:
        """Return what the task has sent to itself since the last time, one chunk a topic."""
        returned, self._returned = self._returned, {}
        return [_joined(chunks) for chunks in returned.values()]

    def state_dir(self) -> Path:
        """Return the folder."""
        return self._folder

    def logs_changes(self, store: str) -> bool:
        """Return False, as on Spark: the staged changes are the changelog."""
        del store
        return False


def _joined(chunks: list[RawChunk]) -> RawChunk:
    if len(chunks) == 1:
        return chunks[0]
    headers: list[Headers | None] = []
    for chunk in chunks:
        headers += chunk.headers or [None] * len(chunk)
    return RawChunk(
        chunks[0].topic,
        0,
        range(chunks[0].offsets[0], chunks[-1].offsets[-1] + 1),
        [time for chunk in chunks for time in chunk.timestamps],
        [key for chunk in chunks for key in chunk.keys],
        [value for chunk in chunks for value in chunk.values],
        headers if any(headers) else None,
    )
