"""An error of a user's function has its line, and names the function where the trace does not."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from millstream import (
    Consumed,
    Deserializer,
    JoinWindows,
    Materialized,
    Predicate,
    Printed,
    Processor,
    Produced,
    PunctuationType,
    Serdes,
    Serializer,
    SessionWindows,
    StreamJoined,
    StreamsBuilder,
    StreamsException,
    TimestampExtractor,
    TimeWindows,
    ValueMapper,
)
from millstream.core.user_code import code_of, codes_in
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
READ = Consumed.with_(TEXT, TEXT)
KEPT = Materialized.with_(TEXT, TEXT)
STEP = JoinWindows.ofTimeDifferenceWithNoGrace(1000)


class Boom(Exception):
    pass


def boom(*_: Any) -> Any:
    raise Boom("of the user")


class InProcess(Processor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        boom()


class InInit(Processor[Any, Any, Any, Any]):
    def init(self, context: Any) -> None:
        boom()

    def process(self, record: Any) -> None:
        pass


class InPunctuator(Processor[Any, Any, Any, Any]):
    def init(self, context: Any) -> None:
        context.schedule(10, PunctuationType.WALL_CLOCK_TIME, lambda time: boom())

    def process(self, record: Any) -> None:
        pass


class Unreadable(Deserializer[Any]):
    def deserialize(self, topic: str, data: bytes | None) -> Any:
        return boom()


class Unwritable(Serializer[Any]):
    def serialize(self, topic: str, data: Any) -> bytes:
        return boom()  # type: ignore[no-any-return]


class Extracts(TimestampExtractor):
    def extract(self, record: Any, partitionTime: int) -> int:
        return boom()  # type: ignore[no-any-return]


class Accepts(Predicate[str, str]):
    def test(self, key: str, value: str, /) -> bool:
        return boom()  # type: ignore[no-any-return]


Build = Callable[[Any, StreamsBuilder], object]
WRITTEN_BADLY = Serdes.serdeFrom(Unwritable(), TEXT.deserializer())

# What fails, and whether the error says in so many words where the function is.
NAMED: dict[str, Build] = {
    "map": lambda s, b: s.map(lambda k, v: boom()),
    "mapValues": lambda s, b: s.mapValues(lambda v: boom()),
    "filter": lambda s, b: s.filter(lambda k, v: boom()),
    "predicate object": lambda s, b: s.filter(Accepts()),
    "wrapped lambda": lambda s, b: s.mapValues(ValueMapper.of(lambda v: boom())),
    "partial": lambda s, b: s.mapValues(partial(lambda a, v: boom(), 1)),
    "flatMap": lambda s, b: s.flatMap(lambda k, v: boom()),
    "generator": lambda s, b: s.flatMapValues(lambda v: (boom() for _ in v)),
    "selectKey": lambda s, b: s.selectKey(lambda k, v: boom()),
    "peek": lambda s, b: s.peek(lambda k, v: boom()),
    "foreach": lambda s, b: s.foreach(lambda k, v: boom()),
    "branch": lambda s, b: s.split().branch(lambda k, v: boom()),
    "print": lambda s, b: s.print(Printed.toSysOut().withKeyValueMapper(lambda k, v: boom())),
    "initializer": lambda s, b: s.groupByKey().aggregate(lambda: boom(), lambda k, v, a: a, KEPT),
    "aggregator": lambda s, b: s.groupByKey().aggregate(lambda: "", lambda k, v, a: boom(), KEPT),
    "reducer": lambda s, b: s.groupByKey().reduce(lambda a, v: boom(), KEPT),
    "windowed": lambda s, b: (
        s.groupByKey()
        .windowedBy(TimeWindows.ofSizeWithNoGrace(10))
        .aggregate(lambda: "", lambda k, v, a: boom(), KEPT)
    ),
    "merger": lambda s, b: (
        s.groupByKey()
        .windowedBy(SessionWindows.ofInactivityGapWithNoGrace(10))
        .aggregate(lambda: "", lambda k, v, a: v, lambda k, a, o: boom(), KEPT)
    ),
    "joiner": lambda s, b: s.join(s, lambda v, o: boom(), STEP, StreamJoined.with_(*[TEXT] * 3)),
    "table's mapper": lambda s, b: s.toTable(KEPT).mapValues(lambda v: boom()),
    "table's joiner": lambda s, b: s.join(s.toTable(KEPT), lambda v, o: boom()),
    "process": lambda s, b: s.process(InProcess),
    "init": lambda s, b: s.process(InInit),
    "punctuator": lambda s, b: s.process(InPunctuator),
    "extractor": lambda s, b: b.stream("in2", READ.withTimestampExtractor(Extracts())),
    "extractor lambda": lambda s, b: b.stream(
        "in2", READ.withTimestampExtractor(lambda r, t: boom())
    ),
    "partitioner": lambda s, b: s.to(
        "out", Produced.with_(TEXT, TEXT).withStreamPartitioner(lambda t, k, v, n: boom())
    ),
    "topic": lambda s, b: s.to(lambda k, v, c: boom(), Produced.with_(TEXT, TEXT)),
}
TRACED: dict[str, Build] = {
    "deserializer": lambda s, b: b.stream(
        "in2", Consumed.with_(TEXT, Serdes.serdeFrom(TEXT.serializer(), Unreadable()))
    ),
    "serializer": lambda s, b: s.to("out", Produced.with_(TEXT, WRITTEN_BADLY)),
    "serializer of a store": lambda s, b: s.groupByKey().reduce(
        lambda a, v: v, Materialized.with_(TEXT, WRITTEN_BADLY)
    ),
}
WRONG: dict[str, Build] = {
    "no pair": lambda s, b: s.map(lambda k, v: 5),
    "no list": lambda s, b: s.flatMapValues(lambda v: 5),
    "another type": lambda s, b: s.mapValues(lambda v: 5).to("out", Produced.with_(TEXT, TEXT)),
    "another aggregate": lambda s, b: s.groupByKey().aggregate(
        lambda: 0, lambda k, v, a: a + 1, KEPT
    ),
}


def failure_of(build: Build) -> StreamsException:
    """The error of a topology that is fed two records of one key, and then 100 s."""
    builder = StreamsBuilder()
    build(builder.stream("in", READ), builder)
    with pytest.raises(StreamsException) as caught:
        feed(builder)
    return caught.value


def feed(builder: StreamsBuilder) -> None:
    with TopologyTestDriver(builder.build(), {}) as driver:
        for topic in ("in", "in2"):
            source = driver.createInputTopic(topic, TEXT.serializer(), TEXT.serializer(), 0, 1)
            source.pipeInput("k", "v")
            source.pipeInput("k", "w")
            driver.advanceWallClockTime(100_000)


def root_of(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


@pytest.mark.parametrize("build", [*NAMED.values(), *TRACED.values()], ids=[*NAMED, *TRACED])
def test_the_users_error_and_its_lines_are_in_the_chain(build: Build) -> None:
    root = root_of(failure_of(build))
    assert isinstance(root, Boom)
    frames = traceback.extract_tb(root.__traceback__)
    assert (frames[-1].filename, frames[-1].name) == (__file__, "boom")
    # Whoever called boom is the user's, too: one frame would be the function's own only.
    assert [each.filename for each in frames].count(__file__) > 1


@pytest.mark.parametrize("build", [*NAMED.values(), *WRONG.values()], ids=[*NAMED, *WRONG])
def test_an_error_says_where_the_function_is(build: Build) -> None:
    ((label, text),) = failure_of(build).more
    assert label == "code"
    assert f" at {__file__}:" in text


def test_the_line_is_that_of_the_lambda() -> None:
    failure = failure_of(lambda s, b: s.mapValues(lambda v: boom()))
    line = code_of(test_the_line_is_that_of_the_lambda).rpartition(":")[2]
    assert failure.more == (("code", f"lambda at {__file__}:{int(line) + 1}"),)
    assert f"\n  code: lambda at {__file__}:{int(line) + 1}\n" in str(failure)


def test_what_is_the_librarys_own_or_written_in_c_is_not_named() -> None:
    assert code_of(len) == code_of(str.upper) == code_of("text") == code_of(None) == ""
    assert codes_in(TEXT) == codes_in(object()) == ""
    assert failure_of(lambda s, b: s.mapValues(int)).more == ()


def test_an_object_that_answers_nothing_spoils_no_error() -> None:
    class Hostile:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError(name)

        def __call__(self, value: Any) -> Any:
            return boom()

    assert codes_in([Hostile()]).startswith("Hostile at ")
