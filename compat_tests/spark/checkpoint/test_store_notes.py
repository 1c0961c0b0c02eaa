"""A checkpoint notes what the bytes of its stores mean, and another meaning is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compat_tests import SCENARIOS
from compat_tests.conformance.corpus import read_scenario, scenario_files
from compat_tests.conformance.replay import build, scenario_config
from millstream import (
    BufferConfig,
    Consumed,
    Grouped,
    JoinWindows,
    Materialized,
    Processor,
    Serdes,
    SlidingWindows,
    Stores,
    StreamJoined,
    StreamsBuilder,
    StreamsConfig,
    Suppressed,
    TimeWindows,
    Topology,
)
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.errors import ConfigException, StreamsException
from millstream.core.processor import TaskId
from millstream.core.working_copy import WorkingCopy
from millstream.topology.spark.checkpoint.descriptor import Checkpoint, new_checkpoint
from millstream.topology.spark.checkpoint.store_notes import (
    StoreNote,
    check_stores,
    compatible_stores,
    kinds_of,
    merged,
    notes_from_json,
    notes_of,
    notes_to_json,
)
from millstream.topology.spark.driver.probe import _TrialHost

TEXT, LONG, DOUBLE = Serdes.String(), Serdes.Long(), Serdes.Double()
BASE = {"application.id": "app", "bootstrap.servers": "nowhere:1", "default.key.serde": TEXT}

Make = Callable[[], Any]


class Idle(Processor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        pass


def notes(topology: Topology, **entries: Any) -> dict[str, StoreNote]:
    config = StreamsConfig(BASE | {k.replace("_", "."): v for k, v in entries.items()})
    made = notes_of(topology.plan(), config)
    assert notes_from_json(json.loads(json.dumps(notes_to_json(made)))) == made
    return made


def counted(materialized: Any) -> Topology:
    builder = StreamsBuilder()
    builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey().count(materialized)
    return builder.build()


def windowed(windows: Any, materialized: Any) -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed.with_(TEXT, TEXT))
    stream.groupByKey().windowedBy(windows).count(materialized)
    return builder.build()


def kept(store: Any) -> Topology:
    source = Topology().addSource("source", TEXT.deserializer(), TEXT.deserializer(), "in")
    return source.addProcessor("p", Idle, "source").addStateStore(store, "p")


def key_value(supplier: Any, value: Any = LONG, *, stamped: bool = True) -> Topology:
    make = Stores.timestampedKeyValueStoreBuilder if stamped else Stores.keyValueStoreBuilder
    return kept(make(supplier, TEXT, value))


def of(size_ms: int, retention_ms: int | None = None) -> Topology:
    materialized: Any = Materialized.as_("s")
    if retention_ms is not None:
        materialized = materialized.withRetention(retention_ms)
    return windowed(TimeWindows.ofSizeWithNoGrace(size_ms), materialized)


def window_store(
    *, retention: int = 10_000, size: int = 10, duplicates: bool = False, stamped: bool = True
) -> Topology:
    make = Stores.timestampedWindowStoreBuilder if stamped else Stores.windowStoreBuilder
    supplier = Stores.inMemoryWindowStore("s", retention, size, duplicates)
    return kept(make(supplier, TEXT, LONG))


def versioned(retention: int, interval: int | None = None) -> Topology:
    supplier = Stores.persistentVersionedKeyValueStore("s", retention, interval)
    return kept(Stores.versionedKeyValueStoreBuilder(supplier, TEXT, LONG))


SAME: dict[str, tuple[Make, Make]] = {
    "nothing": (lambda: counted(Materialized.as_("s")), lambda: counted(Materialized.as_("s"))),
    "in memory": (
        lambda: counted(Materialized.as_("s")),
        lambda: counted(Materialized.as_(Stores.inMemoryKeyValueStore("s"))),
    ),
    "a limit of entries": (
        lambda: key_value(Stores.inMemoryKeyValueStore("s")),
        lambda: key_value(Stores.lruMap("s", 5)),
    ),
    "cache and log": (
        lambda: counted(Materialized.as_("s")),
        lambda: counted(Materialized.as_("s").withCachingDisabled().withLoggingDisabled()),
    ),
    "a somewhat longer retention": (lambda: of(1000, 60_000), lambda: of(1000, 90_000)),
    "the same serde, made otherwise": (
        lambda: key_value(Stores.persistentTimestampedKeyValueStore("s"), LONG),
        lambda: key_value(
            Stores.persistentTimestampedKeyValueStore("s"),
            Serdes.serdeFrom(LONG.serializer(), LONG.deserializer()),
        ),
    ),
}

OTHER_BYTES: dict[str, tuple[Make, Make, str]] = {
    "no times": (
        lambda: counted(Materialized.as_("s")),
        lambda: counted(Materialized.as_(Stores.persistentKeyValueStore("s"))),
        "its values were timestamped and are plain",
    ),
    "times": (
        lambda: key_value(Stores.inMemoryKeyValueStore("s"), stamped=False),
        lambda: key_value(Stores.inMemoryKeyValueStore("s")),
        "its values were plain and are timestamped",
    ),
    "versions": (
        lambda: key_value(Stores.persistentKeyValueStore("s"), stamped=False),
        lambda: versioned(1000),
        "its type was key-value and is versioned",
    ),
    "windows": (
        lambda: key_value(Stores.persistentKeyValueStore("s")),
        lambda: window_store(),
        "its type was key-value and is window",
    ),
    "a far longer retention": (
        lambda: of(1000, 60_000),
        lambda: of(1000, 86_400_000),
        "its segment interval was 60000 and is 43200000",
    ),
    "duplicates": (
        lambda: window_store(),
        lambda: window_store(duplicates=True),
        "its duplicates was False and is True",
    ),
    "segments of versions": (
        lambda: versioned(10_000, 1000),
        lambda: versioned(10_000, 2000),
        "its segment interval was 1000 and is 2000",
    ),
}

OTHER_MEANING: dict[str, tuple[Make, Make, str]] = {
    "a value serde": (
        lambda: key_value(Stores.persistentKeyValueStore("s"), LONG),
        lambda: key_value(Stores.persistentKeyValueStore("s"), DOUBLE),
        "its value serde was Long and is Double",
    ),
    "a window size": (
        lambda: of(10),
        lambda: of(20),
        "its window was 10 ms and is 20 ms",
    ),
    "a difference": (
        lambda: windowed(SlidingWindows.ofTimeDifferenceWithNoGrace(10), Materialized.as_("s")),
        lambda: windowed(SlidingWindows.ofTimeDifferenceWithNoGrace(20), Materialized.as_("s")),
        "its window was 10 ms and is 20 ms",
    ),
}


@pytest.mark.parametrize("change", SAME)
def test_what_leaves_the_bytes_alone_may_change(change: str) -> None:
    before, now = SAME[change]
    check_stores(notes(before()), notes(now()), frozenset(), "here")


@pytest.mark.parametrize("change", OTHER_BYTES)
def test_other_bytes_are_refused_whatever_is_said(change: str) -> None:
    before, now, text = OTHER_BYTES[change]
    with pytest.raises(StreamsException, match=text) as refusal:
        check_stores(notes(before()), notes(now()), {"s"}, "here")
    assert "millstream.store.changed.ok" not in refusal.value.hint
    check_stores(notes(now()), notes(now()), frozenset(), "here")


@pytest.mark.parametrize("change", OTHER_MEANING)
def test_another_meaning_is_refused_unless_it_is_called_the_same(change: str) -> None:
    before, now, text = OTHER_MEANING[change]
    with pytest.raises(StreamsException, match=text) as refusal:
        check_stores(notes(before()), notes(now()), {"other"}, "here")
    assert "millstream.store.changed.ok=s." in refusal.value.hint
    assert 'store "s"' in refusal.value.problem
    check_stores(notes(before()), notes(now()), {"s"}, "here")


def test_the_default_serde_is_that_of_the_configuration() -> None:
    topology = kept(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("s"), None, None))
    before = notes(topology, default_value_serde=LONG)
    assert before["s"].serdes == {"key": "String", "value": "Long"}
    with pytest.raises(StreamsException, match="its value serde was Long and is Double"):
        check_stores(before, notes(topology, default_value_serde=DOUBLE), frozenset(), "here")


def test_a_default_format_with_headers_is_other_bytes_on_disk_and_the_same_in_memory() -> None:
    builder = counted(Materialized.as_("s"))
    assert notes(builder, dsl_store_format="headers")["s"].values == "headers"
    assert notes(builder, default_dsl_store="lmdb")["s"].kind == "lmdb"
    memory = counted(Materialized.as_("s").withStoreType(Materialized.StoreType.IN_MEMORY))
    assert notes(memory, dsl_store_format="headers")["s"].values == "timestamped"


def joined(value: Any) -> Topology:
    builder = StreamsBuilder()
    left, right = (builder.stream(n, Consumed.with_(TEXT, LONG)) for n in ("left", "right"))
    options = StreamJoined.with_(TEXT, LONG, value).withStoreName("j")
    windows = JoinWindows.ofTimeDifferenceWithNoGrace(10)
    left.outerJoin(right, lambda one, other: one, windows, options)
    return builder.build()


def suppressed(buffer: Any) -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", Consumed.with_(TEXT, LONG))
    table.suppress(Suppressed.untilTimeLimit(5, buffer).withName("held"))
    return builder.build()


def test_the_stores_of_operators_have_notes_as_well() -> None:
    found = notes(joined(LONG))
    assert {note.type for note in found.values()} == {"window", "unmatched records"}
    with pytest.raises(StreamsException, match="its right serde was Long and is Double"):
        check_stores(found, notes(joined(DOUBLE)), frozenset(), "here")
    memory = notes(suppressed(BufferConfig.unbounded()))
    assert memory["held-store"].type == "suppression buffer"
    spilling = notes(suppressed(BufferConfig.maxRecords(3).spillToDiskWhenFull()))
    check_stores(memory, spilling, frozenset(), "here")
    grouped = StreamsBuilder()
    grouped.stream("in").groupByKey(Grouped.with_(TEXT, TEXT)).count()
    assert [note.serdes["value"] for note in notes(grouped.build()).values()] == ["Long"]


class OwnBuilder:
    """Makes a store of a user's own."""

    def name(self) -> str:
        return "s"

    def build(self) -> Any:
        raise NotImplementedError

    def loggingEnabled(self) -> bool:
        return True

    def logConfig(self) -> dict[str, str]:
        return {}


