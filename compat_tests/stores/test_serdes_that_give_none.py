"""Serdes that return None for what is there; the results are those of Kafka Streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.stores.test_user_serdes import run
from millstream import (
    Deserializer,
    Grouped,
    Joined,
    Materialized,
    NullPointerException,
    Processor,
    Serde,
    Serdes,
    Serializer,
    Stores,
    StreamsBuilder,
    StreamsException,
)
from millstream.testing.kit.one_task import sent_by

TEXT = Serdes.String()
CACHES = pytest.mark.parametrize("cache", [0, 10_000_000])


class Drops(Serializer[str]):
    """Has no bytes for what begins with "!"."""

    def serialize(self, topic: str, data: str | None) -> bytes | None:
        return None if data is None or data.startswith("!") else data.encode()


class Reads(Deserializer[str]):
    """Reads as None what ends with "?", as one does that passes over what it cannot read."""

    def deserialize(self, topic: str, data: bytes | None) -> str | None:
        return None if data is None or data.endswith(b"?") else data.decode()


SERDE: Serde[Any] = Serdes.serdeFrom(Drops(), Reads())


def sizes(cache: int) -> dict[str, Any]:
    return {
        "default.key.serde": TEXT,
        "default.value.serde": TEXT,
        "statestore.cache.max.bytes": cache,
    }


def totals(stream: Any) -> Any:
    store: Any = Materialized.with_(TEXT, SERDE)
    grouped = stream.groupByKey(Grouped.with_(TEXT, TEXT))
    return grouped.aggregate(lambda: "0", lambda _, value, total: total + value, store).toStream()


@CACHES
def test_an_aggregate_that_is_read_as_none_begins_anew(cache: int) -> None:
    given = ["a", "b?", "c", "d"]
    # A cache passes on what it reads from the bytes.
    assert run(totals, given, **sizes(cache)) == [
        "0a",
        "0ab?" if cache == 0 else None,
        "0c",
        "0cd",
    ]


def test_so_it_does_in_a_run_of_records() -> None:
    builder = StreamsBuilder()
    totals(builder.stream("in")).to("out")
    records = [(b"k", value, 1) for value in (b"a", b"b?", b"c", b"d")]
    config = sizes(0)
    one, run_of_all = (
        [sent.value for sent in sent_by(builder.build(), config, "in", records, by_chunks=each)]
        for each in (False, True)
    )
    assert one == run_of_all == [b"0a", b"0ab?", b"0c", b"0cd"]


class Versions(Processor[str, str, str, str]):
    """Puts each value, and forwards what it reads then."""

    def init(self, context: Any) -> None:
        self.context, self.store = context, context.getStateStore("versions")

    def process(self, record: Any) -> None:
        self.store.put(record.key(), record.value(), record.timestamp())
        found = self.store.get(record.key())
        self.context.forward(record.withValue("none" if found is None else found.value()))


def test_a_version_that_is_read_as_none_is_none() -> None:
    builder, supplier = StreamsBuilder(), Stores.persistentVersionedKeyValueStore("versions", 10)
    builder.addStateStore(Stores.versionedKeyValueStoreBuilder(supplier, TEXT, SERDE))
    builder.stream("in").process(Versions, "versions").to("out")
    records = [(b"k", b"a", 1), (b"k", b"b?", 2)]
    sent = sent_by(builder.build(), sizes(0), "in", records, by_chunks=False)
    assert [each.value for each in sent] == [b"a", b"none"]


def regrouped(stream: Any) -> Any:
    """It sent an empty text to the aggregation."""
    grouped = stream.toTable().groupBy(lambda key, value: (key, value), Grouped.with_(TEXT, SERDE))
    return grouped.reduce(lambda one, two: one + two, lambda one, two: one).toStream()


def joined(stream: Any) -> Any:
    """The result of the row before stayed for ever."""
    table = stream.toTable(Materialized.with_(TEXT, SERDE))
    right = stream.toTable(Materialized.with_(TEXT, TEXT))
    return table.join(right, lambda value: "k", lambda one, two: one).toStream()


def root_of(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


# A cache has nothing to tell of a row that was never there.
@pytest.mark.parametrize(
    ("program", "cache"), [(regrouped, 0), (regrouped, 10_000_000), (joined, 0)]
)
def test_what_has_no_bytes_where_null_has_no_place_is_refused(
    program: Callable[[Any], Any], cache: int
) -> None:
    with pytest.raises(StreamsException) as caught:
        run(program, ["!a"], **sizes(cache))
    root = root_of(caught.value)
    assert isinstance(root, NullPointerException)
    assert "Drops returned None for " in root.detail


def test_so_is_a_key_of_what_waits_in_a_buffer() -> None:
    """Its results had an empty text as the key."""
    builder, supplier = StreamsBuilder(), Stores.persistentVersionedKeyValueStore("right", 10)
    right = builder.table("right", Materialized.as_(supplier))
    waits: Any = Joined.with_(SERDE, TEXT, TEXT, "waits", 5)
    builder.stream("in").leftJoin(right, lambda one, two: one, waits).to("out")
    with pytest.raises(StreamsException) as caught:
        sent_by(builder.build(), sizes(0), "in", [(b"!k", b"a", 1)], by_chunks=False)
    assert "Drops returned None for " in str(root_of(caught.value))
