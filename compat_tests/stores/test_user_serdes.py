"""Serdes of a user's own in stores: what they are called with, and what they may return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    Consumed,
    Deserializer,
    Grouped,
    Materialized,
    Produced,
    Serde,
    Serdes,
    Serializer,
    StreamsBuilder,
    TimeWindows,
    TopologyTestDriver,
)
from millstream.core.errors import (
    NullPointerException,
    ProcessorStateException,
    StreamsException,
)
from millstream.core.serdes.text import StringDeserializer, StringSerde, StringSerializer
from millstream.stores.codec import BoundSerde

TEXT = Serdes.String()


class Encode(Serializer[str]):
    def serialize(self, topic: str, data: Any) -> Any:
        return data.encode()


class Decode(Deserializer[str]):
    def deserialize(self, topic: str, data: Any) -> Any:
        return data.decode()


def refusing_none() -> Serde[str]:
    return Serdes.serdeFrom(Encode(), Decode())


def run(build: Callable[[Any], Any], values: list[str], **config: Any) -> list[Any]:
    """What comes out of a stream of text with one key."""
    builder = StreamsBuilder()
    build(builder.stream("in", Consumed.with_(TEXT, TEXT))).to("out", Produced.with_(TEXT, TEXT))
    settings = {"application.id": "app", **config}
    with TopologyTestDriver(builder.build(settings), settings) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for value in values:
            topic.pipeInput("k", value)
        out = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        return out.readValuesToList()


@pytest.mark.parametrize("cache", [0, 10_000_000])
@pytest.mark.parametrize("logged", [True, False])
def test_a_store_does_not_call_a_users_serde_for_null(cache: int, logged: bool) -> None:
    store: Any = Materialized.with_(TEXT, refusing_none())
    store = store if logged else store.withLoggingDisabled()

    def build(stream: Any) -> Any:
        table = stream.groupByKey(Grouped.with_(TEXT, refusing_none())).reduce(
            lambda total, value: None if value == "-" else total + value, store
        )
        # Asks for old values.
        return table.filter(lambda _, value: len(value) > 1).toStream()

    size = {"statestore.cache.max.bytes": cache}
    assert run(build, ["a", "b", "-", "c", "d"], **size) == ["ab", None, "cd"]


class Shouted(StringSerializer):
    def serialize(self, topic: str, data: str | None) -> bytes | None:
        return None if data is None else data.upper().encode()


class Spoken(StringDeserializer):
    def deserialize(self, topic: str, data: bytes | None) -> str | None:
        return None if data is None else data.decode() + "!"


class Shouting(StringSerde):
    def serializer(self) -> Serializer[str]:
        return Shouted()

    def deserializer(self) -> Deserializer[str]:
        return Spoken()


def test_a_subclass_of_a_stock_serializer_also_writes_columns() -> None:
    assert Shouted().serialize_column("t", ["a", None]) == [b"A", None]
    assert Spoken().deserialize_column("t", [b"a", None]) == ["a!", None]
    assert not Shouted().needs_headers()


@pytest.mark.parametrize("cache", [0, 10_000_000])
def test_a_subclass_of_a_stock_serde_is_asked_for_what_a_store_holds(cache: int) -> None:
    def build(stream: Any) -> Any:
        store: Any = Materialized.with_(TEXT, Shouting())
        table = stream.groupByKey().reduce(lambda total, value: total + value, store)
        return table.toStream()

    settings = {
        "default.key.serde": Serdes.StringSerde,
        "default.value.serde": Serdes.StringSerde,
        "statestore.cache.max.bytes": cache,
    }
    # A flush reads from the bytes what it passes on; without a cache the object itself goes on.
    expected = ["a", "A!b", "A!B!c"] if cache == 0 else ["A!", "A!B!", "A!B!C!"]
    assert run(build, ["a", "b", "c"], **settings) == expected


class TextForBytes(Serializer[str]):
    def serialize(self, topic: str, data: Any) -> Any:
        return data


def test_a_serializer_that_returns_no_bytes_is_named() -> None:
    def build(stream: Any) -> Any:
        serde = Serdes.serdeFrom(TextForBytes(), Decode())
        store: Any = Materialized.with_(TEXT, serde)
        grouped = stream.groupByKey(Grouped.with_(TEXT, TEXT))
        return grouped.reduce(lambda total, value: total + value, store).toStream()

    with pytest.raises(StreamsException, match="TextForBytes returned a str, not bytes"):
        run(build, ["a"])


def test_what_cannot_be_written_is_the_fault_of_its_record() -> None:
    def build(stream: Any) -> Any:
        grouped = stream.groupByKey(Grouped.with_(TEXT, TEXT))
        store: Any = Materialized.with_(TEXT, Serdes.Long())
        # More than fits into the eight bytes of a Long.
        table = grouped.aggregate(lambda: 0, lambda key, value, total: 2**63, store)
        return table.toStream().mapValues(str)

    with pytest.raises(StreamsException, match="at offset 0") as caught:
        run(build, ["a"])
    assert "processing.exception.handler" in str(caught.value)


def refuse(_topic: str, _data: bytes | None) -> str:
    raise ValueError("unreadable")


def test_a_flush_of_what_cannot_be_read_blames_the_store() -> None:
    def build(stream: Any) -> Any:
        grouped = stream.groupByKey(Grouped.with_(TEXT, TEXT))
        store: Any = Materialized.with_(TEXT, Serdes.serdeFrom(Encode(), refuse))
        return grouped.reduce(lambda total, value: total + value, store).toStream()

    with pytest.raises(ProcessorStateException) as caught:
        run(build, ["a"])
    assert "processing.exception.handler" not in str(caught.value)
    assert "one of its serdes" in str(caught.value)


class NoBytes(Serializer[str]):
    def serialize(self, topic: str, data: Any) -> Any:
        return None


@pytest.mark.parametrize("cache", [0, 10_000_000])
@pytest.mark.parametrize("windowed", [False, True])
def test_a_key_without_bytes_is_refused_as_in_kafka(cache: int, windowed: bool) -> None:
    # Without a cache it became an entry with the key None.
    keys = Serdes.serdeFrom(NoBytes(), StringDeserializer())

    def build(stream: Any) -> Any:
        grouped = stream.groupByKey()
        if windowed:
            grouped = grouped.windowedBy(TimeWindows.ofSizeWithNoGrace(5))
        counts = grouped.count(Materialized.with_(keys, Serdes.Long()))
        return counts.toStream().map(lambda key, count: ("k", str(count)))

    with pytest.raises(StreamsException) as caught:
        run(build, ["a"], **{"statestore.cache.max.bytes": cache})
    assert isinstance(caught.value.__cause__, NullPointerException)
    assert "NoBytes returned None for a key" in caught.value.__cause__.detail


def test_a_column_of_keys_without_bytes_is_refused_too() -> None:
    keys: Any = Serdes.serdeFrom(NoBytes(), StringDeserializer())
    with pytest.raises(NullPointerException, match="key cannot be null"):
        BoundSerde(keys, "t", role="key").column_to_bytes(["a", None])
    assert BoundSerde(keys, "t").column_to_bytes(["a", None]) == [None, None]
