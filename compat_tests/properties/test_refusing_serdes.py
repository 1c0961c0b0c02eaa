"""Serdes that refuse some values: a run of records fails on the same ones as record by record.

Values are refused by the stores of an operator when they are written, or when they are read again
after a restart with another serde.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.topology.running import new_task, shown
from millstream import (
    Consumed,
    Deduplicated,
    EmitStrategy,
    Grouped,
    Joined,
    JoinWindows,
    KeyValue,
    KTable,
    LogAndContinueExceptionHandler,
    Materialized,
    Produced,
    Serde,
    Serdes,
    SessionWindows,
    SlidingWindows,
    Stores,
    StreamJoined,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
    Topology,
)
from millstream.core.chunk import RawChunk
from millstream.core.engine.shortcuts import SHORTCUTS
from millstream.core.handlers import LogAndContinueProcessingExceptionHandler
from millstream.core.working_copy import WorkingCopy

TEXT = Serdes.String()
ONE, TWO = "one", "two"
LONGEST = 12
Row = tuple[bytes | None, bytes | None, int]


def picky(_topic: str, value: str | None) -> bytes | None:
    assert value is not None
    if "odd" in value:
        raise ValueError(value)
    return value.encode()


def newer(_topic: str, data: bytes | None) -> str:
    assert data is not None
    if b"old" in data:
        raise ValueError(data)
    return data.decode()


PICKY: Serde[Any] = Serdes.serdeFrom(picky, TEXT.deserializer())
NEWER: Serde[Any] = Serdes.serdeFrom(TEXT.serializer(), newer)
WRITTEN = Produced.with_(TEXT, TEXT)


def both(one: Any, two: Any) -> str:
    return f"{one}{two}"[-LONGEST:]


def added(_key: str, value: str, total: str) -> str:
    return f"{total}{value}"[-LONGEST:]


def merged(_key: str, one: str, two: str) -> str:
    return both(one, two)


@dataclass(frozen=True)
class Parts:
    """What a program is made of."""

    builder: StreamsBuilder
    serde: Serde[Any]
    """Of the values in stores."""

    def stream(self, topic: str = ONE) -> Any:
        return self.builder.stream(topic, Consumed.with_(TEXT, TEXT))

    def table(self, topic: str = TWO) -> Any:
        return self.stream(topic).toTable(self.kept())

    def grouped(self, topic: str = ONE) -> Any:
        return self.stream(topic).groupByKey(Grouped.with_(TEXT, TEXT))

    def kept(self) -> Any:
        return Materialized.with_(TEXT, self.serde)

    def past(self) -> Any:
        store = Stores.persistentVersionedKeyValueStore("past", 50, 5)
        kept: Materialized[str, str, Any] = Materialized.as_(store)
        return kept.withKeySerde(TEXT).withValueSerde(self.serde)

    def window(self, windows: Any, *, closed: bool = False) -> Any:
        made = self.grouped().windowedBy(windows)
        if closed:
            made = made.emitStrategy(EmitStrategy.onWindowClose())
        if isinstance(windows, SessionWindows):
            return made.aggregate(lambda: "", added, merged, self.kept())
        return made.aggregate(lambda: "", added, self.kept())


def unwindowed(made: KTable[Any, str]) -> Any:
    return made.toStream().map(
        lambda key, value: KeyValue(f"{key.key()}@{key.window().start()}", value)
    )


TUMBLING = TimeWindows.ofSizeAndGrace(10, 5)
HOPPING = TUMBLING.advanceBy(4)
SLIDING = SlidingWindows.ofTimeDifferenceAndGrace(10, 5)
SESSIONS = SessionWindows.ofInactivityGapAndGrace(6, 5)
NEAR = JoinWindows.ofTimeDifferenceAndGrace(6, 5)
FINAL = Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded())
AT_MOST = Suppressed.BufferConfig.maxRecords(3).emitEarlyWhenFull()

OPERATORS: Mapping[str, Callable[[Parts], Any]] = {
    "reduce": lambda p: p.grouped().reduce(both, p.kept()).toStream(),
    "aggregate": lambda p: p.grouped().aggregate(lambda: "", added, p.kept()).toStream(),
    "tumbling": lambda p: unwindowed(p.window(TUMBLING)),
    "hopping": lambda p: unwindowed(p.window(HOPPING)),
    "sliding": lambda p: unwindowed(p.window(SLIDING)),
    "sessions": lambda p: unwindowed(p.window(SESSIONS)),
    "closed windows": lambda p: unwindowed(p.window(TUMBLING, closed=True)),
    "closed sessions": lambda p: unwindowed(p.window(SESSIONS, closed=True)),
    "suppressed windows": lambda p: unwindowed(p.window(TUMBLING).suppress(FINAL)),
    "suppressed table": lambda p: (
        p.table(ONE).suppress(Suppressed.untilTimeLimit(7, AT_MOST)).toStream()
    ),
    "table": lambda p: p.table(ONE).toStream(),
    "mapped table": lambda p: p.table(ONE).mapValues(str.upper, p.kept()).toStream(),
    "filtered table": lambda p: (
        p.table(ONE).filter(lambda _key, value: "x" not in value, p.kept()).toStream()
    ),
    "regrouped table": lambda p: (
        p.table(ONE)
        .groupBy(lambda key, value: KeyValue(key, value), Grouped.with_(TEXT, TEXT))
        .reduce(both, lambda one, two: one[len(two) :], p.kept())
        .toStream()
    ),
    "tables": lambda p: p.table(ONE).leftJoin(p.table(), both, p.kept()).toStream(),
    "stream and table": lambda p: p.stream().leftJoin(
        p.table(), both, Joined.with_(TEXT, TEXT, TEXT)
    ),
    "stream and past table": lambda p: p.stream().leftJoin(
        p.builder.table(TWO, Consumed.with_(TEXT, p.serde), p.past()),
        both,
        Joined.with_(TEXT, p.serde, p.serde).withGracePeriod(5),
    ),
    "streams": lambda p: p.stream().outerJoin(
        p.stream(TWO), both, NEAR, StreamJoined.with_(TEXT, p.serde, p.serde)
    ),
    "cogroup": lambda p: (
        p.grouped()
        .cogroup(added)
        .cogroup(p.grouped(TWO), lambda _key, value, total: both(value, total))
        .aggregate(lambda: "", p.kept())
        .toStream()
    ),
    "no duplicates": lambda p: p.stream().deduplicateByKey(6, Deduplicated.with_(TEXT, p.serde)),
    "foreign key": lambda p: (
        p.table(ONE).leftJoin(p.table(), lambda value: value[:1], both, p.kept()).toStream()
    ),
}


def program(operator: str, serde: Serde[Any]) -> Topology:
    builder = StreamsBuilder()
    OPERATORS[operator](Parts(builder, serde)).to("out", WRITTEN)
    return builder.build()


def only_read(
    operator: str, batches: Sequence[Mapping[str, Sequence[Row]]]
) -> list[dict[str, Sequence[Row]]]:
    """Leave out the topics that a program does not read."""
    parts = program(operator, TEXT).plan().subtopologies
    used = {topic for part in parts for topic in part.source_topics}
    return [{topic: each[topic] for topic in each if topic in used} for each in batches]


def run(
    operator: str,
    batches: Sequence[Mapping[str, Sequence[Row]]],
    serdes: Sequence[Serde[Any]],
    config: Mapping[str, Any],
    *,
    by_chunks: bool,
) -> Any:
    """Return what is sent, kept and dropped, batch by batch, each with the serde of its program.

    Or the error, without the event time: that of a record may have moved further down.
    """
    sent: list[Any] = []
    dropped: list[Any] = []
    copies: dict[str, WorkingCopy] = {}
    snapshot, offsets = None, {ONE: 0, TWO: 0}
    try:
        for batch, serde in zip(batches, serdes, strict=True):
            plan = program(operator, serde).plan()
            shortcuts = SHORTCUTS if by_chunks else ()
            task, host = new_task(
                plan, config, by_chunks=by_chunks, shortcuts=shortcuts, kept=copies
            )
            if snapshot is not None:
                task.restore(snapshot)
            for topic, rows in batch.items():
                first, offsets[topic] = offsets[topic], offsets[topic] + len(rows)
                if rows:
                    keys, values, times = map(list, zip(*rows, strict=True))
                    places = range(first, offsets[topic])
                    task.add(RawChunk(topic, 0, places, times, keys, values, None))
            task.run()
            task.commit()
            copies, snapshot = host._copies, task.snapshot()
            sent += [shown(each) for each in host.sent]
            names = ((name, each.metricValue()) for name, each in task.metrics.asMap().items())
            dropped += [value for name, value in names if name.name() == "dropped-records-total"]
    except Exception as error:  # noqa: BLE001 - both hosts raise the same
        return type(error).__name__, str(error).split(", event time", maxsplit=1)[0]
    return sent, dropped, {name: list(copy.scan(None, None)) for name, copy in copies.items()}


rows = st.lists(
    st.tuples(
        st.sampled_from([b"a", b"a", b"b", b"\xff", None]),
        st.sampled_from([b"x", b"y1", b"odd", b"\xc3\xa9", None]),
        st.integers(0, 30),
    ),
    max_size=20,
)
old_rows = st.lists(
    st.tuples(st.sampled_from([b"a", b"b"]), st.sampled_from([b"x", b"old"]), st.integers(0, 30)),
    min_size=1,
    max_size=5,
)
GOING_ON = {"processing.exception.handler": LogAndContinueProcessingExceptionHandler}
configs = st.builds(
    lambda cache, handler: {
        "statestore.cache.max.bytes": cache,
        "errors.dead.letter.queue.topic.name": "dead",
        "deserialization.exception.handler": LogAndContinueExceptionHandler,
        **handler,
    },
    st.sampled_from([0, 0, 300, 1 << 20]),
    st.sampled_from([GOING_ON, GOING_ON, {}]),
)


@pytest.mark.parametrize("operator", OPERATORS)
@settings(max_examples=15, deadline=None)
@given(batches=st.lists(st.fixed_dictionaries({ONE: rows, TWO: rows}), max_size=3), config=configs)
def test_a_value_that_cannot_be_written(
    operator: str, batches: list[Any], config: dict[str, Any]
) -> None:
    read = only_read(operator, batches)
    serdes = [PICKY] * len(read)

    found = run(operator, read, serdes, config, by_chunks=True)

    assert found == run(operator, read, serdes, config, by_chunks=False)


@pytest.mark.parametrize("operator", OPERATORS)
@settings(max_examples=15, deadline=None)
@given(
    old=st.fixed_dictionaries({ONE: old_rows, TWO: old_rows}),
    new=st.fixed_dictionaries({ONE: rows, TWO: rows}),
    config=configs,
)
def test_a_row_that_cannot_be_read_any_more(
    operator: str, old: Any, new: Any, config: dict[str, Any]
) -> None:
    read = only_read(operator, [old, new])

    found = run(operator, read, [TEXT, NEWER], config, by_chunks=True)

    assert found == run(operator, read, [TEXT, NEWER], config, by_chunks=False)
