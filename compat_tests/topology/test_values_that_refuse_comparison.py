"""Values and keys that cannot be compared, counted or hashed, such as NumPy arrays."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
import pytest

from compat_tests.topology.running import Event, run
from millstream import (
    Consumed,
    EmitStrategy,
    Grouped,
    Joined,
    JoinWindows,
    KGroupedStream,
    KStream,
    KTable,
    Materialized,
    Produced,
    Serdes,
    SessionWindows,
    SlidingWindows,
    StreamJoined,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
)

TEXT = Serdes.String()
EVENTS = [Event("ab"[number % 2], value, number * 10) for number, value in enumerate("xyzxyzxy")]
STEP = JoinWindows.ofTimeDifferenceWithNoGrace(20)
UNBOUNDED = Suppressed.BufferConfig.unbounded()


class Mute:
    """A value that answers nothing but its text."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: str) -> None:
        self.text = text

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError("a Mute answers nothing")

    __eq__ = __ne__ = __lt__ = __bool__ = __len__ = __iter__ = _refuse

    def __repr__(self) -> str:
        return self.text


class Kind:
    """A type of values, and what adds two of them."""

    def __init__(self, write: Callable[[Any], bytes], read: Callable[[bytes], Any]) -> None:
        self.read = read
        self.serde = Serdes.serdeFrom(
            lambda topic, data: None if data is None else write(data),
            lambda topic, data: None if data is None else read(data),
        )
        self.write = write

    def add(self, one: Any, other: Any) -> Any:
        return self.read(self.write(one) + self.write(other))

    def longest(self, one: Any, other: Any) -> Any:
        return max(one, other, key=lambda each: 0 if each is None else len(self.write(each)))


KINDS = {
    "array": Kind(lambda value: value.tobytes(), lambda data: np.frombuffer(data, np.uint8)),
    "mute": Kind(lambda value: value.text.encode(), lambda data: Mute(data.decode())),
}

Build = Callable[[KStream[Any, Any], Kind], KTable[Any, Any] | KStream[Any, Any]]


def grouped(stream: KStream[Any, Any], kind: Kind) -> KGroupedStream[Any, Any]:
    return stream.groupByKey(Grouped.with_(TEXT, kind.serde))


def kept(kind: Kind) -> Materialized[Any, Any, Any]:
    return Materialized.with_(TEXT, kind.serde)


def table(stream: KStream[Any, Any], kind: Kind) -> KTable[Any, Any]:
    return stream.toTable(kept(kind))


def windowed(stream: KStream[Any, Any], kind: Kind, windows: Any) -> Any:
    return grouped(stream, kind).windowedBy(windows)


TUMBLING = TimeWindows.ofSizeWithNoGrace(50)
PROGRAMS: dict[str, Build] = {
    "mapValues": lambda s, k: s.mapValues(lambda value: value),
    "flatMapValues": lambda s, k: s.flatMapValues(lambda value: [value, value]),
    "filter": lambda s, k: table(s, k).filter(lambda key, value: True, kept(k)),
    "reduce": lambda s, k: grouped(s, k).reduce(k.add, kept(k)),
    "aggregate": lambda s, k: grouped(s, k).aggregate(
        lambda: k.read(b""), lambda key, value, sum_: k.add(sum_, value), kept(k)
    ),
    "tumbling": lambda s, k: windowed(s, k, TUMBLING).reduce(k.add, kept(k)),
    "on close": lambda s, k: (
        windowed(s, k, TUMBLING).emitStrategy(EmitStrategy.onWindowClose()).reduce(k.add, kept(k))
    ),
    "suppressed": lambda s, k: (
        windowed(s, k, TUMBLING)
        .reduce(k.add, kept(k))
        .suppress(Suppressed.untilWindowCloses(UNBOUNDED))
    ),
    "sessions": lambda s, k: windowed(s, k, SessionWindows.ofInactivityGapWithNoGrace(10)).reduce(
        k.add, kept(k)
    ),
    "sliding": lambda s, k: windowed(s, k, SlidingWindows.ofTimeDifferenceWithNoGrace(20)).reduce(
        k.add, kept(k)
    ),
    "tables": lambda s, k: table(s, k).outerJoin(
        s.mapValues(lambda value: value).toTable(kept(k)), k.longest, kept(k)
    ),
    "stream and table": lambda s, k: s.leftJoin(
        table(s, k), k.longest, Joined.with_(TEXT, k.serde, k.serde)
    ),
    "streams": lambda s, k: s.join(
        s.mapValues(lambda value: value),
        k.longest,
        STEP,
        StreamJoined.with_(TEXT, k.serde, k.serde),
    ),
}


def sent(build: Build, kind: Kind, cache: int, *, by_chunks: bool) -> list[Any]:
    builder = StreamsBuilder()
    found = build(builder.stream("in", Consumed.with_(TEXT, kind.serde)), kind)
    stream = found.toStream() if isinstance(found, KTable) else found
    stream.selectKey(lambda key, value: str(key)).to("out", Produced.with_(TEXT, kind.serde))
    config = {"statestore.cache.max.bytes": cache}
    results = run(builder.build().plan(), config, EVENTS, by_chunks=by_chunks)
    return [each[1:4] for each in results if each.topic == "out"]


@pytest.mark.parametrize("cache", [0, 1 << 20], ids=["uncached", "cached"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_they_go_through_every_operator(program: str, kind: str, cache: int) -> None:
    by_record = sent(PROGRAMS[program], KINDS[kind], cache, by_chunks=False)
    assert by_record
    assert sent(PROGRAMS[program], KINDS[kind], cache, by_chunks=True) == by_record


JSON = Serdes.serdeFrom(
    lambda topic, data: None if data is None else json.dumps(data).encode(),
    lambda topic, data: None if data is None else json.loads(data),
)


def counted(keys: list[str], selector: Callable[[Any, Any], Any]) -> list[Any]:
    """Return what is sent to the groups as the one row of a table moves between them."""
    builder = StreamsBuilder()
    rows: KTable[Any, Any] = builder.table("in", Consumed.with_(TEXT, JSON))
    rows.groupBy(selector, Grouped.with_(JSON, JSON)).count()
    events = [Event("row", key, number, commit=True) for number, key in enumerate(keys)]
    results = run(builder.build().plan(), {}, events, by_chunks=True)
    return [(each.key, each.value) for each in results if each.topic.endswith("-repartition")]


def test_groups_that_only_python_calls_equal_are_two() -> None:
    sent = counted(["1", "true", "1.0"], lambda key, value: (value, value))
    assert [key for key, _ in sent] == [b"1", b"1", b"true", b"true", b"1.0"]


def test_groups_that_cannot_be_compared_are_two() -> None:
    sent = counted(['"x"', '"y"', '"y"'], lambda key, value: ([value], value))
    assert [key for key, _ in sent] == [b'["x"]', b'["x"]', b'["y"]', b'["y"]']