class OwnSupplier:
    def name(self) -> str:
        return "s"

    def metricsScope(self) -> str:
        return "own"

    def get(self) -> Any:
        raise NotImplementedError


def test_a_user_may_say_that_a_store_of_his_own_fits() -> None:
    own = notes(kept(OwnBuilder()))
    supplied = notes(key_value(OwnSupplier()))
    ours = notes(key_value(Stores.inMemoryKeyValueStore("s")))
    assert own["s"].type == "own"
    assert supplied["s"].values == "supplied"
    for before, now in ((own, ours), (ours, supplied), (supplied, ours)):
        with pytest.raises(StreamsException, match=r"changed\.ok=s\."):
            check_stores(before, now, frozenset(), "here")
        check_stores(before, now, {"s"}, "here")
    check_stores(own, own, frozenset(), "here")


def test_several_stores_are_named_in_one_error() -> None:
    before = {"a": StoreNote(type="x"), "b": StoreNote(type="x"), "c": StoreNote(type="x")}
    now = {"a": StoreNote(type="y"), "b": StoreNote(type="y"), "c": StoreNote(type="x")}
    with pytest.raises(StreamsException, match='"a" and 1 more') as refusal:
        check_stores(before, now, frozenset(), "here")
    assert 'Of "b", its type was x and is y.' in refusal.value.detail


