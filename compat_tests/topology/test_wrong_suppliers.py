"""Suppliers of stores that an operator cannot use: refused at the call, as by Java's compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.topology.driving import Piping
from millstream import (
    ClassCastException,
    ConfigException,
    EmitStrategy,
    Materialized,
    SessionWindows,
    SlidingWindows,
    StoreBuilder,
    Stores,
    StreamJoined,
    StreamsBuilder,
    StreamsException,
    TimeWindows,
)

SUPPLIERS: dict[str, Callable[[], Any]] = {
    "key-value": lambda: Stores.persistentKeyValueStore("s"),
    "lru": lambda: Stores.lruMap("s", 5),
    "versioned": lambda: Stores.persistentVersionedKeyValueStore("s", 100),
    "window": lambda: Stores.inMemoryWindowStore("s", 100, 10, False),
    "session": lambda: Stores.persistentSessionStore("s", 100),
}
BY_KEY = ("key-value", "lru", "versioned")


def grouped(builder: StreamsBuilder) -> Any:
    return builder.stream("in").groupByKey()


OPERATORS: list[tuple[tuple[str, ...], Callable[[StreamsBuilder, Any], Any]]] = [
    (BY_KEY, lambda builder, stored: grouped(builder).count(stored)),
    (BY_KEY, lambda builder, stored: builder.table("in", stored)),
    (BY_KEY, lambda builder, stored: builder.stream("in").toTable(stored)),
    (BY_KEY, lambda builder, stored: builder.table("in").mapValues(str, stored)),
    (BY_KEY, lambda builder, stored: builder.table("in").join(builder.table("t"), max, stored)),
    (BY_KEY[:2], lambda builder, stored: builder.globalTable("in", stored)),
    (
        ("window",),
        lambda builder, stored: (
            grouped(builder).windowedBy(TimeWindows.ofSizeWithNoGrace(10)).count(stored)
        ),
    ),
    (
        ("window",),
        lambda builder, stored: (
            grouped(builder)
            .windowedBy(SlidingWindows.ofTimeDifferenceWithNoGrace(10))
            .count(stored)
        ),
    ),
    (
        ("session",),
        lambda builder, stored: (
            grouped(builder).windowedBy(SessionWindows.ofInactivityGapWithNoGrace(10)).count(stored)
        ),
    ),
]


@pytest.mark.parametrize("number", range(len(OPERATORS)))
@pytest.mark.parametrize("given", [*BY_KEY[:2], "window", "session"])
def test_an_operator_refuses_a_supplier_of_stores_that_it_cannot_use(
    number: int, given: str
) -> None:
    fitting, operator = OPERATORS[number]
    stored = Materialized.as_(SUPPLIERS[given]())
    if given in fitting:
        operator(StreamsBuilder(), stored)
        return
    with pytest.raises(ClassCastException, match='the supplier of store "s" makes') as caught:
        operator(StreamsBuilder(), stored)
    assert "BytesStoreSupplier is needed" in caught.value.detail
    assert "Give Stores.persistent" in caught.value.hint


def test_a_versioned_store_is_one_by_key_and_none_by_window() -> None:
    stored = Materialized.as_(SUPPLIERS["versioned"]())
    grouped(StreamsBuilder()).count(stored)
    windowed = grouped(StreamsBuilder()).windowedBy(TimeWindows.ofSizeWithNoGrace(10))
    with pytest.raises(ClassCastException, match="another type"):
        windowed.count(stored)


BUILDERS: list[tuple[tuple[str, ...], Callable[..., StoreBuilder[Any]]]] = [
    (BY_KEY[:2], Stores.keyValueStoreBuilder),
    (BY_KEY[:2], Stores.timestampedKeyValueStoreBuilder),
    (("versioned",), Stores.versionedKeyValueStoreBuilder),
    (("window",), Stores.windowStoreBuilder),
    (("window",), Stores.timestampedWindowStoreBuilder),
    (("session",), Stores.sessionStoreBuilder),
]


@pytest.mark.parametrize("number", range(len(BUILDERS)))
@pytest.mark.parametrize("given", list(SUPPLIERS))
def test_a_builder_takes_the_suppliers_of_its_stores_only(number: int, given: str) -> None:
    fitting, make = BUILDERS[number]
    if given in fitting:
        assert make(SUPPLIERS[given](), None, None).name() == "s"
        return
    with pytest.raises(ClassCastException, match='the supplier of store "s" makes'):
        make(SUPPLIERS[given](), None, None)


@pytest.mark.parametrize("given", ["s", 5, type(Stores.lruMap("s", 1))])
def test_what_is_no_supplier_is_told_so(given: Any) -> None:
    with pytest.raises(ClassCastException, match="supplier cannot be") as caught:
        Stores.windowStoreBuilder(given, None, None)
    assert "persistentTimestampedWindowStore" in caught.value.hint


@pytest.mark.parametrize("given", ["key-value", "session"])
def test_a_join_of_streams_keeps_them_in_window_stores(given: str) -> None:
    joined = StreamJoined.with_(None, None, None)
    for give in (joined.withThisStoreSupplier, joined.withOtherStoreSupplier):
        with pytest.raises(ClassCastException, match="StoreSupplier cannot be") as caught:
            give(SUPPLIERS[given]())
        assert "a supplier of window stores" in caught.value.hint


@pytest.mark.parametrize("keys", ["a", "abcdef"])
def test_windows_without_times_cannot_be_emitted_on_close(keys: str) -> None:
    """Kafka Streams 4.3.1 fails alike: a record of time -1 is a malformed one."""
    stored = Materialized.as_(Stores.persistentWindowStore("timeless", 100, 10, False))
    builder = StreamsBuilder()
    windowed = grouped(builder).windowedBy(TimeWindows.ofSizeWithNoGrace(10))
    counts = windowed.emitStrategy(EmitStrategy.onWindowClose()).count(stored).toStream()
    counts.map(lambda key, value: (key.key(), str(value))).to("out")
    with Piping(builder.build()) as piping:
        for key in keys:
            assert piping.pipe("in", key, "1", 3) == []
        with pytest.raises(StreamsException, match="Malformed Record") as caught:
            piping.pipe("in", "z", "1", 30)
    assert 'store "timeless" keeps no times' in str(caught.value)
    assert "persistentTimestampedWindowStore()" in str(caught.value)


class Duck:
    """A supplier that inherits nothing."""

    def __init__(self, supplier: Any) -> None:
        self.name, self.get = supplier.name, supplier.get


def test_a_supplier_that_inherits_nothing_is_known_by_its_methods() -> None:
    builder = StreamsBuilder()
    stored = Materialized.as_(Duck(Stores.inMemoryKeyValueStore("s")))
    grouped(builder).count(stored).toStream().mapValues(str).to("out")
    with Piping(builder.build()) as piping:
        assert piping.pipe("in", "a", "1", 5) == [("a", "1", 5)]
    with pytest.raises(ClassCastException, match="KeyValueBytesStoreSupplier, where a Window"):
        grouped(builder).windowedBy(TimeWindows.ofSizeWithNoGrace(10)).count(stored)


class Makes:
    """The DSL's stores in memory; inherits nothing, and has no ``configure``."""

    @staticmethod
    def keyValueStore(params: Any) -> Any:
        return Stores.inMemoryKeyValueStore(params.name())

    windowStore = sessionStore = keyValueStore


