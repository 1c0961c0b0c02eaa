"""Stores with headers: the bytes they keep, what reads give back, what is lost below them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_tests.stores.context import StoreTestContext
from millstream.core.errors import ClassCastException, SerializationException
from millstream.core.headers import Headers
from millstream.core.serdes import Deserializer, Serdes, Serializer, WrapperSerde
from millstream.core.serdes.header_bytes import headers_prefix, split_headers
from millstream.core.state import (
    AggregationWithHeaders,
    DslStoreFormat,
    Headed,
    HeadersBytesStore,
    KeyValueBytesStoreSupplier,
    TimestampedBytesStore,
    ValueAndTimestamp,
    ValueTimestampHeaders,
)
from millstream.core.windows import SessionWindow, Windowed
from millstream.stores import Stores
from millstream.stores.codec import BoundSerde
from millstream.stores.header_codec import AggregateHeadersCodec, HeadersCodec
from millstream.stores.key_value.store import SerdeKeyValueStore

CACHE_BYTES = 10_000_000

Noted = tuple[str, str | None, int, Any]


class NotingContext(StoreTestContext):
    """Keeps the headers of what goes to the changelog, too."""

    def __init__(self, directory: Path, **options: Any) -> None:
        super().__init__(directory, **options)
        self.noted: list[Noted] = []

    def log_change(
        self, store: str, key: bytes, value: bytes | None, timestamp: int, headers: Headers | None
    ) -> None:
        text = None if value is None else value.decode()
        self.noted.append((key.hex(), text, timestamp, shown(headers)))


def of(*pairs: tuple[str, bytes | None]) -> Headers:
    headers = Headers()
    for name, value in pairs:
        headers.add(name, value)
    return headers


def shown(headers: Headers | None) -> list[tuple[str, bytes | None]]:
    return [(header.key(), header.value()) for header in headers or ()]


def text_part() -> BoundSerde[Any]:
    return BoundSerde(Serdes.String(), "app-s-changelog")


def opened(builder: Any, context: StoreTestContext) -> Any:
    store = builder.build()
    store.init(context, store)
    return store


TWO = of(("h", b"1"), ("gé", None), ("h", b""))


@pytest.mark.parametrize(
    ("value", "time", "kept"),
    [
        ("up", 258, "00 0000000000000102 7570"),
        (Headed("up", TWO), 258, "1a 06 02 68 02 31 06 67c3a9 01 02 68 00 0000000000000102 7570"),
        (
            Headed("up", of(("k", bytes(70)))),
            -1,
            "9601 02 02 6b 8c01" + "00" * 70 + "f" * 16 + "7570",
        ),
        (Headed("up", Headers()), 0, "00 0000000000000000 7570"),
    ],
)
def test_a_value_is_kept_as_kafka_keeps_it(value: Any, time: int, kept: str) -> None:
    codec = HeadersCodec(text_part())
    data = codec.encode(value, time)
    assert data == bytes.fromhex(kept)
    assert codec.encode_column([value, None], [time, 0]) == [data, None]
    cell = codec.decode(data)
    assert cell == ("up", time)
    assert codec.decode_column([data, None]) == [cell, None]
    headers = value.headers if isinstance(value, Headed) else Headers()
    assert codec.show(cell) == ValueTimestampHeaders("up", time, headers)


@pytest.mark.parametrize(
    ("value", "kept"),
    [("up", "00 7570"), (Headed("up", TWO), "1a0602680231 0667c3a901 026800 7570")],
)
def test_an_aggregate_is_kept_as_kafka_keeps_it(value: Any, kept: str) -> None:
    codec = AggregateHeadersCodec(text_part())
    data = codec.encode(value, 0)
    assert data == bytes.fromhex(kept)
    assert codec.value(codec.decode(data)) == "up"
    headers = value.headers if isinstance(value, Headed) else Headers()
    assert codec.show(codec.decode(data)) == AggregationWithHeaders("up", headers)


@given(st.lists(st.tuples(st.text(max_size=80), st.none() | st.binary(max_size=80)), max_size=70))
def test_headers_come_back_from_their_bytes(pairs: list[tuple[str, bytes | None]]) -> None:
    pairs = [(name.encode("utf-8", "replace").decode(), value) for name, value in pairs]
    data = headers_prefix(of(*pairs)) + b"rest"
    headers, start = split_headers(data)
    assert shown(headers) == pairs
    assert data[start:] == b"rest"


@pytest.mark.parametrize(
    "data", ["", "80", "08 02", "01 00", "0a 02 10 68 02 31", "0a 02 02 68 03 31"]
)
def test_other_bytes_are_refused(data: str) -> None:
    with pytest.raises(SerializationException):
        split_headers(bytes.fromhex(data))


@pytest.mark.parametrize(
    ("supplier", "kept", "read"),
    [
        ("persistentTimestampedKeyValueStoreWithHeaders", "0a020268023100000000000000056f6e", 5),
        ("persistentTimestampedKeyValueStore", "00000000000000056f6e", 5),
        ("persistentKeyValueStore", "6f6e", -1),
        ("inMemoryKeyValueStore", "0a020268023100000000000000056f6e", 5),
    ],
)
def test_a_persistent_store_keeps_what_its_supplier_was_made_for(
    tmp_path: Path, supplier: str, kept: str, read: int
) -> None:
    context = NotingContext(tmp_path)
    made = getattr(Stores, supplier)("s")
    builder = Stores.timestampedKeyValueStoreWithHeadersBuilder(
        made, Serdes.String(), Serdes.String()
    )
    store = opened(builder, context)
    store.put("a", ValueTimestampHeaders.make("on", 5, of(("h", b"1"))))
    data = context.copies["s"].get(b"a")
    assert data is not None
    assert data.hex() == kept
    headers = of(("h", b"1")) if "0268" in kept else Headers()
    assert store.get("a") == ValueTimestampHeaders("on", read, headers)
    assert context.noted == [("61", "on", 5, [("h", b"1")])]


@pytest.mark.parametrize(
    "supplier", ["persistentSessionStoreWithHeaders", "persistentSessionStore"]
)
def test_a_session_store_keeps_what_its_supplier_was_made_for(
    tmp_path: Path, supplier: str
) -> None:
    context = NotingContext(tmp_path)
    made = getattr(Stores, supplier)("s", 100)
    builder = Stores.sessionStoreWithHeadersBuilder(made, Serdes.String(), Serdes.String())
    store = opened(builder, context)
    session = Windowed("a", SessionWindow(1, 2))
    store.put(session, AggregationWithHeaders.make("on", of(("h", b"1"))))
    keeps = supplier.endswith("WithHeaders")
    headers = of(("h", b"1")) if keeps else Headers()
    assert store.fetchSession("a", 1, 2) == AggregationWithHeaders("on", headers)
    # Key, end, start; the time is that of the record in hand.
    key = "61" + "0000000000000002" + "0000000000000001"
    assert context.noted == [(key, "on", 0, [("h", b"1")])]


def test_a_deletion_is_logged_with_the_headers_of_the_current_record(tmp_path: Path) -> None:
    context = NotingContext(tmp_path)
    supplier = Stores.persistentTimestampedKeyValueStoreWithHeaders("s")
    builder = Stores.timestampedKeyValueStoreWithHeadersBuilder(supplier, None, None)
    store = opened(builder, context)
    context.at(7, headers=of(("why", b"gone")))
    store.put("a", None)
    assert context.noted == [("61", None, 7, [("why", b"gone")])]


def test_changing_headers_that_were_read_changes_nothing(tmp_path: Path) -> None:
    supplier = Stores.persistentTimestampedKeyValueStoreWithHeaders("s")
    builder = Stores.timestampedKeyValueStoreWithHeadersBuilder(supplier, None, None)
    store = opened(
        builder.withCachingEnabled(), StoreTestContext(tmp_path, cache_bytes=CACHE_BYTES)
    )
    store.put("a", ValueTimestampHeaders.make("on", 5, of(("h", b"1"))))
    store.flush()
    for _ in range(2):
        found = store.get("a")
        assert shown(found.headers()) == [("h", b"1")]
        found.headers().add("x", b"2")


def test_a_store_with_headers_refuses_values_without(tmp_path: Path) -> None:
    supplier = Stores.inMemoryKeyValueStore("s")
    builder = Stores.timestampedKeyValueStoreWithHeadersBuilder(supplier, None, None)
    store = opened(builder, StoreTestContext(tmp_path))
    with pytest.raises(ClassCastException, match="takes ValueTimestampHeaders"):
        store.put("a", ValueAndTimestamp.make("on", 5))
    sessions = Stores.sessionStoreWithHeadersBuilder(
        Stores.inMemorySessionStore("t", 100), None, None
    )
    other = opened(sessions, StoreTestContext(tmp_path))
    with pytest.raises(ClassCastException, match="takes AggregationWithHeaders"):
        other.put(Windowed("a", SessionWindow(1, 2)), "on")


class MarkingSerializer(Serializer[str]):
    """Says in a header what it did, as a schema registry's serializer does."""

    def serialize(self, topic: str, headers: Headers, data: str | None) -> bytes | None:  # type: ignore[override]
        headers.add("schema", b"7")
        return None if data is None else data.encode()


