"""An argument that is None is refused in the words of Kafka's class."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from millstream import (
    JoinWindows,
    KeyValue,
    Named,
    NullPointerException,
    Serdes,
    StreamsBuilder,
    Topology,
)

WINDOWS: Any = JoinWindows.ofTimeDifferenceWithNoGrace(timedelta(1))
CANNOT: list[tuple[str, Callable[[Any], Any]]] = [
    ("predicate", lambda stream: stream.filter(None)),
    ("named", lambda stream: stream.filter(lambda key, value: True, None)),
    ("predicate", lambda stream: stream.filterNot(None, Named.as_("f"))),
    ("mapper", lambda stream: stream.selectKey(None)),
    ("mapper", lambda stream: stream.map(None)),
    ("named", lambda stream: stream.map(KeyValue.pair, None)),
    ("mapper", lambda stream: stream.mapValues(None)),
    ("mapper", lambda stream: stream.flatMap(None)),
    ("mapper", lambda stream: stream.flatMapValues(None)),
    ("printed", lambda stream: stream.print(None)),
    ("action", lambda stream: stream.foreach(None)),
    ("action", lambda stream: stream.peek(None)),
    ("otherStream", lambda stream: stream.merge(None)),
    ("named", lambda stream: stream.merge(stream, None)),
    ("topic", lambda stream: stream.to(None)),
    ("produced", lambda stream: stream.to("out", None)),
    ("repartitioned", lambda stream: stream.repartition(None)),
    ("keySelector", lambda stream: stream.groupBy(None)),
    ("grouped", lambda stream: stream.groupBy(max, None)),
    ("grouped", lambda stream: stream.groupByKey(None)),
    ("named", lambda stream: stream.toTable(None)),
    ("materialized", lambda stream: stream.toTable(Named.as_("t"), None)),
    ("otherStream", lambda stream: stream.join(None, max, WINDOWS)),
    ("joiner", lambda stream: stream.join(stream, None, WINDOWS)),
    ("windows", lambda stream: stream.leftJoin(stream, max, None)),
    ("streamJoined", lambda stream: stream.outerJoin(stream, max, WINDOWS, None)),
    ("processorSupplier", lambda stream: stream.process(None)),
    ("state store name", lambda stream: stream.process(object, None)),
    ("state store name", lambda stream: stream.processValues(object, Named.as_("p"), None)),
]
CANT: list[tuple[str, Callable[[Any], Any]]] = [
    ("predicate", lambda table: table.filter(None)),
    ("mapper", lambda table: table.mapValues(None)),
    ("named", lambda table: table.toStream().groupByKey().count(None)),
    ("selector", lambda table: table.groupBy(None)),
    ("joiner", lambda table: table.join(table, None)),
]
TOPOLOGY: list[tuple[str, Callable[[Any], Any]]] = [
    ("name", lambda topology: topology.addSource(None, "in")),
    ("name", lambda topology: topology.addProcessor(None, object, "s")),
    ("name", lambda topology: topology.addSink(None, "out", "s")),
    ("topic", lambda topology: topology.addSink("sink", None, "s")),
    # Also without a parent, which would be the next thing to be missed.
    ("processorSupplier", lambda topology: topology.addProcessor("p", None)),
    ("topic", lambda topology: topology.addSink("sink", None)),
    ("name", lambda topology: topology.addSink(None, None)),
]


def problem(call: Callable[[], Any]) -> str:
    with pytest.raises(NullPointerException) as caught:
        call()
    return caught.value.problem


@pytest.mark.parametrize(("name", "call"), CANNOT)
def test_streams_say_cannot(name: str, call: Callable[[Any], Any]) -> None:
    stream = StreamsBuilder().stream("in")
    assert problem(lambda: call(stream)) == f"{name} cannot be null"


@pytest.mark.parametrize(("name", "call"), CANT)
def test_tables_and_what_is_grouped_say_cant(name: str, call: Callable[[Any], Any]) -> None:
    table = StreamsBuilder().table("in")
    assert problem(lambda: call(table)) == f"{name} can't be null"


@pytest.mark.parametrize(("name", "call"), TOPOLOGY)
def test_topologies_say_cannot(name: str, call: Callable[[Any], Any]) -> None:
    topology = Topology().addSource("s", "in")
    assert problem(lambda: call(topology)) == f"{name} cannot be null"


def test_builders_say_cant() -> None:
    builder: Any = StreamsBuilder()
    assert problem(lambda: builder.stream(None)) == "topics can't be null"
    assert problem(lambda: builder.table(None)) == "topic can't be null"
    assert problem(lambda: builder.stream("in", None)) == "consumed can't be null"


def test_a_source_may_have_none_for_its_reset_policy() -> None:
    made: Any = Topology().addSource(None, "s", None, None, None, "in")
    assert str(made.describe()) == str(Topology().addSource("s", "in").describe())
    reader = Serdes.String().deserializer()
    made = Topology().addSource(None, "s", reader, reader, "in", "other")
    assert str(made.describe()) == str(Topology().addSource("s", "in", "other").describe())
    # With nothing but texts after it, it is the name that is missing.
    source: Any = Topology().addSource
    assert problem(lambda: source(None, "in", "other")) == "name cannot be null"
