"""Functions stand for serializers and deserializers wherever Java takes a lambda for one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from millstream import (
    Consumed,
    KeyValue,
    LogAndContinueExceptionHandler,
    Materialized,
    Produced,
    Serde,
    Serdes,
    Stores,
    StreamsBuilder,
    Topology,
)
from millstream.core.errors import ClassCastException, NullPointerException
from millstream.testing import TopologyTestDriver


def _write(topic: str, data: str | None) -> bytes | None:
    return None if data is None else data[::-1].encode()


def _read(topic: str, data: bytes | None) -> str | None:
    return None if data is None else data.decode()[::-1]


class Backwards(Serde[str]):
    """A serde whose methods return functions, as Java's return lambdas."""

    def serializer(self) -> Any:
        return lambda topic, data: _write(topic, data)

    def deserializer(self) -> Any:
        return _read


class WithHeaders(Serde[str]):
    """The same with headers: how many there are is part of the bytes."""

    def serializer(self) -> Any:
        return lambda topic, headers, data: f"{data}{len(headers.toArray())}".encode()

    def deserializer(self) -> Any:
        return lambda topic, headers, data: data.decode()


@dataclass(frozen=True)
class Read:
    """A callable object that has no hash, as a list in it has none."""

    times: int
    read: list[bytes | None] = field(default_factory=list)

    def __call__(self, topic: str, data: bytes | None) -> str | None:
        return None if data is None else data.decode() * self.times


class ByObject(Backwards):
    """A serde with a callable object for a half."""

    def serializer(self) -> Any:
        return Serdes.String().serializer()

    def deserializer(self) -> Any:
        return Read(1)


class Wrong(Backwards):
    def deserializer(self) -> Any:
        return "text"


@pytest.mark.parametrize("serde", [Backwards(), WithHeaders()])
def test_a_serde_may_return_functions(serde: Serde[str]) -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed.with_(Backwards(), serde))
    stream.groupByKey().count(Materialized.with_(serde, Serdes.Long()))
    stream.toTable(Materialized.as_("t").withKeySerde(Backwards()).withValueSerde(serde))
    stream.to("out", Produced.with_(Backwards(), serde))
    with TopologyTestDriver(builder.build()) as driver:
        source = driver.createInputTopic("in", _write, Serdes.String().serializer())
        source.pipeInput("ab", "cd")
        result = driver.createOutputTopic("out", _read, Serdes.String().deserializer())
        expected = {"Backwards": "cd", "WithHeaders": "cd0"}[type(serde).__name__]
        assert result.readKeyValue().value == expected


def test_a_serde_of_functions_is_an_inner_one() -> None:
    lists = Serdes.ListSerde()
    lists.configure(
        {
            "default.list.key.serde.type": list,
            "default.list.key.serde.inner": Backwards,
        },
        True,
    )
    written = lists.serializer().serialize("topic", ["ab"])
    assert written == Serdes.ListSerde(list, Serdes.String()).serializer().serialize("t", ["ba"])
    assert lists.deserializer().deserialize("topic", written) == ["ab"]


def test_what_is_no_function_and_no_half_is_refused() -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed.with_(Wrong(), Serdes.String()))
    with pytest.raises(ClassCastException, match=r"deserializer\(\) of Wrong returned a str"):
        TopologyTestDriver(builder.build())


@pytest.mark.parametrize(
    "extractor",
    [(), (None,), (lambda record, partition_time: 7,)],
    ids=["none", "null", "function"],
)
def test_sources_take_functions(extractor: tuple[Any, ...]) -> None:
    topology = Topology().addSource("source", *extractor, _read, _read, "in")
    topology.addSink("sink", "out", _write, _write, lambda t, k, v, n: 0, "source")
    topology.addSink("plain", "plain", lambda t, k, v, n: 0, "source")
    config = {"default.key.serde": Serdes.String(), "default.value.serde": Serdes.String()}
    with TopologyTestDriver(topology, config) as driver:
        text = Serdes.String()
        driver.createInputTopic("in", text.serializer(), _write).pipeInput("ab", "cd", 3)
        out = driver.createOutputTopic("out", text.deserializer(), _read).readRecord()
        assert (out.key(), out.value()) == ("ab", "cd")
        assert out.timestamp() == (7 if extractor not in ((), (None,)) else 3)
        plain = driver.createOutputTopic("plain", text.deserializer(), text.deserializer())
        assert plain.readKeyValue().key == "ba"