def test_a_name_that_no_store_has_is_refused() -> None:
    config = StreamsConfig(BASE | {"millstream.store.changed.ok": "counts, total"})
    counts = StoreNote(type="key-value")
    with pytest.raises(ConfigException, match="total"):
        compatible_stores(config, {"counts": counts})
    assert compatible_stores(config, {"counts": counts, "total": counts}) == {"counts", "total"}


def checkpoint(stores: dict[str, StoreNote]) -> Checkpoint:
    return new_checkpoint("topology", {"0": 1}, {}, stores=stores)


def test_a_checkpoint_without_notes_opens_and_gets_them() -> None:
    now = checkpoint(notes(counted(Materialized.as_("s"))))
    body = json.loads(now.to_json())
    del body["stores"]
    found = Checkpoint.from_json(json.dumps(body), "here")
    check_stores(found.stores, now.stores, set(), "here")
    noted = replace(found, stores=merged(found.stores, now.stores))
    assert Checkpoint.from_json(noted.to_json(), "here") == now


def test_a_store_that_the_topology_has_no_longer_stays_noted() -> None:
    gone, stays = StoreNote(type="x", kind="lmdb"), StoreNote(type="x", kind="memory")
    kept = merged({"gone": gone, "stays": gone}, {"stays": stays})
    assert kept == {"gone": gone, "stays": stays}
    assert kinds_of(kept) == {"gone": "lmdb", "stays": "memory"}
    with pytest.raises(StreamsException, match="its type was x and is z"):
        check_stores(kept, {"gone": StoreNote(type="z")}, set(), "here")


class Asked(_TrialHost):
    """Keeps which kind of bytes each store has asked for."""

    def __init__(self, configs: Any, directory: Path) -> None:
        super().__init__(configs, directory)
        self.kinds: dict[str, str] = {}

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        self.kinds[store] = kind
        return super().working_copy(store, kind)


ALL = scenario_files(SCENARIOS)
# Few have records that wait for a table.
SOME = [
    file
    for file in [*ALL[::12], *(each for each in ALL if each.name == "hand-grace.json")]
    if "error" not in read_scenario(file)["expect"]
]


def test_stores_of_all_sorts_have_notes_and_ask_for_the_kind_that_is_noted(tmp_path: Path) -> None:
    types = set()
    for file in SOME:
        entries = scenario_config(read_scenario(file))
        plan, config = build(read_scenario(file), entries).plan(), StreamsConfig(entries)
        found, settings = notes_of(plan, config), TaskSettings.of(config)
        host = Asked(settings.configs, tmp_path)
        host.add_globals(plan, settings)
        for part in plan.subtopologies:
            Task(plan, [part], TaskId(part.id, 0), settings, host)
        types |= {note.type for note in found.values()}
        kinds = kinds_of(found)
        assert kinds == {name: kind for name, kind in host.kinds.items() if name in kinds}
    assert types == {
        "key-value",
        "session",
        "suppression buffer",
        "unmatched records",
        "versioned",
        "waiting records",
        "window",
    }