class MarkedDeserializer(Deserializer[str]):
    """Reads with the headers that the value was stored with."""

    def deserialize(self, topic: str, headers: Headers, data: bytes | None) -> str | None:  # type: ignore[override]
        if data is None:
            return None
        found = headers.lastHeader("schema")
        return f"{data.decode()} by {found.value()!r}" if found else data.decode()


@pytest.mark.parametrize("cache_bytes", [0, CACHE_BYTES])
def test_a_serializers_headers_are_kept_with_the_value(tmp_path: Path, cache_bytes: int) -> None:
    context = StoreTestContext(tmp_path, cache_bytes=cache_bytes, logs=False)
    supplier = Stores.persistentTimestampedKeyValueStoreWithHeaders("s")
    serde = WrapperSerde(MarkingSerializer(), MarkedDeserializer())
    builder = Stores.timestampedKeyValueStoreWithHeadersBuilder(supplier, Serdes.String(), serde)
    store = opened(builder.withCachingEnabled(), context)
    access = store.access()
    access.write(b"a", "a", "one", 3)
    store.put("b", ValueTimestampHeaders.make("two", 4, of(("h", None))))
    store.flush()
    assert store.get("a") == ValueTimestampHeaders("one by b'7'", 3, of(("schema", b"7")))
    both = of(("h", None), ("schema", b"7"))
    assert store.get("b") == ValueTimestampHeaders("two by b'7'", 4, both)
    assert access.read_many([b"a", b"c"]) == [("one by b'7'", 3), None]