def test_an_extractor_alone_is_one() -> None:
    topology = Topology().addSource("source", lambda record, partition_time: 7, "in")
    topology.addSink("sink", "out", "source")
    config = {"default.key.serde": Serdes.String(), "default.value.serde": Serdes.String()}
    with TopologyTestDriver(topology, config) as driver:
        text = Serdes.String()
        driver.createInputTopic("in", text.serializer(), text.serializer()).pipeInput("a", "b", 3)
        sent = driver.createOutputTopic("out", text.deserializer(), text.deserializer())
        assert sent.readRecord().timestamp() == 7


def test_global_stores_take_functions() -> None:
    seen: list[Any] = []

    class Fill:
        def init(self, context: Any) -> None: ...

        def process(self, record: Any) -> None:
            seen.append((record.key(), record.value()))

        def close(self) -> None: ...

    store = Stores.keyValueStoreBuilder(
        Stores.inMemoryKeyValueStore("g"), Serdes.String(), Serdes.String()
    )
    topology = Topology().addGlobalStore(
        store.withLoggingDisabled(), "source", _read, _read, "in", "fill", Fill
    )
    with TopologyTestDriver(topology) as driver:
        driver.createInputTopic("in", _write, _write).pipeInput("ab", "cd")
    assert seen == [("ab", "cd")]


def test_a_function_before_a_missing_name_is_no_half() -> None:
    topology = Topology().addSource("source", "in")
    with pytest.raises(NullPointerException, match="parent name cannot be null"):
        topology.addSink("sink", "out", lambda t, k, v, n: 0, None)
    with pytest.raises(NullPointerException, match="topic names"):
        Topology().addSource("source", lambda record, partition_time: 7, None)


class OfOneArgument:
    """Halves as other libraries have them: nothing tells the topic."""

    def serialize(self, data: str | None) -> bytes | None:
        return None if data is None else data.encode()

    def deserialize(self, data: bytes | None) -> str | None:
        return None if data is None else data.decode()


class OneArgumentSerde:
    def serializer(self) -> Any:
        return OfOneArgument()

    def deserializer(self) -> Any:
        return OfOneArgument()


def _built_with(serde: Any) -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed.with_(Serdes.String(), serde)).foreach(lambda key, value: None)
    # Its records were dropped one by one: each failed, and this handler goes on.
    handler = {"deserialization.exception.handler": LogAndContinueExceptionHandler}
    TopologyTestDriver(builder.build(), handler).close()


def _made_of(half: Any) -> None:
    Serdes.serdeFrom(half, half)


def _piped_with(half: Any) -> None:
    read = Serdes.String().deserializer()
    with TopologyTestDriver(Topology().addSource("source", read, read, "in")) as driver:
        driver.createInputTopic("in", half, half)


@pytest.mark.parametrize(
    ("give", "taken"),
    [
        (lambda: Serdes.serdeFrom(json.dumps, _read), "takes (obj, *, "),
        (lambda: Serdes.serdeFrom(_write, lambda data: data), "takes (data)."),
        (lambda: Serdes.serdeFrom(_write, lambda topic, data, *, to: data), "takes (topic, data,"),
        (lambda: _made_of(OfOneArgument()), "takes (data)."),
        (lambda: _built_with(OneArgumentSerde()), "takes (data)."),
        (lambda: Topology().addSource("s", OfOneArgument(), None, "in"), "takes (data)."),
        (lambda: _piped_with(OfOneArgument()), "takes (data)."),
    ],
)
def test_a_half_that_does_not_take_topic_and_data_is_refused(
    give: Callable[[], Any], taken: str
) -> None:
    with pytest.raises(
        ClassCastException, match=r"cannot be called with \(topic, data\)"
    ) as caught:
        give()
    assert taken in caught.value.detail


def test_a_half_may_take_more_that_has_defaults_or_anything() -> None:
    more = Serdes.serdeFrom(
        lambda topic, data, *, suffix="!": _write(topic, data + suffix), lambda *all: all[-1]
    )
    assert more.serializer().serialize("t", "ab") == b"!ba"


def test_a_callable_object_without_a_hash_may_be_a_half() -> None:
    builder = StreamsBuilder()
    rows = builder.table(
        "in", Consumed.with_(Serdes.String(), ByObject()), Materialized.as_("rows")
    )
    rows.toStream().to("out", Produced.with_(Serdes.String(), Serdes.String()))

    with TopologyTestDriver(builder.build()) as driver:
        text = Serdes.String()
        given = driver.createInputTopic("in", text.serializer(), text.serializer())
        taken = driver.createOutputTopic("out", text.deserializer(), Read(3))
        given.pipeKeyValueList([KeyValue("a", "x"), KeyValue("b", "y")])
        assert taken.readValuesToList() == ["xxx", "yyy"]
