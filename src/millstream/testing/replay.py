"""``replay``: runs a topology over records of any source, without a broker."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from typing import Any

from millstream.core.chunk import RawChunk
from millstream.core.config import StreamsConfig
from millstream.core.errors import IllegalArgumentException
from millstream.core.headers import Headers
from millstream.plugins.connectors import Connector
from millstream.plugins.kinds import CONNECTORS
from millstream.plugins.registry import find
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
    """Send all records of the topics that a topology reads through it; write what comes out.

    Records are taken in the order of their timestamps, those of one topic in the order in which
    they lie there. It all happens in this process, by the test driver, one record at a time: for
    trying out a topology on recorded data, not for much of it.

    Args:
        topology: What to run.
        source: Where the topics are: a connector, or ``"name:location"`` of a plugin's.
        target: Where to write; topics that the application keeps for itself are left out.
        config: The application's configuration; nothing is required.

    Returns:
        How many records were written, by topic.

    Raises:
        PluginError: No installed plugin offers a connector of that name.
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
            topics = sorted(topic for topic in reader.topics() if driver.reads(topic))
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
    name, colon, location = place.partition(":")
    if not colon:
        raise IllegalArgumentException(
            f'"{place}" does not say where topics are',
            hint='Write "files:some/folder", or pass a connector.',
        )
    return find(CONNECTORS, name).open(location, options)


def _rows(connector: Connector, topic: str) -> Iterator[Row]:
    for chunk in connector.read(topic):
        headers = chunk.headers or [None] * len(chunk)
        for row in zip(chunk.timestamps, chunk.keys, chunk.values, headers, strict=True):
            yield row[0], topic, *row[1:]


def _write(driver: TopologyTestDriver, target: Connector, counts: dict[str, int]) -> None:
    for topic in sorted(driver.producedTopicNames()):
        sent = driver.produced(topic)
        if sent and not driver.is_internal(topic):
            first = counts.get(topic, 0)
            counts[topic] = first + len(sent)
            target.write(
                RawChunk(
                    topic,
                    0,
                    list(range(first, first + len(sent))),
                    [each.timestamp for each in sent],
                    [each.key for each in sent],
                    [each.value for each in sent],
                    [each.headers for each in sent],
                )
            )
        sent.clear()
