"""Key serdes that write different keys in the same bytes: one row, however records are taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.topology.running import Event, run
from millstream import (
    Materialized,
    Produced,
    Serdes,
    SessionWindows,
    StreamsBuilder,
    TimeWindows,
)
from millstream.topology.operators.folding import identities

TEXT, NUMBER = Serdes.String(), Serdes.Long()
FOLDED: Any = Serdes.serdeFrom(
    lambda topic, key: None if key is None else key.lower().encode(),
    lambda topic, data: None if data is None else data.decode(),
)
EVENTS = [Event(key, "v", time) for time, key in enumerate(["A", "a", "A", "b"])]


def counted(grouped: Any) -> Any:
    return grouped.count(Materialized.as_("counts"))


def joined(grouped: Any) -> Any:
    return grouped.reduce(lambda before, now: before + now, Materialized.as_("texts")).mapValues(
        len
    )


def windowed(windows: Any) -> Callable[[Any], Any]:
    return lambda grouped: counted(grouped.windowedBy(windows))


@pytest.mark.parametrize("by_chunks", [False, True])
@pytest.mark.parametrize("cache", [0, 10_000_000])
@pytest.mark.parametrize(
    "aggregate",
    [
        counted,
        joined,
        windowed(TimeWindows.ofSizeWithNoGrace(100)),
        windowed(SessionWindows.ofInactivityGapWithNoGrace(100)),
    ],
)
def test_keys_that_are_written_alike_share_a_row(
    aggregate: Callable[[Any], Any], cache: int, by_chunks: bool
) -> None:
    # Of records that were taken together, as on Spark, those under "a" were lost.
    builder = StreamsBuilder()
    table = aggregate(builder.stream("in").groupByKey())
    counts = table.toStream(lambda key, _: key.key() if hasattr(key, "key") else key)
    counts.to("out", Produced.with_(FOLDED, NUMBER))
    config = {
        "default.key.serde": FOLDED,
        "default.value.serde": TEXT,
        "statestore.cache.max.bytes": cache,
    }
    sent = run(builder.build().plan(), config, EVENTS, by_chunks=by_chunks)
    last = {each.key: each.value for each in sent if each.topic == "out"}
    assert last == {b"a": (3).to_bytes(8, "big"), b"b": (1).to_bytes(8, "big")}


def test_keys_have_the_number_of_their_bytes() -> None:
    def written(keys: list[Any]) -> list[bytes]:
        return [key.lower().encode() for key in keys]

    assert identities(["A", "b", "a", "A"], written) == ([0, 1, 0, 0], [b"a", b"b"])
    assert identities(["A", "b", "A"], written) == ([0, 1, 0], [b"a", b"b"])
    write: Any = TEXT.serializer()
    found = identities(
        ["\ud83d\ude00", "\U0001f600"], lambda keys: write.serialize_column("t", keys)
    )
    assert found == ([0, 0], ["\U0001f600".encode()])