class MakesByKeyOnly:
    """A part of the DSL's stores."""

    keyValueStore = Makes.keyValueStore


def counting(stored: Any, **config: Any) -> list[Any]:
    builder = StreamsBuilder()
    grouped(builder).count(stored).toStream().mapValues(str).to("out")
    with Piping(builder.build(), **config) as piping:
        return piping.pipe("in", "a", "1", 5)


def test_suppliers_of_the_dsl_need_no_configure() -> None:
    config: dict[str, Any] = {"dsl.store.suppliers.class": Makes}
    assert counting(Materialized.as_("s"), **config) == [("a", "1", 5)]
    assert counting(Materialized.as_("s").withStoreType(Makes())) == [("a", "1", 5)]


@pytest.mark.parametrize("given", [Makes, MakesByKeyOnly(), "memory", 5])
def test_a_store_type_makes_all_kinds_of_stores(given: Any) -> None:
    with pytest.raises(ClassCastException, match="a store type cannot be") as caught:
        Materialized.as_("s").withStoreType(given)
    assert ("Write Makes(), with parentheses." in caught.value.hint) == (given is Makes)
    with pytest.raises(ClassCastException, match="a store type cannot be"):
        StreamJoined.with_(None, None, None).withDslStoreSuppliers(given)
    assert StreamJoined.with_(None, None, None).withDslStoreSuppliers(None) is not None


def test_configured_suppliers_make_all_kinds_of_stores() -> None:
    config: dict[str, Any] = {"dsl.store.suppliers.class": MakesByKeyOnly}
    with pytest.raises(ConfigException, match="MakesByKeyOnly for configuration dsl.store.suppl"):
        counting(Materialized.as_("s"), **config)
