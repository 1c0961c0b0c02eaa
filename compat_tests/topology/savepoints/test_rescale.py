"""More or fewer tasks: every entry goes where its key belongs, and the application goes on."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.testing.savepoints.made import (
    CONFIG,
    SECOND,
    STRINGS,
    counts,
    output,
    pipe,
    saved,
)
from millstream import (
    JoinWindows,
    KTable,
    Materialized,
    Serdes,
    SessionWindows,
    Stores,
    StreamsBuilder,
    StreamsException,
    Suppressed,
    TimeWindows,
    Topology,
    UnsupportedOperationException,
)
from millstream.core.engine import snapshots
from millstream.core.partitioning import default_partition
from millstream.core.processor import Processor
from millstream.testing import TopologyTestDriver
from millstream.topology.savepoints.placing import combiner, unplaced
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.records import StoreRecords
from millstream.topology.savepoints.rescale import Rescaling, rescale


def by_key(records: Iterable[Any], partitions: int) -> list[list[Any]]:
    """Return records as their topic's partitions have them."""
    found: list[list[Any]] = [[] for _ in range(partitions)]
    for record in records:
        found[default_partition(record[1].encode(), partitions)].append(record)
    return found


def rescaled(
    topology: Topology, root: Path, records: list[Any], before: int, after: int
) -> Savepoint:
    point = Savepoint(saved(topology, root, *by_key(records, before)))
    parts = dict.fromkeys(point.manifest.tasks, after)
    rescale(point, root / "rescaled", Rescaling(tasks=parts), combiner(topology.plan()))
    return Savepoint(root / "rescaled")


def stores(builder: StreamsBuilder) -> None:
    """Add stores of every type that can be rescaled."""
    stream = builder.stream("in")
    grouped = stream.groupByKey(STRINGS)
    grouped.count(Materialized.as_("counts"))
    windows = TimeWindows.ofSizeAndGrace(10 * SECOND, 100 * SECOND)
    counted: KTable[Any, Any] = grouped.windowedBy(windows).count(Materialized.as_("windows"))
    limits = Suppressed.BufferConfig.unbounded()
    counted.suppress(Suppressed.untilWindowCloses(limits).withName("held")).toStream().map(
        lambda at, n: (at.key(), str(n))
    ).to("out")
    sessions = SessionWindows.ofInactivityGapAndGrace(10 * SECOND, 100 * SECOND)
    grouped.windowedBy(sessions).count(Materialized.as_("sessions"))
    versions = Stores.persistentVersionedKeyValueStore("versions", 100 * SECOND)
    stream.toTable(Materialized.as_(versions))
    joined = JoinWindows.ofTimeDifferenceAndGrace(5 * SECOND, 5 * SECOND)
    stream.outerJoin(builder.stream("other"), lambda a, b: f"{a}+{b}", joined).to("out")


def everything() -> Topology:
    builder = StreamsBuilder()
    stores(builder)
    return builder.build()


RECORDS = [(("in", "other")[n % 5 == 4], f"key-{n * 7 % 13}", f"v{n}", 1000 * n) for n in range(60)]


@pytest.mark.parametrize(("before", "after"), [(2, 5), (5, 2), (3, 1), (1, 4)])
def test_every_entry_is_in_the_partition_of_its_key(
    tmp_path: Path, before: int, after: int
) -> None:
    point = rescaled(everything(), tmp_path, RECORDS, before, after)
    former = Savepoint(tmp_path / "point")

    assert point.manifest.tasks == {0: after}
    for name in point.manifest.stores:
        entries = list(StoreRecords(point, name).all())
        assert entries, name
        for record in entries:
            key = record.key[:-8] if name == "held-store" else record.key
            assert record.partition == default_partition(key, after), name
        one = sorted((r.key, r.window, r.timestamp, r.value) for r in entries)
        other = StoreRecords(former, name).all()
        assert one == sorted((r.key, r.window, r.timestamp, r.value) for r in other)


@pytest.mark.parametrize(("before", "after"), [(2, 5), (5, 2)])
def test_each_task_goes_on_with_its_keys(tmp_path: Path, before: int, after: int) -> None:
    """What each new task forwards is what it would have, had it read its keys from the start."""
    rescaled(everything(), tmp_path, RECORDS, before, after)
    more = [("in", f"key-{n}", "new", 200_000 + n) for n in range(13)]

    for number in range(after):
        own = by_key(more, after)[number]
        with TopologyTestDriver(everything(), CONFIG, 0) as driver:
            pipe(driver, by_key(RECORDS, after)[number])
            output(driver)
            pipe(driver, own)
            expected = held(output(driver))
        with TopologyTestDriver.fromSavepoint(
            everything(), CONFIG, tmp_path / "rescaled", partition=number
        ) as driver:
            pipe(driver, own)
            found = held(output(driver))
        if own:
            # A slower task may have held back what the others' stream time lets go.
            assert set(expected) <= set(found)


def held(records: list[Any]) -> list[Any]:
    return [(key, value) for key, value, _ in records if value.isdecimal()]


