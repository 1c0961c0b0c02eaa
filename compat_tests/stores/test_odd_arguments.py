"""Odd arguments of stores: times that are no int, entries that are no pairs, paths as names."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from millstream import (
    AggregationWithHeaders,
    ClassCastException,
    DslWindowParams,
    Headers,
    IllegalArgumentException,
    KeyValue,
    NullPointerException,
    Processor,
    QueryConfig,
    Record,
    Serdes,
    SessionWindow,
    Stores,
    StreamsException,
    TimeWindowedSerde,
    Topology,
    ValueAndTimestamp,
    ValueTimestampHeaders,
    Windowed,
)
from millstream.core.file_names import directory_name
from millstream.testing import TopologyTestDriver

TEXT, NUMBER = Serdes.String(), Serdes.Long()
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
NOW = 100_000
KEY_VALUE = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("s"), TEXT, NUMBER)
WINDOW = Stores.windowStoreBuilder(
    Stores.inMemoryWindowStore("s", MINUTE, SECOND, False), TEXT, NUMBER
)
VERSIONED = Stores.versionedKeyValueStoreBuilder(
    Stores.persistentVersionedKeyValueStore("s", MINUTE), TEXT, NUMBER
)
VERSIONED_UNLOGGED = Stores.versionedKeyValueStoreBuilder(
    Stores.persistentVersionedKeyValueStore("s", MINUTE), TEXT, NUMBER
).withLoggingDisabled()
SESSION = Stores.sessionStoreBuilder(Stores.inMemorySessionStore("s", MINUTE), TEXT, NUMBER)

Use = Callable[[Any], Any]


def used(builder: Any, use: Use, *, real_stores: bool = False) -> Any:
    """Return what a use of a store in a processor gives."""
    found: list[Any] = []

    class Uses(Processor[str, str, str, str]):
        def init(self, context: Any) -> None:
            self.store = context.getStateStore(builder.name())

        def process(self, record: Record[str, str]) -> None:
            result = use(self.store)
            found.append(list(result) if hasattr(result, "hasNext") else result)

    topology = Topology().addSource("source", TEXT.deserializer(), TEXT.deserializer(), "in")
    topology.addProcessor("p", Uses, "source").addStateStore(builder, "p")
    with TopologyTestDriver(topology, real_stores=real_stores) as driver:
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer()).pipeInput("a", "x", NOW)
    return found[0]


TIMES = [
    NOW + 0.5,
    np.int64(NOW),
    np.float64(NOW),
    datetime.fromtimestamp(NOW / 1000, timezone.utc),
]


@pytest.mark.parametrize("time", TIMES, ids=repr)
def test_a_window_may_start_at_any_number(time: Any) -> None:
    assert used(WINDOW, lambda store: (store.put("a", 1, time), store.fetch("a", NOW))[1]) == 1


@pytest.mark.parametrize("time", TIMES, ids=repr)
def test_a_version_may_begin_at_any_number(time: Any) -> None:
    def use(store: Any) -> Any:
        store.put("a", 1, time)
        store.put("a", 2, NOW + 10)
        return store.get("a", time).value(), store.delete("a", time).timestamp()

    assert used(VERSIONED, use) == (1, NOW)


@pytest.mark.parametrize("time", TIMES, ids=repr)
@pytest.mark.parametrize("caching", [False, True])
def test_the_time_of_a_value_may_be_any_number(time: Any, caching: bool) -> None:
    builder = Stores.timestampedKeyValueStoreBuilder(
        Stores.persistentTimestampedKeyValueStore("s"), TEXT, NUMBER
    )
    put = ValueAndTimestamp.make(1, time)
    found = used(
        builder.withCachingEnabled() if caching else builder,
        lambda store: (store.put("a", put), store.get("a"))[1],
    )
    assert (found.timestamp(), type(found.timestamp())) == (NOW, int)
    assert ValueTimestampHeaders.make(1, time, Headers()).timestamp() == NOW  # type: ignore[union-attr]


@pytest.mark.parametrize("use", ["put", "delete"])
def test_a_logged_version_begins_at_no_negative_time(use: str) -> None:
    def put(store: Any) -> Any:
        with pytest.raises(IllegalArgumentException, match="Invalid timestamp: -5"):
            store.put("a", 1, -5) if use == "put" else store.delete("a", -5)
        return store.get("a")

    assert used(VERSIONED, put) is None
    # Without a changelog nobody else needs its time.
    assert used(VERSIONED_UNLOGGED, lambda s: (s.put("a", 1, -5), s.get("a").timestamp())[1]) == -5


INVERTED: list[Use] = [
    lambda store: store.fetch("b", "a"),
    lambda store: store.backwardFetch("b", "a"),
    lambda store: store.findSessions(NOW + 1, NOW),
]


@pytest.mark.parametrize("use", INVERTED)
def test_a_range_of_sessions_in_memory_does_not_end_before_it_begins(use: Use) -> None:
    def ask(store: Any) -> Any:
        store.put(Windowed("c", SessionWindow(NOW, NOW)), 1)
        with pytest.raises(IllegalArgumentException, match="inconsistent range"):
            use(store)
        # Here Kafka's store warns only.
        return list(store.findSessions("b", "a", 0, NOW))

    assert used(SESSION, ask) == []


@pytest.mark.parametrize("use", INVERTED[:2])
@pytest.mark.parametrize("persistent", [False, True])
def test_other_session_stores_find_nothing_between_keys_in_the_wrong_order(
    use: Use, persistent: bool
) -> None:
    def ask(store: Any) -> Any:
        store.put(Windowed("c", SessionWindow(NOW, NOW)), 1)
        return list(use(store))

    supplier = Stores.persistentSessionStore if persistent else Stores.inMemorySessionStore
    builder = Stores.sessionStoreBuilder(supplier("s", MINUTE), TEXT, NUMBER)
    assert used(builder if persistent else builder.withCachingEnabled(), ask) == []


def test_an_empty_session_store_in_memory_finds_nothing_between_any_keys() -> None:
    assert used(SESSION, lambda store: store.fetch("b", "a")) == []


@pytest.mark.parametrize("time", [None, "5", float("nan"), 2**63])
def test_another_time_of_a_value_is_refused_where_it_is_made(time: Any) -> None:
    for make in (
        lambda: ValueAndTimestamp.make(1, time),
        lambda: ValueAndTimestamp.makeAllowNullable(None, time),
        lambda: ValueTimestampHeaders.make(1, time, Headers()),
    ):
        with pytest.raises((ClassCastException, IllegalArgumentException), match="timestamp"):
            make()


@pytest.mark.parametrize("time", [None, "5", 2**63])
@pytest.mark.parametrize("builder", [WINDOW, VERSIONED], ids=["window", "versioned"])
def test_another_time_is_refused_with_its_name(builder: Any, time: Any) -> None:
    with pytest.raises(StreamsException, match=r'parameter "(windowStartT|t)imestamp"') as caught:
        used(builder, lambda store: store.put("a", 1, time))
    assert isinstance(caught.value.__cause__, ClassCastException | IllegalArgumentException)


ENTRIES: list[Any] = [
    [KeyValue("ab", 1), KeyValue("cd", 2)],
    [("ab", 1), ("cd", 2)],
    {"ab": 1, "cd": 2},
    (KeyValue(key, value) for key, value in (("ab", 1), ("cd", 2))),
]


@pytest.mark.parametrize("entries", ENTRIES, ids=["pairs", "tuples", "dict", "generator"])
def test_many_entries_may_be_pairs_or_a_dict(entries: Any) -> None:
    assert used(KEY_VALUE, lambda store: (store.putAll(entries), store.all())[1]) == [
        KeyValue("ab", 1),
        KeyValue("cd", 2),
    ]


@pytest.mark.parametrize("entries", [["ab", "cd"], [("ab",)], ["a"], [5], None], ids=repr)
def test_entries_that_are_no_pairs_are_refused_and_none_is_put(entries: Any) -> None:
    texts = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("s"), TEXT, TEXT)

    def use(store: Any) -> Any:
        with pytest.raises((ClassCastException, NullPointerException), match="entr"):
            store.putAll(entries)
        return store.all()

    assert used(texts, use) == []


@pytest.mark.parametrize(
    ("builder", "use", "problem"),
    [
        (SESSION, lambda store: store.put("a", 1), "sessionKey cannot be a str"),
        (SESSION, lambda store: store.remove(("a", 1)), "sessionKey cannot be a tuple"),
        (
            KEY_VALUE,
            lambda store: store.prefixScan("a", TEXT),
            "prefixKeySerializer cannot be a StringSerde",
        ),
    ],
)
def test_what_is_no_such_thing_is_named(builder: Any, use: Use, problem: str) -> None:
    with pytest.raises(StreamsException, match=problem):
        used(builder, use)


def test_a_number_of_entries_is_a_number() -> None:
    with pytest.raises(ClassCastException, match="maxCacheSize cannot be a str"):
        Stores.lruMap("s", "3")  # type: ignore[arg-type]


KEYS = Stores.inMemoryKeyValueStore("s")
WINDOWS = Stores.inMemoryWindowStore("s", 10, 5, False)
SESSIONS = Stores.inMemorySessionStore("s", 10)
VERSIONS = Stores.persistentVersionedKeyValueStore("s", 10)


@pytest.mark.parametrize(
    ("builder", "supplier", "found"),
    [
        (Stores.keyValueStoreBuilder, WINDOWS, "WindowBytes"),
        (Stores.timestampedKeyValueStoreBuilder, SESSIONS, "SessionBytes"),
        (Stores.timestampedKeyValueStoreWithHeadersBuilder, VERSIONS, "VersionedBytes"),
        (Stores.windowStoreBuilder, KEYS, "KeyValueBytes"),
        (Stores.timestampedWindowStoreBuilder, SESSIONS, "SessionBytes"),
        (Stores.sessionStoreBuilder, WINDOWS, "WindowBytes"),
        (Stores.sessionStoreBuilder, KEYS, "KeyValueBytes"),
        (Stores.versionedKeyValueStoreBuilder, SESSIONS, "SessionBytes"),
    ],
)
def test_a_supplier_of_another_kind_of_store_is_refused_with_what_it_is(
    builder: Any, supplier: Any, found: str
) -> None:
    with pytest.raises(ClassCastException, match='store "s" makes stores of another') as caught:
        builder(supplier, TEXT, NUMBER)
    assert f"It is a {found}StoreSupplier" in str(caught.value)


@pytest.mark.parametrize("supplier", ["s", 5, Stores.inMemoryKeyValueStore, type(KEYS)])
def test_what_is_no_supplier_is_named(supplier: Any) -> None:
    with pytest.raises(ClassCastException, match="supplier cannot be"):
        Stores.keyValueStoreBuilder(supplier, TEXT, NUMBER)


@pytest.mark.parametrize("serde", [str, "string", Serdes.String, TEXT.serializer()])
def test_what_is_no_serde_of_a_store_is_named(serde: Any) -> None:
    with pytest.raises(ClassCastException, match="keySerde cannot be"):
        Stores.keyValueStoreBuilder(KEYS, serde, NUMBER)
    with pytest.raises(ClassCastException, match="valueSerde cannot be"):
        Stores.keyValueStoreBuilder(KEYS, TEXT, serde)


def test_settings_of_a_changelog_are_a_mapping() -> None:
    builder: Any = Stores.keyValueStoreBuilder(KEYS, TEXT, NUMBER)
    with pytest.raises(ClassCastException, match="the settings of a changelog cannot be a str"):
        builder.withLoggingEnabled("retention.ms=5")


@pytest.mark.parametrize("name", ["../../outside", "a/b", "..", ".", "a\0b", "%2F", "ä <b>"])
def test_files_of_a_store_stay_in_their_directory(name: str, tmp_path: Path) -> None:
    directory = (tmp_path / directory_name(name)).resolve()
    assert directory.parent == tmp_path
    directory.mkdir()
    builder = Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(name), TEXT, NUMBER)
    use = lambda store: (store.put("a", 1), store.get("a"))[1]  # noqa: E731
    assert used(builder, use, real_stores=True) == 1


def test_names_of_directories_are_different_for_different_stores() -> None:
    names = ["a/b", "a%2Fb", "..", "%2E%2E", ".", "%2E", "a\0b", "a%00b", "a"]
    assert len({directory_name(name) for name in names}) == len(names)


@pytest.mark.parametrize("entries", [5, object()])
def test_put_all_takes_entries(entries: Any) -> None:
    with pytest.raises(StreamsException, match="entries cannot be") as caught:
        used(KEY_VALUE, lambda store: store.putAll(entries))
    assert isinstance(caught.value.__cause__, ClassCastException)


@pytest.mark.parametrize("headers", [{}, {"a": b"b"}, [("a", b"b")], 5])
def test_a_value_with_headers_takes_headers_only(headers: Any) -> None:
    for make in (ValueTimestampHeaders.make, ValueTimestampHeaders.makeAllowNullable):
        with pytest.raises(ClassCastException, match="headers cannot be") as caught:
            make("value", 5, headers)
        assert "Headers().add" in caught.value.hint
    with pytest.raises(ClassCastException, match="headers cannot be"):
        AggregationWithHeaders.make("value", headers)


WINDOW_STORES: list[Any] = [
    Stores.inMemoryWindowStore,
    Stores.persistentWindowStore,
    Stores.persistentTimestampedWindowStore,
    Stores.persistentTimestampedWindowStoreWithHeaders,
]


@pytest.mark.parametrize("wrong", ["no", "", None, 1])
def test_a_flag_is_true_or_false(wrong: Any) -> None:
    for make in WINDOW_STORES:
        with pytest.raises(ClassCastException, match="retainDuplicates cannot be") as caught:
            make("s", MINUTE, SECOND, wrong)
        assert caught.value.hint == "Give True or False."
    with pytest.raises(ClassCastException, match="isSlidingWindow cannot be"):
        DslWindowParams("s", MINUTE, SECOND, False, None, wrong)
    with pytest.raises(ClassCastException, match="collectExecutionInfo cannot be"):
        QueryConfig(wrong)
    with pytest.raises(ClassCastException, match="isChangelogTopic cannot be"):
        TimeWindowedSerde(TEXT, 10).forChangelog(wrong)
