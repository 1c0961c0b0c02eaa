"""A record's trace context goes with what it causes, through stateful operators too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from opentelemetry import trace

from millstream import (
    Consumed,
    Grouped,
    JoinWindows,
    Materialized,
    Serdes,
    StreamJoined,
    StreamsBuilder,
    Suppressed,
    TimeWindows,
)
from millstream.core.headers import Headers
from millstream.telemetry.context import context_of, put_context
from millstream.testing import TestRecord, TopologyTestDriver

TEXT = Serdes.String()
CONFIG = {
    "application.id": "traced",
    "bootstrap.servers": "nowhere:9092",
    "default.key.serde": "string",
    "default.value.serde": "string",
    "statestore.cache.max.bytes": "0",
}
LEFT = "00-" + "a" * 32 + "-" + "1" * 16 + "-01"
RIGHT = "00-" + "b" * 32 + "-" + "2" * 16 + "-01"
Build = Callable[[Any, Any], Any]


def counting(left: Any, right: Any) -> Any:
    return left.groupByKey(Grouped.with_(TEXT, TEXT)).count().toStream().mapValues(str)


def repartitioned(left: Any, right: Any) -> Any:
    by_value = left.selectKey(lambda key, value: value)
    return by_value.groupByKey(Grouped.with_(TEXT, TEXT)).count().toStream().mapValues(str)


def joined(left: Any, right: Any) -> Any:
    within = JoinWindows.ofTimeDifferenceWithNoGrace(1000)
    return right.join(left, lambda r, l: r + l, within, StreamJoined.with_(TEXT, TEXT, TEXT))


def joined_with_a_table(left: Any, right: Any) -> Any:
    return right.join(left.toTable(Materialized.with_(TEXT, TEXT)), lambda r, l: r + l)


def suppressed(left: Any, right: Any) -> Any:
    windows = TimeWindows.ofSizeWithNoGrace(10)
    counts = left.merge(right).groupByKey(Grouped.with_(TEXT, TEXT)).windowedBy(windows).count()
    closed = Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded())
    return counts.suppress(closed).toStream().map(lambda key, count: (key.key(), str(count)))


@pytest.mark.parametrize(
    ("build", "cause"),
    [
        (counting, LEFT),
        (repartitioned, LEFT),
        (joined, RIGHT),
        (joined_with_a_table, RIGHT),
        # The window's result is that of its last record, though another one closes it.
        (suppressed, LEFT),
    ],
)
def test_what_a_record_causes_has_its_trace(build: Build, cause: str) -> None:
    builder = StreamsBuilder()
    text = Consumed.with_(TEXT, TEXT)
    build(builder.stream("left", text), builder.stream("right", text)).to("out")
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        for topic, parent, time in (("left", LEFT, 1), ("right", RIGHT, 20)):
            headers = Headers()
            headers.add("traceparent", parent.encode())
            source = driver.createInputTopic(topic, TEXT.serializer(), TEXT.serializer())
            source.pipeInput(TestRecord("k", topic, headers, time))
        out = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        first = out.readRecordsToList()[0]
        found = first.headers().lastHeader("traceparent")
        assert found is not None
        assert found.value() == cause.encode()


def test_headers_become_a_context_and_back() -> None:
    headers = Headers()
    headers.add("traceparent", LEFT.encode())
    context = context_of(headers)
    assert f"{trace.get_current_span(context).get_span_context().trace_id:032x}" == "a" * 32
    other = Headers()
    other.add("traceparent", RIGHT.encode())
    put_context(other, context)
    assert [header.value() for header in other] == [LEFT.encode()]


@pytest.mark.parametrize("value", [None, b"", b"\xff\xfe", b"00-zz", b"x" * 10_000])
def test_a_broken_header_is_no_context(value: bytes | None) -> None:
    headers = Headers()
    headers.add("traceparent", value)
    assert not trace.get_current_span(context_of(headers)).get_span_context().is_valid
