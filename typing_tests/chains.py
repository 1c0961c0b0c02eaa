"""What a type checker infers along chains of calls; checked, never run."""

from __future__ import annotations

from typing_extensions import assert_type

from millstream import (
    Consumed,
    Grouped,
    KeyQuery,
    KeyValue,
    KGroupedStream,
    KStream,
    KTable,
    Materialized,
    Named,
    Produced,
    Record,
    Serdes,
    StateQueryRequest,
    StreamsBuilder,
    TimeWindowedKStream,
    TimeWindows,
    ValueAndTimestamp,
    Windowed,
)
from millstream.testing import MockProcessorContext

builder = StreamsBuilder()


def size(value: str) -> int:
    return len(value)


def shown(value: int) -> str:
    return str(value)


def longer(key: str, value: int) -> bool:
    return value > len(key)


def words(line: str) -> list[str]:
    return line.split()


def swapped(key: str, value: int) -> KeyValue[int, str]:
    return KeyValue(value, key)


lines = builder.stream("lines", Consumed.with_(Serdes.String(), Serdes.String()))
assert_type(lines, KStream[str, str])
assert_type(lines.mapValues(size), KStream[str, int])
assert_type(lines.mapValues(size).filter(longer), KStream[str, int])
assert_type(lines.mapValues(size).filterNot(longer, Named.as_("short")), KStream[str, int])
assert_type(lines.flatMapValues(words), KStream[str, str])
assert_type(lines.mapValues(size).map(swapped), KStream[int, str])
assert_type(lines.selectKey(lambda key, value: len(value)), KStream[int, str])
assert_type(lines.peek(lambda key, value: None).merge(lines), KStream[str, str])
assert_type(lines.toTable(), KTable[str, str])
assert_type(lines.repartition(), KStream[str, str])

grouped = lines.groupBy(lambda key, word: len(word))
assert_type(grouped, KGroupedStream[int, str])
assert_type(lines.groupByKey(), KGroupedStream[str, str])
assert_type(grouped.count(), KTable[int, int])
assert_type(grouped.reduce(max), KTable[int, str])
assert_type(grouped.aggregate(int, lambda key, word, total: total + len(word)), KTable[int, int])

windowed = lines.groupByKey().windowedBy(TimeWindows.ofSizeWithNoGrace(1000))
assert_type(windowed, TimeWindowedKStream[str, str])
assert_type(windowed.count(), KTable[Windowed[str], int])
assert_type(windowed.count().toStream(), KStream[Windowed[str], int])

users = builder.table("users", Consumed.with_(Serdes.String(), Serdes.Long()))
assert_type(users, KTable[str, int])
assert_type(users.mapValues(shown), KTable[str, str])
assert_type(users.toStream(lambda name, age: age), KStream[int, int])
assert_type(users.filter(lambda name, age: age > 17).toStream(), KStream[str, int])

lines.groupByKey(Grouped.with_(Serdes.String(), Serdes.String())).count(
    Materialized.as_("counts")
).toStream().to("counts", Produced.with_(Serdes.String(), Serdes.Long()))

record = Record("k", 1, 0)
assert_type(record, Record[str, int])
assert_type(record.withValue("v"), Record[str, str])
assert_type(record.withKey(1.5).value(), int)

stamped = ValueAndTimestamp.make("v", 1)
assert_type(stamped, ValueAndTimestamp[str] | None)

question: KeyQuery[str, int] = KeyQuery.withKey("k")
assert_type(StateQueryRequest.inStore("s").withQuery(question), StateQueryRequest[int])

context: MockProcessorContext[str, int] = MockProcessorContext()