def test_there_and_back_is_the_same(tmp_path: Path) -> None:
    topology = everything()
    there = rescaled(topology, tmp_path, RECORDS, 3, 7)
    rescale(there, tmp_path / "back", Rescaling(tasks={0: 3}), combiner(topology.plan()))
    back, former = Savepoint(tmp_path / "back"), Savepoint(tmp_path / "point")

    for name in former.manifest.stores:
        one, other = (
            sorted((r.partition, r.key, r.window, r.value) for r in StoreRecords(p, name).all())
            for p in (back, former)
        )
        assert one == other


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.sets(st.text(max_size=8), max_size=30), st.integers(1, 9), st.integers(1, 9))
def test_no_key_is_lost_or_doubled(
    tmp_path_factory: pytest.TempPathFactory, keys: set[str], before: int, after: int
) -> None:
    root = tmp_path_factory.mktemp("rescale")
    records = [("in", key, "x", 1) for key in sorted(keys)]
    point = rescaled(counts(), root, records, before, after)

    found = [(r.partition, r.key) for r in StoreRecords(point, "counts").all()]

    assert sorted(found) == sorted((default_partition(k.encode(), after), k.encode()) for k in keys)


def test_times_of_tasks_come_together(tmp_path: Path) -> None:
    point = rescaled(everything(), tmp_path, [("in", "a", "x", 5000), ("in", "b", "x", 9000)], 2, 3)

    times = [snapshots.decode(data).stream_time for data in point.manifest.snapshots.values()]

    assert sorted(point.manifest.snapshots) == ["0_0", "0_1", "0_2"]
    assert times == [9000, 9000, 9000]


def test_a_key_in_two_partitions_is_refused(tmp_path: Path) -> None:
    point = Savepoint(saved(counts(), tmp_path, [("in", "a", "x", 1)], [("in", "a", "y", 2)]))

    with pytest.raises(StreamsException, match="same key in several partitions"):
        rescale(point, tmp_path / "new", Rescaling(tasks={0: 3}), combiner(counts().plan()))
    assert list((tmp_path / "new").iterdir()) == []


class Own(Processor[Any, Any, Any, Any]):
    """Stores the number of records under the first letter of the key."""

    def init(self, context: Any) -> None:
        self.store = context.getStateStore("letters")

    def process(self, record: Any) -> None:
        letter = record.key()[:1]
        self.store.put(letter, (self.store.get(letter) or 0) + 1)


def own() -> Topology:
    text = Serdes.String()
    builder = Stores.keyValueStoreBuilder(
        Stores.persistentKeyValueStore("letters"), text, Serdes.Long()
    )
    topology = Topology().addSource("source", text.deserializer(), text.deserializer(), "in")
    return topology.addProcessor("own", Own, "source").addStateStore(builder, "own")


def test_a_users_own_store_is_named_and_goes_where_a_function_says(tmp_path: Path) -> None:
    point = Savepoint(saved(own(), tmp_path, [("in", "abc", "x", 1)], [("in", "bcd", "x", 1)]))

    found = unplaced(own().plan(), point.manifest, [0])
    assert found == {"letters": '"own" may write other keys than those of its records'}

    places = {"letters": lambda key, partitions: key[0] % partitions}
    rescale(
        point,
        tmp_path / "new",
        Rescaling(tasks={0: 3}, places=places),
        combiner(own().plan()),
    )
    records = StoreRecords(Savepoint(tmp_path / "new"), "letters").all()
    assert sorted((r.partition, r.key) for r in records) == [(1, b"a"), (2, b"b")]


@pytest.mark.parametrize("place", [lambda key, n: n, lambda key, n: None, lambda key, n: 1 // 0])
def test_a_function_that_names_no_partition_is_told(tmp_path: Path, place: Any) -> None:
    point = Savepoint(saved(own(), tmp_path, [("in", "abc", "x", 1)]))
    rescaling = Rescaling(tasks={0: 3}, places={"letters": place})

    with pytest.raises(StreamsException, match='places the entries of store "letters" failed'):
        rescale(point, tmp_path / "new", rescaling, combiner(own().plan()))


def test_the_stores_of_the_dsl_are_placed_by_their_keys(tmp_path: Path) -> None:
    own = Savepoint(saved(everything(), tmp_path / "own", [])).manifest
    assert unplaced(everything().plan(), own, [0]) == {}


def test_the_keys_of_a_windowed_table_in_a_key_value_store_are_refused(tmp_path: Path) -> None:
    builder = StreamsBuilder()
    windows = TimeWindows.ofSizeWithNoGrace(10 * SECOND)
    table = builder.stream("in").groupByKey(STRINGS).windowedBy(windows).count()
    shown = Materialized.as_("shown").withValueSerde(Serdes.Long())
    table.filter(lambda key, value: True, shown)
    topology = builder.build()
    point = Savepoint(saved(topology, tmp_path, [("in", "a", "x", 1)]))

    with pytest.raises(UnsupportedOperationException, match="partition of windowed keys"):
        rescale(point, tmp_path / "new", Rescaling(tasks={0: 3}), combiner(topology.plan()))
