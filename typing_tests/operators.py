"""What a type checker infers of operators that come from plugins; checked, never run."""

from __future__ import annotations

from datetime import timedelta

from typing_extensions import assert_type

from millstream import (
    Deduplicated,
    KeyValueMapper,
    KStream,
    KTable,
    Materialized,
    Named,
    Serdes,
    SessionWindows,
    StreamsBuilder,
    TimeWindows,
    Windowed,
)

builder = StreamsBuilder()
lines: KStream[str, str] = builder.stream("lines")


def size(key: str, value: str) -> int:
    return len(value)


class Length(KeyValueMapper[str, str, int]):
    """A mapper as an object."""

    def apply(self, key: str, value: str) -> int:
        return len(value)


by_size = Deduplicated.with_(Serdes.Long(), Serdes.String())

assert_type(by_size, Deduplicated[int, str])
assert_type(Deduplicated.with_("store", Serdes.Long(), Serdes.String()), Deduplicated[int, str])
assert_type(by_size.withName("x").withStoreName("y"), Deduplicated[int, str])
assert_type(lines.deduplicateByKey(1), KStream[str, str])
assert_type(lines.deduplicateByKey(timedelta(1), Deduplicated.as_("x")), KStream[str, str])
assert_type(lines.deduplicateByKeyValue(size, 1), KStream[str, str])
assert_type(lines.deduplicateByKeyValue(size, 1, by_size), KStream[str, str])
assert_type(lines.deduplicate(Length(), timedelta(1), by_size), KStream[str, str])

grouped = lines.groupByKey()
windowed = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(1))
sessions = grouped.windowedBy(SessionWindows.ofInactivityGapWithNoGrace(1))
assert_type(windowed.distinct(), KTable[Windowed[str], str])
assert_type(windowed.distinct(Named.as_("x")), KTable[Windowed[str], str])
assert_type(sessions.distinct(Materialized.as_("x")), KTable[Windowed[str], str])
assert_type(sessions.distinct(Named.as_("x"), Materialized.as_("y")), KTable[Windowed[str], str])
