"""The test driver goes on where a savepoint was made, of one task or of several together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

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
    Consumed,
    IllegalArgumentException,
    IllegalStateException,
    KeyValueStore,
    Materialized,
    ProcessorStateException,
    Produced,
    Serdes,
    SessionWindows,
    Stores,
    StreamsBuilder,
    StreamsException,
    Suppressed,
    TimeWindows,
    Topology,
)
from millstream.core.processor import Processor, PunctuationType
from millstream.testing import TopologyTestDriver


def driver_of(topology: Topology, point: Path, **more: Any) -> TopologyTestDriver:
    return TopologyTestDriver.fromSavepoint(topology, CONFIG, point, **more)


def test_a_store_has_the_entries_of_all_partitions(tmp_path: Path) -> None:
    one, two = [("in", "a", "x", 5), ("in", "a", "y", 7)], [("in", "b", "z", 6)]
    point = saved(counts(), tmp_path, one, two)

    with driver_of(counts(), point) as driver:
        pipe(driver, [("in", "a", "w", 8), ("in", "b", "w", 9), ("in", "c", "w", 10)])
        store = driver.getKeyValueStore("counts")

        assert output(driver, value=Serdes.Long()) == [("a", 3, 8), ("b", 2, 9), ("c", 1, 10)]
        assert [(each.key, each.value) for each in store.all()] == [("a", 3), ("b", 2), ("c", 1)]


def test_a_word_has_its_effect_once_on_the_same_topology(tmp_path: Path) -> None:
    point, config = (
        saved(counts(), tmp_path, [("in", "a", "x", 5)]),
        {
            **CONFIG,
            "millstream.state.drop": "counts",
        },
    )

    with TopologyTestDriver.fromSavepoint(counts(), config, point) as driver:
        pipe(driver, [("in", "a", "w", 8)])
        assert output(driver, value=Serdes.Long()) == [("a", 1, 8)]
        driver.savepoint(tmp_path / "dropped")

    with TopologyTestDriver.fromSavepoint(counts(), config, tmp_path / "dropped") as driver:
        pipe(driver, [("in", "a", "w", 9)])
        assert output(driver, value=Serdes.Long()) == [("a", 2, 9)]


def test_one_partition_is_taken_alone(tmp_path: Path) -> None:
    point = saved(counts(), tmp_path, [("in", "a", "x", 5)], [("in", "b", "z", 6)])

    with driver_of(counts(), point, partition=1) as driver:
        assert [each.key for each in driver.getKeyValueStore("counts").all()] == ["b"]


@pytest.mark.parametrize("partition", [-1, 2])
def test_a_partition_that_no_task_has_is_refused(tmp_path: Path, partition: int) -> None:
    point = saved(counts(), tmp_path, [], [])

    with pytest.raises(IllegalArgumentException, match="has no partition"):
        driver_of(counts(), point, partition=partition)


def windowed(store: Any, *, final: bool = False) -> Topology:
    builder = StreamsBuilder()
    windows = TimeWindows.ofSizeAndGrace(10 * SECOND, 0 * SECOND)
    table = builder.stream("in").groupByKey(STRINGS).windowedBy(windows).count(store)
    if final:
        limits = Suppressed.BufferConfig.unbounded()
        table = table.suppress(Suppressed.untilWindowCloses(limits))
    shown = table.toStream().map(lambda at, n: (at.key(), f"{at.window().start()}:{n}"))
    shown.to("out")
    return builder.build()


@pytest.mark.parametrize("kind", ["rocksDB", "in_memory"])
@pytest.mark.parametrize("final", [False, True])
def test_windows_of_all_partitions_go_on(tmp_path: Path, kind: str, final: bool) -> None:
    topology = windowed(Materialized.as_("w").withRetention(100 * SECOND), final=final)
    one = [("in", "a", "x", 1000), ("in", "b", "x", 11000)]
    two = [("in", "c", "x", 3000), ("in", "c", "x", 4000)]
    config = {"default.dsl.store": kind}
    point = saved(topology, tmp_path, one, two, config=config)

    with TopologyTestDriver.fromSavepoint(topology, {**CONFIG, **config}, point) as driver:
        pipe(driver, [("in", "c", "y", 12000), ("in", "c", "late", 5000), ("in", "a", "y", 21000)])
        found = output(driver)
        entries = driver.getWindowStore("w").all()

        assert len(list(entries)) == 5
    if final:
        # That of a has gone out already; of c, when stream time is that of the faster task.
        assert found == [("c", "0:2", 4000), ("b", "10000:1", 11000), ("c", "10000:1", 12000)]
    else:
        assert found == [("c", "10000:1", 12000), ("a", "20000:1", 21000)]


def test_a_buffer_of_suppress_knows_its_size_and_order(tmp_path: Path) -> None:
    builder = StreamsBuilder()
    limits = Suppressed.BufferConfig.maxRecords(3).emitEarlyWhenFull()
    table = builder.table("in").suppress(Suppressed.untilTimeLimit(1000 * SECOND, limits))
    table.toStream().to("out")
    topology = builder.build()
    point = saved(topology, tmp_path, [("in", "a", "1", 20)], [("in", "b", "2", 10)])

    with driver_of(topology, point) as driver:
        pipe(driver, [("in", "c", "3", 30)])
        assert output(driver) == []
        pipe(driver, [("in", "d", "4", 40)])
        assert output(driver) == [("b", "2", 10)]
        pipe(driver, [("in", "e", "5", 50)])
        assert output(driver) == [("a", "1", 20)]


def test_sessions_and_versions_of_all_partitions_go_on(tmp_path: Path) -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in")
    sessions = SessionWindows.ofInactivityGapAndGrace(10 * SECOND, 100 * SECOND)
    stream.groupByKey().windowedBy(sessions).count(Materialized.as_("s"))
    supplier = Stores.persistentVersionedKeyValueStore("v", 100 * SECOND)
    consumed = Consumed.with_(Serdes.String(), Serdes.String())
    builder.table("table", consumed, Materialized.as_(supplier))
    topology = builder.build()
    one = [("in", "a", "x", 1000), ("table", "k", "old", 10), ("table", "k", "new", 20)]
    two = [("in", "b", "x", 90000), ("table", "l", "old", 15), ("table", "l", "new", 95000)]
    point = saved(topology, tmp_path, one, two)

    with driver_of(topology, point) as driver:
        pipe(driver, [("in", "a", "y", 9000), ("table", "k", "late", 5)])
        versions = driver.getVersionedKeyValueStore("v")
        (session,) = driver.getSessionStore("s").fetch("a")

        assert (session.key.window().start(), session.key.window().end()) == (1000, 9000)
        assert session.value == 2
        assert versions.get("k", 12).value() == "old"
        assert versions.get("k").value() == "new"
        assert versions.get("l", 20).value() == "old"


class Ticking(Processor[Any, Any, Any, Any]):
    """Forwards each punctuation of both clocks, and the stream time of each record."""

    def init(self, context: Any) -> None:
        self.context = context
        context.schedule(10, PunctuationType.STREAM_TIME, lambda now: self.tell("stream", now))
        context.schedule(100, PunctuationType.WALL_CLOCK_TIME, lambda now: self.tell("wall", now))

    def process(self, record: Any) -> None:
        offset = self.context.recordMetadata().offset()
        self.context.forward(
            record.withKey("seen").withValue(f"{self.context.currentStreamTimeMs()}@{offset}")
        )

    def tell(self, key: str, now: int) -> None:
        from millstream.core.records import Record

        self.context.forward(Record(key, str(now), now))


def ticking() -> Topology:
    text = Serdes.String()
    topology = Topology().addSource("source", text.deserializer(), text.deserializer(), "in")
    topology.addProcessor("ticking", Ticking, "source")
    return topology.addSink("sink", "out", text.serializer(), text.serializer(), "ticking")


def test_times_schedules_and_offsets_go_on(tmp_path: Path) -> None:
    one, two = [("in", "a", "x", 25)], [("in", "a", "x", 7), ("in", "a", "x", 8)]
    point = saved(ticking(), tmp_path, one, two)

    with driver_of(ticking(), point, initialWallClockTime=0) as driver:
        pipe(driver, [("in", "a", "x", 9)])
        # Stream time is that of the first task. A punctuation was due there next at 30, and in the
        # other task at 10, which nothing has passed over.
        assert output(driver) == [("seen", "25@2", 9), ("stream", "25", 25)]
        driver.advanceWallClockTime(99)
        assert output(driver) == []
        driver.advanceWallClockTime(1)
        assert output(driver) == [("wall", "100", 100)]


def test_the_clock_goes_on_when_the_savepoint_was_made(tmp_path: Path) -> None:
    with TopologyTestDriver(ticking(), CONFIG, 5_000) as driver:
        driver.savepoint(tmp_path)

    with driver_of(ticking(), tmp_path) as driver:
        driver.advanceWallClockTime(100)
        assert output(driver) == [("wall", "5100", 5100)]


class Noting(Processor[Any, Any, Any, Any]):
    """Puts the last value under one key, whatever the key of the record."""

    def init(self, context: Any) -> None:
        self.store: KeyValueStore[Any, Any] = context.getStateStore("noted")

    def process(self, record: Any) -> None:
        self.store.put("last", record.value())


def noting() -> Topology:
    text = Serdes.String()
    supplier = Stores.persistentKeyValueStore("noted")
    topology = Topology().addSource("source", text.deserializer(), text.deserializer(), "in")
    topology.addProcessor("noting", Noting, "source")
    return topology.addStateStore(Stores.keyValueStoreBuilder(supplier, text, text), "noting")


def test_a_key_in_several_partitions_is_refused_and_one_partition_is_not(tmp_path: Path) -> None:
    point = saved(noting(), tmp_path, [("in", "a", "1", 0)], [("in", "b", "2", 0)])

    with pytest.raises(StreamsException, match="same key in several partitions") as caught:
        driver_of(noting(), point)
    assert "partition=N" in caught.value.hint

    with driver_of(noting(), point, partition=1) as driver:
        assert driver.getKeyValueStore("noted").get("last") == "2"


def with_rows() -> Topology:
    builder = StreamsBuilder()
    rows = builder.globalTable("rows", Materialized.as_("rows"))
    builder.stream("in").join(rows, lambda key, _: key, lambda left, right: left + right).to("out")
    return builder.build()


def test_a_global_store_goes_on(tmp_path: Path) -> None:
    point = saved(with_rows(), tmp_path, [("rows", "a", "1", 0)])

    with driver_of(with_rows(), point) as driver:
        pipe(driver, [("in", "a", "x", 1)])
        assert output(driver) == [("a", "x1", 1)]


def test_a_global_store_of_another_format_says_that_it_is_empty(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    point = saved(with_rows(), tmp_path, [("rows", "a", "1", 0)])
    config = {**CONFIG, "dsl.store.format": "HEADERS"}

    with TopologyTestDriver.fromSavepoint(with_rows(), config, point) as driver:
        assert driver.getKeyValueStore("rows").get("a") is None
        assert "global store rows is empty here" in caplog.text
        pipe(driver, [("rows", "a", "1", 0), ("in", "a", "x", 1)])
        assert output(driver) == [("a", "x1", 1)]


def test_another_value_serde_is_refused_and_a_declared_one_is_not(tmp_path: Path) -> None:
    point = saved(counts(), tmp_path, [("in", "a", "x", 5)])

    with pytest.raises(StreamsException, match="cannot go on with this topology") as caught:
        driver_of(counts(Serdes.Integer()), point)

    assert "its value serde was Long and is Integer" in caught.value.detail
    config = {**CONFIG, "millstream.store.changed.ok": "counts"}
    TopologyTestDriver.fromSavepoint(counts(Serdes.Integer()), config, point).close()


def test_internal_topics_have_the_name_of_the_application(tmp_path: Path) -> None:
    builder = StreamsBuilder()
    grouped = builder.stream("in").groupBy(lambda _, value: value)
    counted = grouped.count(Materialized.as_("counts"))
    counted.toStream().to("out", Produced.valueSerde(Serdes.Long()))
    topology = builder.build()
    point = saved(topology, tmp_path, [("in", "k", "a", 5)])

    config = {**CONFIG, "application.id": "b"}

    with TopologyTestDriver.fromSavepoint(topology, config, point) as driver:
        pipe(driver, [("in", "k", "a", 6)])
        assert output(driver, value=Serdes.Long()) == [("a", 2, 6)]
        assert "b-counts-repartition" in driver.producedTopicNames()


def test_the_application_is_the_savepoints_unless_one_is_given(tmp_path: Path) -> None:
    point = saved(counts(), tmp_path, [])
    config = {name: value for name, value in CONFIG.items() if name != "application.id"}

    with TopologyTestDriver.fromSavepoint(counts(), config, point) as driver:
        assert repr(driver) == "TopologyTestDriver('app')"


def test_a_damaged_savepoint_is_refused(tmp_path: Path) -> None:
    point = saved(counts(), tmp_path, [("in", "a", "x", 5)])
    (file,) = point.rglob("*.parquet")
    file.write_bytes(b"")

    with pytest.raises(ProcessorStateException, match='partition 0 of store "counts"'):
        driver_of(counts(), point)


def test_a_savepoint_is_not_replaced(tmp_path: Path) -> None:
    with TopologyTestDriver(counts(), CONFIG, 0) as driver:
        driver.savepoint(tmp_path)
        with pytest.raises(StreamsException, match="already has a savepoint"):
            driver.savepoint(tmp_path)


def test_a_savepoint_says_what_it_was_made_of(tmp_path: Path) -> None:
    point = saved(counts(), tmp_path, [("in", "a", "x", 5)])

    body = json.loads((point / "savepoint.json").read_text())

    assert body["application_id"] == "app"
    assert body["topology"] == str(counts().describe())
    assert body["tasks"] == {"0": 1}
    assert body["positions"] == {"in": {"0": 1}}
    assert body["stores"]["counts"]["note"]["serdes"] == {"key": "String", "value": "Long"}
    assert body["stores"]["counts"]["subtopology"] == 0


def test_records_that_wait_are_not_lost(tmp_path: Path) -> None:
    builder = StreamsBuilder()
    builder.stream(["in", "other"]).to("out")
    config = {**CONFIG, "max.task.idle.ms": 1000}
    with TopologyTestDriver(builder.build(), config, 0) as driver:
        pipe(driver, [("in", "a", "x", 5)])
        with pytest.raises(IllegalStateException, match="records that wait"):
            driver.savepoint(tmp_path)


def shifted(*, peek: bool) -> Topology:
    """Return a topology without names; with one more operator every number behind it is another."""
    builder = StreamsBuilder()
    stream = builder.stream("in")
    if peek:
        stream = stream.peek(lambda key, value: None)
    counted = stream.groupByKey(STRINGS).count()
    counted.toStream().mapValues(str).to("out", Produced.with_(Serdes.String(), Serdes.String()))
    return builder.build()


def test_a_changed_program_goes_on_with_stores_under_other_generated_names(tmp_path: Path) -> None:
    before, after = shifted(peek=False), shifted(peek=True)
    assert before.store_names() != after.store_names()
    point = saved(before, tmp_path, [("in", "a", "x", 5)], [("in", "b", "x", 6)])

    with driver_of(after, point) as driver:
        pipe(driver, [("in", "a", "y", 7), ("in", "b", "y", 8)])
        assert output(driver) == [("a", "2", 7), ("b", "2", 8)]


def test_rows_get_the_form_that_another_store_format_asks_for(tmp_path: Path) -> None:
    point = saved(shifted(peek=False), tmp_path, [("in", "a", "x", 5)], [("in", "b", "x", 6)])
    config = {**CONFIG, "dsl.store.format": "HEADERS"}

    with TopologyTestDriver.fromSavepoint(shifted(peek=False), config, point) as driver:
        pipe(driver, [("in", "a", "y", 7)])
        assert output(driver) == [("a", "2", 7)]
