"""What a processor forwards to a sink: the handler of what it cannot write sees that record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from compat_tests.topology.running import Event, run
from millstream import (
    Headers,
    Processor,
    ProductionExceptionHandler,
    Serdes,
    Serializer,
    Topology,
)

TEXT = Serdes.String()
told: list[tuple[Any, ...]] = []


class Keeping(ProductionExceptionHandler):
    """Goes on after what cannot be written, and keeps what it was told of it."""

    def handleSerializationError(self, *given: Any) -> Any:
        context = given[0]
        header = context.headers().lastHeader("h")
        told.append(
            (context.timestamp(), header.value(), context.offset(), context.sourceRawValue())
        )
        return self.Response.resume()


class Picky(Serializer[str]):
    """Writes anything but ``b``."""

    def serialize(self, topic: str, data: str | None) -> bytes | None:
        if data == "b":
            raise ValueError(data)
        return None if data is None else data.encode()


class Moving(Processor[str, str, str, str]):
    """Forwards each record at another time, and changes its headers afterwards."""

    def init(self, context: Any) -> None:
        self._context = context

    def process(self, record: Any) -> None:
        moved = record.withTimestamp(record.timestamp() + 1000)
        moved = moved.withHeaders(Headers().add("h", record.value().encode() + b"1"))
        self._context.forward(moved)
        moved.headers().add("h", b"late")


def _plan(sinks: Sequence[str]) -> Any:
    topology = Topology()
    topology.addSource("s", TEXT.deserializer(), TEXT.deserializer(), "in")
    topology.addProcessor("p", Moving, "s")
    for sink in sinks:
        topology.addSink(sink, f"to-{sink}", TEXT.serializer(), Picky(), "p")
    return topology.plan()


@pytest.mark.parametrize("sinks", [["one"], ["one", "two"]])
@pytest.mark.parametrize("by_chunks", [True, False])
def test_a_sink_below_a_processor_sends_and_tells_of_what_it_was_given(
    sinks: list[str], by_chunks: bool
) -> None:
    told.clear()
    config = {"production.exception.handler": Keeping}
    events = [Event("a", value, at, b"x") for at, value in enumerate("abc")]
    sent = run(_plan(sinks), config, events, by_chunks=by_chunks)
    assert [
        (each.topic, each.value, each.timestamp, [h.value() for h in each.headers or ()])
        for each in sent
        if each.topic.startswith("to-")
    ] == [
        (f"to-{sink}", value.encode(), 1000 + at, [value.encode() + b"1"])
        for at, value in enumerate("abc")
        for sink in sinks
        if value != "b"
    ]
    assert told == [(1001, b"b1", 1, b"b") for _ in sinks]
