"""What a type checker infers along chains of calls; checked, never run."""

from __future__ import annotations

from typing_extensions import assert_type

from millstream import (
    CogroupedKStream,
    Consumed,
    ContextualProcessor,
    EmitStrategy,
    Grouped,
    JoinWindows,
    KeyQuery,
    KeyValue,
    KGroupedStream,
    KGroupedTable,
    KStream,
    KTable,
    Materialized,
    Named,
    Produced,
    Record,
    Serdes,
    SessionWindowedKStream,
    SessionWindows,
    StateQueryRequest,
    StreamsBuilder,
    TableJoined,
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


def joined(name: str, age: int) -> float:
    return age / len(name)


def perhaps(name: str, age: int | None) -> str:
    return name if age is None else f"{name} {age}"


def either(age: int | None, name: str | None) -> str:
    return f"{age} {name}"


def keyed(name: str, age: int) -> int:
    return age + len(name)


def spread(age: int, city: float) -> float:
    return age * city


def city_of(line: str, city: float) -> float:
    return city


def maybe(age: int, city: float | None) -> bool:
    return city is not None


def total(key: str, line: str, so_far: int) -> int:
    return so_far + len(line)


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

names = users.mapValues(shown)
nested = names.join(users, lambda name, age: (name, age))
assert_type(nested, KTable[str, tuple[str, int]])
assert_type(names.join(users, joined, Named.as_("j"), Materialized.as_("s")), KTable[str, float])
assert_type(names.leftJoin(users, perhaps), KTable[str, str])
assert_type(users.outerJoin(names, either, Materialized.as_("o")), KTable[str, str])

cities = builder.table("cities", Consumed.with_(Serdes.Integer(), Serdes.Double()))
by_city = users.join(cities, keyed, spread)
assert_type(by_city, KTable[str, float])
assert_type(users.join(cities, keyed, spread, TableJoined.as_("fk")), KTable[str, float])
assert_type(users.leftJoin(cities, keyed, maybe, TableJoined.as_("fk")), KTable[str, bool])
assert_type(users.leftJoin(cities, keyed, maybe, Materialized.as_("m")), KTable[str, bool])
# A row may have no foreign key, and a record none of the global table's.
assert_type(users.join(cities, lambda age: age or None, spread), KTable[str, float])
assert_type(users.leftJoin(cities, lambda key, age: age or None, maybe), KTable[str, bool])

pairs = lines.join(
    lines, lambda left, right: len(left + right), JoinWindows.ofTimeDifferenceWithNoGrace(5)
)
assert_type(pairs, KStream[str, int])
assert_type(lines.join(users, joined), KStream[str, float])
assert_type(lines.leftJoin(users, perhaps), KStream[str, str])
everywhere = builder.globalTable("cities", Consumed.with_(Serdes.Integer(), Serdes.Double()))
located = lines.join(everywhere, lambda key, line: len(line), city_of)
assert_type(
    lines.join(everywhere, lambda key, line: len(line) or None, city_of), KStream[str, float]
)
assert_type(located, KStream[str, float])

by_length = users.groupBy(lambda name, age: KeyValue(age, name))
assert_type(by_length, KGroupedTable[int, str])
assert_type(by_length.count(), KTable[int, int])
assert_type(by_length.reduce(min, max), KTable[int, str])
assert_type(
    by_length.aggregate(float, lambda age, name, sum: sum + age, lambda age, name, sum: sum - age),
    KTable[int, float],
)

sessions = lines.groupByKey().windowedBy(SessionWindows.ofInactivityGapWithNoGrace(1000))
assert_type(sessions, SessionWindowedKStream[str, str])
assert_type(sessions.count(), KTable[Windowed[str], int])
assert_type(
    sessions.emitStrategy(EmitStrategy.onWindowClose()).reduce(max), KTable[Windowed[str], str]
)
together = lines.groupByKey().cogroup(total)
assert_type(together, CogroupedKStream[str, int])
assert_type(together.aggregate(int), KTable[str, int])
assert_type(
    together.windowedBy(TimeWindows.ofSizeWithNoGrace(5)).aggregate(int), KTable[Windowed[str], int]
)

branches = lines.split(Named.as_("by-")).branch(lambda key, line: bool(line)).defaultBranch()
assert_type(branches, dict[str, KStream[str, str]])


class Sizes(ContextualProcessor[str, str, str, int]):
    """Forwards the sizes of what it gets."""

    def process(self, record: Record[str, str]) -> None:
        self.context().forward(record.withValue(len(record.value())))


assert_type(lines.process(Sizes), KStream[str, int])

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
