"""``replay``: runs a topology over records of any source, without a broker."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from millstream.core.chunk import RawChunk
from millstream.core.config import StreamsConfig
from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.headers import Headers
from millstream.core.wording import a_kind
from millstream.plugins.connectors import Connector
from millstream.testing.connector_answers import (
    called,
    chunks_of,
    opened_connector,
    topics_of,
)
from millstream.testing.driver import TopologyTestDriver
from millstream.topology.topology import Topology

_WRITTEN_TOGETHER = 1_000

Place = Connector | str
Row = tuple[int, str, bytes | None, bytes | None, Headers | None]


def replay(
    topology: Topology,
    source: Place,
    target: Place,
    config: Mapping[str, Any] | StreamsConfig | None = None,
) -> dict[str, int]:
    """Run a topology over all records of its source topics, and write its output.

    Records are processed in the order of their timestamps, those of one topic in topic order. The
    test driver processes them in this process, one by one: this is for trying out a topology on
    small recorded data.

    Args:
        topology: The topology to run.
        source: Source of the topics: a connector, or ``"name:location"`` for a plugin's.
        target: Target of the output; internal topics are left out.
        config: The application's configuration; no entry is required.

    Returns:
        The number of records written, by topic.

    Raises:
        PluginError: No installed plugin provides a connector of that name, or one failed.
        ClassCastException: A connector returned something else than its contract says.
        StreamsException: The topology failed.

    Example:
        >>> from millstream import Topology
        >>> from millstream.core.chunk import RawChunk
        >>> from millstream.plugins.registry import find
        >>> from millstream.plugins.kinds import CONNECTORS
        >>> there = find(CONNECTORS, "memory").open("", {})
        >>> there.write(RawChunk("words", 0, [0], [5], [b"k"], [b"hello"]))
        >>> copy = Topology().addSource("in", "words").addSink("out", "copies", "in")
        >>> serdes = {"default.key.serde": "string", "default.value.serde": "string"}
        >>> replay(copy, there, there, serdes)
        {'copies': 1}
    """
    given = config.originals() if isinstance(config, StreamsConfig) else dict(config or {})
    reader, writer = _opened(source, given), _opened(target, given)
    counts: dict[str, int] = {}
    try:
        with TopologyTestDriver(topology, given, 0) as driver:
            topics = [topic for topic in topics_of(reader) if driver.reads(topic)]
            rows = heapq.merge(*(_rows(reader, topic) for topic in topics), key=lambda row: row[0])
            for number, (timestamp, topic, key, value, headers) in enumerate(rows, start=1):
                driver.pipe(topic, key, value, timestamp, headers)
                if number % _WRITTEN_TOGETHER == 0:
                    _write(driver, writer, counts)
            _write(driver, writer, counts)
    finally:
        for place, connector in ((source, reader), (target, writer)):
            if isinstance(place, str):
                connector.close()
    return counts


def _opened(place: Place, options: Mapping[str, Any]) -> Connector:
    if isinstance(place, Connector):
        return place
    if not isinstance(place, str):
        raise ClassCastException(
            f"a place of topics cannot be {a_kind(place)}",
            hint='Write "files:some/folder", or pass a connector.',
        )
    name, colon, location = place.partition(":")
    if not colon:
        raise IllegalArgumentException(
            f'"{place}" does not say where topics are',
            hint='Write "files:some/folder", or pass a connector.',
        )
    return opened_connector(name, location, options)


def _rows(connector: Connector, topic: str) -> Iterator[Row]:
    for chunk in chunks_of(connector, topic):
        headers = chunk.headers or [None] * len(chunk)
        for row in zip(chunk.timestamps, chunk.keys, chunk.values, headers, strict=True):
            yield row[0], topic, *row[1:]


def _write(driver: TopologyTestDriver, target: Connector, counts: dict[str, int]) -> None:
    for topic in sorted(driver.producedTopicNames()):
        sent = driver.produced(topic)
        if sent and not driver.is_internal(topic):
            first = counts.get(topic, 0)
            counts[topic] = first + len(sent)
            chunk = RawChunk(
                topic,
                0,
                list(range(first, first + len(sent))),
                [each.timestamp for each in sent],
                [each.key for each in sent],
                [each.value for each in sent],
                [each.headers for each in sent],
            )
            called(target.name, "write", partial(target.write, chunk))
        sent.clear()