class OwnBytes(SerdeKeyValueStore[bytes, bytes]):
    """A user's own persistent store, without a mark."""


class OwnTimestampedBytes(OwnBytes, TimestampedBytesStore):
    """The same, marked as keeping times."""


class OwnHeadersBytes(OwnBytes, HeadersBytesStore):
    """The same, marked as keeping headers."""


class OwnSupplier(KeyValueBytesStoreSupplier):
    """Makes one of them."""

    def __init__(self, kind: type[OwnBytes]) -> None:
        self._kind = kind

    def name(self) -> str:
        return "s"

    def metricsScope(self) -> str:
        return "mine"

    def get(self) -> OwnBytes:
        layer = Stores.persistentKeyValueStore("s").foundation()[0]  # type: ignore[attr-defined]
        data = Serdes.ByteArray()
        return self._kind("s", layer, data, data)


@pytest.mark.parametrize(
    ("kind", "form", "kept"),
    [
        (OwnBytes, DslStoreFormat.TIMESTAMPED, "6f6e"),
        (OwnTimestampedBytes, DslStoreFormat.TIMESTAMPED, "00000000000000056f6e"),
        (OwnBytes, DslStoreFormat.HEADERS, "6f6e"),
        (OwnTimestampedBytes, DslStoreFormat.HEADERS, "00000000000000056f6e"),
        (OwnHeadersBytes, DslStoreFormat.HEADERS, "0a020268023100000000000000056f6e"),
    ],
)
def test_a_users_store_is_given_what_it_is_marked_for(
    tmp_path: Path, kind: type[OwnBytes], form: DslStoreFormat, kept: str
) -> None:
    context = StoreTestContext(tmp_path)
    build: Any = Stores.timestampedKeyValueStoreBuilder
    value: Any = ValueAndTimestamp.make("on", 5)
    if form is DslStoreFormat.HEADERS:
        build = Stores.timestampedKeyValueStoreWithHeadersBuilder
        value = ValueTimestampHeaders.make("on", 5, of(("h", b"1")))
    store = opened(build(OwnSupplier(kind), None, None), context)
    store.put("a", value)
    assert context.copies["s"].get(b"a") == bytes.fromhex(kept)
    assert store.get("a").timestamp() == (5 if "05" in kept else -1)
    assert [entry.value.value() for entry in store.all()] == ["on"]


KEYS = st.sampled_from("abc")
HEADER_LISTS = st.lists(
    st.tuples(st.sampled_from(["h", "g"]), st.none() | st.binary(max_size=3)), max_size=2
)
WRITES = st.lists(
    st.tuples(KEYS, st.none() | st.tuples(st.text(max_size=3), st.integers(0, 9), HEADER_LISTS)),
    max_size=12,
)


@given(WRITES, st.booleans(), st.integers(0, 300), st.sets(st.integers(0, 11)))
def test_a_store_is_a_map_whatever_its_cache(
    writes: list[Any], in_memory: bool, cache_bytes: int, flushes: set[int]
) -> None:
    kind = "inMemoryKeyValueStore" if in_memory else "persistentTimestampedKeyValueStoreWithHeaders"
    builder = Stores.timestampedKeyValueStoreWithHeadersBuilder(
        getattr(Stores, kind)("s"), None, None
    ).withCachingEnabled()
    model: dict[str, Any] = {}
    with TemporaryDirectory() as directory:
        store = opened(builder, StoreTestContext(Path(directory), cache_bytes=cache_bytes))
        for number, (key, content) in enumerate(writes):
            if content is None:
                store.put(key, None)
                model.pop(key, None)
            else:
                value, time, pairs = content
                model[key] = ValueTimestampHeaders(value, time, of(*pairs))
                store.put(key, ValueTimestampHeaders(value, time, of(*pairs)))
            if number in flushes:
                store.flush()
            assert store.get(key) == model.get(key)
        with store.all() as entries:
            assert [(e.key, e.value) for e in entries] == sorted(
                model.items(), key=lambda item: item[0]
            )
        store.close()
