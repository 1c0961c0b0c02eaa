"""An aggregator may fill one bytearray again and again, and return it for each record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.topology.running import Event, run
from millstream import (
    Materialized,
    Produced,
    Serdes,
    SessionWindowedKStream,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
)

TEXT, DATA = Serdes.String(), Serdes.ByteArray()
EVENTS = [Event(key, key, time) for time, key in enumerate("abab")]


def in_windows(windows: Any) -> Callable[[Any], Any]:
    return lambda grouped: grouped.windowedBy(windows)


def merged(_key: Any, _one: Any, two: Any) -> Any:
    return two


def outputs(group: Callable[[Any], Any], *, by_chunks: bool) -> list[Any]:
    buffer = bytearray()

    def refill(_key: Any, value: Any, aggregate: Any) -> Any:
        buffer[:] = bytes(aggregate) + value.encode()
        return buffer

    kept: Any = Materialized.as_("kept")
    kept = kept.withValueSerde(DATA)
    builder = StreamsBuilder()
    grouped = group(builder.stream("in").groupByKey())
    more = (merged,) if isinstance(grouped, SessionWindowedKStream) else ()
    table = grouped.aggregate(bytes, refill, *more, kept)
    rows = table.toStream(lambda key, _: key.key() if hasattr(key, "key") else key)
    rows.to("out", Produced.with_(TEXT, DATA))
    config = {
        "default.key.serde": TEXT,
        "default.value.serde": TEXT,
        "statestore.cache.max.bytes": 0,
    }
    sent = run(builder.build().plan(), config, EVENTS, by_chunks=by_chunks)
    return [(each.key, each.value) for each in sent if each.topic == "out"]


@pytest.mark.parametrize(
    "group",
    [
        lambda grouped: grouped,
        in_windows(TimeWindows.ofSizeWithNoGrace(100)),
        in_windows(SlidingWindows.ofTimeDifferenceWithNoGrace(100)),
        in_windows(SessionWindows.ofInactivityGapWithNoGrace(100)),
    ],
)
def test_each_record_has_what_the_bytearray_held_at_its_time(group: Callable[[Any], Any]) -> None:
    # Of records that were taken together, as on Spark, all had its last state.
    assert outputs(group, by_chunks=True) == outputs(group, by_chunks=False)


def test_the_states_come_out_one_after_the_other() -> None:
    found = outputs(lambda grouped: grouped, by_chunks=True)
    assert found == [(b"a", b"a"), (b"b", b"b"), (b"a", b"aa"), (b"b", b"bb")]
