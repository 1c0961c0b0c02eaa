"""The compliance tests of connectors."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from millstream.core.chunk import RawChunk
from millstream.core.headers import Headers, headers_from_pairs
from millstream.plugins.connectors import Connector
from millstream.testing.kit.promises import promise

TOPIC, OTHER = "kit-topic", "kit-other"
Row = tuple[bytes | None, bytes | None, int, tuple[Any, ...]]


class ConnectorTests:
    """Compliance suite of connectors; derive a class from it and name the connector.

    Example::

        class TestFiles(ConnectorTests):
            connector_class = FilesConnector
    """

    connector_class: ClassVar[type[Connector]]
    """The connector to test."""
    location: ClassVar[str | None] = None
    """Parent location to write to; a new folder by default."""
    options: ClassVar[Mapping[str, Any]] = {}
    """The configuration to open it with."""

    def test_what_is_written_is_read(self) -> None:
        """Keys, values, times and headers come back in order, also nulls and arbitrary bytes."""
        rows: list[Row] = [
            (b"k", b"v", 5, ()),
            (None, None, 0, (("h", b"1"), ("h", None), ("h", b"\xff"))),
            (b"", b"", 2**41, ()),
            (b"\xff\x00", bytes(range(256)), 1, ()),
        ]
        self._round_trip(rows[:1], rows[1:])

    def test_topics_may_be_long(self) -> None:
        """A topic may have more than one chunk."""
        self._round_trip([(b"%d" % n, b"v", n, ()) for n in range(5_000)])

    def test_topics_are_apart(self) -> None:
        """A topic that was never written is empty."""
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as folder:
            connector = self._opened(folder)
            connector.write(chunk(TOPIC, [(b"k", b"v", 1, ())]))
            found = [len(list(connector.read(topic))) for topic in (OTHER, TOPIC)]
            topics = connector.topics()
            connector.close()
        promise(found == [0, 1], "a topic has the records that were written to it", f"{found}")
        promise(
            TOPIC in topics and OTHER not in topics, "topics returns what was written", f"{topics}"
        )

    def test_offsets_rise(self) -> None:
        """Offsets rise within a partition."""
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as folder:
            connector = self._opened(folder)
            for number in range(3):
                connector.write(chunk(TOPIC, [(b"k", b"v", number, ())] * 2, first=2 * number))
            last: dict[int, int] = {}
            for found in connector.read(TOPIC):
                for offset in found.offsets:
                    promise(
                        offset > last.get(found.partition, -1),
                        "offsets rise within a partition",
                        f"{offset} follows {last.get(found.partition)}",
                    )
                    last[found.partition] = offset
            connector.close()

    def test_close_may_be_called_twice(self) -> None:
        """A second close does nothing."""
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as folder:
            connector = self._opened(folder)
            connector.close()
            again = True
            with suppress(Exception):
                connector.close()
                again = False
            promise(not again, "close may be called twice")

    def _round_trip(self, *batches: list[Row]) -> None:
        expected = [row for batch in batches for row in batch]
        with tempfile.TemporaryDirectory(prefix="millstream-kit-") as folder:
            connector = self._opened(folder)
            for batch in batches:
                connector.write(chunk(TOPIC, batch))
            found = [row for each in connector.read(TOPIC) for row in rows_of(each)]
            connector.close()
        differ = [pair for pair in zip(found, expected, strict=False) if pair[0] != pair[1]]
        promise(
            len(found) == len(expected) and not differ,
            "read yields what was written, in order",
            f"{len(found)} of {len(expected)} records",
            *[f"{one!r} instead of {other!r}" for one, other in differ[:1]],
        )

    def _opened(self, folder: str) -> Connector:
        location = folder if self.location is None else str(Path(self.location) / Path(folder).name)
        return self.connector_class.open(location, self.options)


def chunk(topic: str, rows: list[Row], first: int = 0) -> RawChunk:
    """Return records as a chunk."""
    headers: list[Headers | None] = []
    for row in rows:
        headers.append(headers_from_pairs(row[3]) if row[3] else None)
    return RawChunk(
        topic,
        0,
        list(range(first, first + len(rows))),
        [row[2] for row in rows],
        [row[0] for row in rows],
        [row[1] for row in rows],
        headers if any(headers) else None,
    )


def rows_of(found: RawChunk) -> list[Row]:
    """Return a chunk's records."""
    headers = found.headers or [None] * len(found)
    return [
        (key, value, time, tuple((each.key(), each.value()) for each in row or ()))
        for key, value, time, row in zip(
            found.keys, found.values, found.timestamps, headers, strict=True
        )
    ]
