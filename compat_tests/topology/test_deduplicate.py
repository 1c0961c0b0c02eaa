"""Deduplication: every example of KIP-655, and what its text promises besides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest

from compat_tests.topology.running import new_task
from millstream import (
    ClassCastException,
    Consumed,
    ContextualProcessor,
    Deduplicated,
    Grouped,
    IllegalArgumentException,
    KStream,
    Materialized,
    Named,
    NullPointerException,
    Produced,
    PunctuationType,
    Record,
    Serdes,
    StreamsBuilder,
    StreamsException,
    TopologyConfig,
    TopologyException,
)
from millstream.core.chunk import RawChunk
from millstream.core.config import StreamsConfig
from millstream.testing import TopologyTestDriver
from millstream.testing.kit import OperatorTests
from millstream.topology.deduplication.operators import DeduplicateByKey

TEXT = Serdes.String()
LONG = Serdes.Long()
S = 1000
Row = tuple[Any, Any, int]
Deduplicates = Callable[[KStream[Any, Any]], KStream[Any, Any]]
CONFIG: dict[str, Any] = {"default.key.serde": TEXT, "default.value.serde": TEXT}


def value(key: Any, value: Any) -> Any:
    return value


def by_key(stream: KStream[Any, Any]) -> KStream[Any, Any]:
    return stream.deduplicateByKey(timedelta(seconds=10))


def run(deduplicates: Deduplicates, rows: Sequence[Row], **config: Any) -> list[Row]:
    builder = StreamsBuilder()
    deduplicates(builder.stream("in")).to("out")
    with TopologyTestDriver(builder.build(), CONFIG | config) as driver:
        source = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for row in rows:
            source.pipeInput(*row)
        target = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        return [(r.key(), r.value(), r.timestamp() or 0) for r in target.readRecordsToList()]


def times(deduplicates: Deduplicates, *seconds: float) -> list[float]:
    """Return the times of the records of one key that come out."""
    rows = [("a", "v", int(second * S)) for second in seconds]
    return [time / S for _, _, time in run(deduplicates, rows)]


def described(deduplicates: Deduplicates) -> str:
    builder = StreamsBuilder()
    deduplicates(builder.stream("in")).to("out")
    return str(builder.build().describe())


class TestOperator(OperatorTests):
    operator_class = DeduplicateByKey
    arguments = (2,)
    records = (("a", "1", 0), ("a", "2", 1), ("b", "3", 2), ("a", "4", 3), (None, "5", 3))
    expected = (("a", "1", 0), ("b", "3", 2), ("a", "4", 3), (None, "5", 3))


def test_a_duplicate_does_not_prolong_the_interval() -> None:
    assert times(by_key, 100, 108, 111) == [100, 111]


def test_a_duplicate_out_of_order_does_not_prolong_it_either() -> None:
    assert times(by_key, 100, 92, 89) == [100, 89]


def test_the_ends_of_the_interval_belong_to_it() -> None:
    assert times(by_key, 5, 15, 16) == [5, 16]
    assert times(by_key, 15, 5, 4) == [15, 4]


def test_an_interval_of_zero_is_one_moment() -> None:
    assert times(lambda stream: stream.deduplicateByKey(0), 5, 5, 6) == [5, 6]


def test_example_1_a_late_record_meets_what_is_still_known() -> None:
    assert times(by_key, 20, 25, 11, 9) == [20, 9]


def test_example_2_what_lies_the_interval_back_is_still_known() -> None:
    rows = [("k1", "v", 10 * S), ("k2", "v", 20 * S), ("k1", "v", 9 * S)]
    assert run(by_key, rows) == rows[:2]


def test_example_3_what_lies_further_back_is_not() -> None:
    rows = [("k1", "v", 10 * S), ("k2", "v", 21 * S), ("k1", "v", 9 * S)]
    assert run(by_key, rows) == rows


def test_an_empty_key_expires_no_sooner_than_others() -> None:
    assert run(by_key, [("", "v", 0), ("", "v", 10 * S)]) == [("", "v", 0)]


def test_a_record_that_has_expired_is_not_remembered() -> None:
    assert times(by_key, 20, 9, 9, 9) == [20, 9, 9, 9]


def test_records_without_key_all_pass() -> None:
    rows: list[Row] = [(None, "v", 0), (None, "v", 0)]
    assert run(by_key, rows) == rows
    rekeyed = run(lambda s: by_key(s.selectKey(lambda k, v: k)), rows)
    assert rekeyed == rows


def test_key_and_id_both_count() -> None:
    rows = [("a", "x", 0), ("a", "y", 1), ("b", "x", 2), ("a", "x", 3), (None, "x", 4)]
    more: list[Row] = [("a", None, 5), (None, "x", 5), ("a", None, 5)]
    found = run(lambda s: s.deduplicateByKeyValue(value, 10), [*rows, *more])
    assert found == [*rows[:3], rows[4], *more]


def test_the_bytes_of_key_and_id_do_not_run_together() -> None:
    rows = [("ab", "c", 0), ("a", "bc", 0), ("", "abc", 0)]
    assert run(lambda s: s.deduplicateByKeyValue(value, 10), rows) == rows


def test_the_id_alone_counts_over_all_keys_and_the_keys_come_back() -> None:
    rows = [("a", "x", 0), ("b", "x", 1), (None, "x", 2), (None, "y", 3), ("c", "y", 4)]
    more: list[Row] = [("a", None, 5), ("b", None, 5)]
    found = run(lambda s: s.deduplicate(value, 10), [*rows, *more])
    assert found == [rows[0], rows[3], *more]


def test_a_selector_may_be_an_object_with_apply() -> None:
    class First:
        def apply(self, key: str, value: str) -> str:
            return value[0]

    rows = [("a", "x1", 0), ("a", "x2", 1), ("a", "y", 2)]
    assert run(lambda s: s.deduplicateByKeyValue(First(), 10), rows) == [rows[0], rows[2]]


def test_ids_of_another_type_have_a_serde_of_their_own() -> None:
    rows = [("a", "x", 0), ("b", "y", 1), ("c", "zz", 2)]
    options: list[Deduplicated[Any, Any]] = [
        Deduplicated.idSerde(LONG),
        Deduplicated.keySerde(LONG),
        Deduplicated.with_(LONG, TEXT),
        Deduplicated.with_("lengths", LONG, TEXT),
        Deduplicated.with_(keySerde=TEXT, idSerde=LONG),
    ]

    def by_length(options: Deduplicated[Any, Any]) -> Deduplicates:
        return lambda stream: stream.deduplicate(lambda k, v: len(v), 10, options)

    for each in options:
        assert run(by_length(each), rows) == [rows[0], rows[2]]


def test_an_id_that_cannot_be_written_is_an_error_of_its_record() -> None:
    with pytest.raises(StreamsException) as caught:
        run(lambda s: s.deduplicateByKeyValue(lambda k, v: len(v), 10), [("a", "x", 0)])
    assert isinstance(caught.value.__cause__, ClassCastException)


def test_ids_without_any_serde_are_an_error_at_the_start() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in", Consumed.with_(TEXT, TEXT))
    stream.deduplicateByKeyValue(value, 10).to("out", Produced.with_(TEXT, TEXT))
    with pytest.raises(StreamsException, match="cannot initialise") as caught:
        TopologyTestDriver(builder.build(), {})
    assert "Give Deduplicated an idSerde or a keySerde" in str(caught.value.__cause__)


def test_wrong_arguments_are_errors_at_the_call() -> None:
    stream: Any = StreamsBuilder().stream("in")
    with pytest.raises(IllegalArgumentException, match="deduplicationInterval is -1 ms"):
        stream.deduplicateByKey(-1)
    with pytest.raises(IllegalArgumentException, match="deduplicationInterval"):
        stream.deduplicateByKey(None)
    with pytest.raises(NullPointerException, match="idSelector"):
        stream.deduplicate(None, 1)
    with pytest.raises(NullPointerException, match="deduplicated"):
        stream.deduplicateByKey(1, None)
    with pytest.raises(ClassCastException, match="does not take a Grouped"):
        stream.deduplicateByKeyValue(value, 1, Grouped.as_("x"))
    with pytest.raises(ClassCastException, match="does not take a Named"):
        stream.deduplicate(value, 1, Named.as_("x"))
    with pytest.raises(TopologyException, match="illegal"):
        Deduplicated.as_("a b")
    with pytest.raises(TopologyException, match="illegal"):
        Deduplicated.as_("a").withStoreName("a/b")


def test_arguments_have_names() -> None:
    stream: Any = StreamsBuilder().stream("in")
    named = Deduplicated.as_("x")
    stream.deduplicate(idSelector=value, deduplicationInterval=1, deduplicated=named)


def test_an_id_that_its_serde_writes_as_nothing_is_an_error() -> None:
    nothing = Serdes.serdeFrom(lambda topic, data: None, TEXT.deserializer())
    how: Any = Deduplicated.as_("once").withIdSerde(nothing)
    with pytest.raises(StreamsException) as caught:
        run(lambda s: s.deduplicateByKeyValue(value, 10 * S, how), [("a", "v", 0)])
    assert isinstance(caught.value.__cause__, NullPointerException)


def test_options_are_copied() -> None:
    options = Deduplicated.as_("a").withName("b").withStoreName("s").withKeySerde(TEXT)
    options = options.withIdSerde(LONG).withValueSerde(TEXT)
    assert options == Deduplicated(
        name="b", store_name="s", key_serde=TEXT, id_serde=LONG, value_serde=TEXT
    )
    assert Deduplicated.valueSerde(LONG).value_serde is LONG


def test_nodes_and_stores_have_a_number_or_a_name() -> None:
    assert "KSTREAM-DEDUPLICATE-0000000001 (stores: [KSTREAM-DEDUPLICATE-0000000001-store])" in (
        described(by_key)
    )
    named = Deduplicated.as_("once")
    assert "once (stores: [once-store])" in described(lambda s: s.deduplicateByKey(1, named))
    stored = named.withStoreName("seen")
    assert "once (stores: [seen])" in described(lambda s: s.deduplicateByKey(1, stored))


def test_a_changed_key_and_an_id_go_through_a_repartition_topic() -> None:
    named = Deduplicated.as_("once")
    rekeyed = described(lambda s: s.selectKey(value).deduplicateByKey(1, named))
    assert "topic: once-repartition)" in rekeyed
    assert "topic: KSTREAM-DEDUPLICATE-0000000002-repartition)" in (
        described(lambda s: s.selectKey(value).deduplicateByKey(1))
    )
    by_id = described(lambda s: s.deduplicate(value, 1, named))
    assert "Processor: once-id" in by_id
    assert "topic: once-repartition)" in by_id
    assert "Processor: once (stores: [once-store])" in by_id
    assert "Processor: once-key" in by_id


def test_the_optimiser_merges_its_repartition_topic_with_others() -> None:
    config: dict[str, Any] = {"topology.optimization": "all"}
    builder = StreamsBuilder()
    source: Any = builder.stream("in")
    rekeyed = source.selectKey(lambda key, value: value and value[:1])
    rekeyed.deduplicateByKey(10).to("out")
    rekeyed.groupByKey().count().toStream().to("counts", Produced.with_(TEXT, LONG))
    topology = builder.build(config)
    assert str(topology.describe()).count("Sink: ") == 3
    with TopologyTestDriver(topology, CONFIG) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for number, value in enumerate(["x1", "x2", "y", None, None]):
            topic.pipeInput("k", value, number)
        target = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        pairs = [(found.key, found.value) for found in target.readKeyValuesToList()]
    assert pairs == [("x", "x1"), ("y", "y"), (None, None), (None, None)]


def test_what_was_found_by_id_is_repartitioned_for_the_next_grouping() -> None:
    def counted(stream: KStream[Any, Any]) -> KStream[Any, Any]:
        table = stream.deduplicate(value, 1).groupByKey().count(Materialized.as_("counts"))
        return table.toStream()

    assert "topic: counts-repartition)" in described(counted)
    assert "counts-repartition" not in described(
        lambda s: by_key(s).groupByKey().count(Materialized.as_("counts")).toStream()
    )


def test_generated_names_may_be_forbidden() -> None:
    config = {**CONFIG, "application.id": "a", "bootstrap.servers": "b:1"}
    config["ensure.explicit.internal.resource.naming"] = True
    builder = StreamsBuilder(TopologyConfig(StreamsConfig(config)))
    stream: Any = builder.stream("in")
    by_key(stream).deduplicateByKey(1, Deduplicated.as_("named")).to("out")
    with pytest.raises(TopologyException) as caught:
        builder.build()
    store = "KSTREAM-DEDUPLICATE-0000000001-store"
    assert caught.value.problem.splitlines() == [
        f"Following changelog topic(s) has not been named: {store}-changelog",
        f"Following state store(s) has not been named: {store}",
    ]


class Tasks:
    """Tasks of one topology over the same stores, fed with chunks of any offsets."""

    def __init__(self, deduplicates: Deduplicates) -> None:
        builder = StreamsBuilder()
        deduplicates(builder.stream("in")).to("out")
        self.plan = builder.build().plan()
        self.task, self.host = new_task(self.plan, CONFIG)

    def feed(self, *rows: tuple[int, str, int], by_chunks: bool = True) -> list[str]:
        """Give it offsets, values and times of one key; return the values that come out."""
        self.task.by_chunks = by_chunks
        values: list[bytes | None] = [value.encode() for _, value, _ in rows]
        offsets, moments = [row[0] for row in rows], [row[2] for row in rows]
        self.task.add(RawChunk("in", 0, offsets, moments, [b"k"] * len(rows), values))
        self.task.run()
        self.task.commit()
        found = [(sent.value or b"").decode() for sent in self.host.sent]
        self.host.sent.clear()
        return found

    def stored(self) -> list[bytes]:
        (store,) = self.task.stores.values()
        with store.all() as entries:
            return [entry.key for entry in entries]


@pytest.mark.parametrize("by_chunks", [False, True])
def test_the_same_offset_seen_again_passes(by_chunks: bool) -> None:
    tasks = Tasks(lambda s: s.deduplicateByKey(10))
    assert tasks.feed((0, "a", 5), (1, "b", 6), by_chunks=by_chunks) == ["a"]
    assert tasks.feed((0, "a", 5), (1, "b", 6), by_chunks=by_chunks) == ["a"]
    assert tasks.feed((2, "c", 6), by_chunks=by_chunks) == []


@pytest.mark.parametrize("by_chunks", [False, True])
def test_the_same_offset_of_another_topic_does_not(by_chunks: bool) -> None:
    builder = StreamsBuilder()
    builder.stream("in").merge(builder.stream("in2")).deduplicateByKey(10).to("out")
    task, host = new_task(builder.build().plan(), CONFIG, by_chunks=by_chunks)
    for topic in ("in", "in2"):
        task.add(RawChunk(topic, 0, [0, 1], [5, 5], [b"k", b"k"], [b"a", b"b"]))
        task.run()
    assert [sent.value for sent in host.sent] == [b"a"]


class Ticking(ContextualProcessor[Any, Any, Any, Any]):
    """Forwards a record of its own, which no topic has, at each tick of stream time."""

    def init(self, context: Any) -> None:
        super().init(context)
        context.schedule(1, PunctuationType.STREAM_TIME, self.tick)

    def process(self, record: Any) -> None:
        pass

    def tick(self, timestamp: int) -> None:
        self.context().forward(Record("k", f"tick {timestamp}", timestamp))


def test_records_of_punctuators_are_always_compared() -> None:
    rows = [("a", "v", time) for time in (5, 6, 7, 16)]
    found = run(lambda s: s.process(Ticking).deduplicateByKey(10), rows)
    assert found == [("k", "tick 5", 5), ("k", "tick 16", 16)]


@pytest.mark.parametrize("by_chunks", [False, True])
def test_what_has_expired_leaves_the_store(by_chunks: bool) -> None:
    rows = [(number, str(number), number) for number in range(100)]
    tasks = Tasks(lambda s: s.deduplicateByKeyValue(value, 10))
    tasks.feed(*rows, by_chunks=by_chunks)
    # The times 89 to 99, each by id and by time.
    assert len(tasks.stored()) == 22
    tasks.feed((100, "late", 50), (101, "new", 200), by_chunks=by_chunks)
    assert len(tasks.stored()) == 2


def test_an_id_keeps_its_newest_entry_where_a_run_goes_past_the_interval() -> None:
    tasks = Tasks(lambda s: s.deduplicateByKey(10))
    assert tasks.feed((0, "a", 0), (1, "b", 11), (2, "c", 0), (3, "d", 30)) == ["a", "b", "c", "d"]
    assert len(tasks.stored()) == 2
    assert tasks.feed((4, "e", 20), (5, "f", 19)) == ["f"]


@pytest.mark.parametrize("by_chunks", [False, True])
def test_a_restarted_task_forgets_at_the_same_time(by_chunks: bool) -> None:
    tasks = Tasks(lambda s: s.deduplicateByKeyValue(value, 10))
    assert tasks.feed((0, "a", 10), (1, "b", 20), by_chunks=by_chunks) == ["a", "b"]
    again = restarted(tasks)
    assert again.feed((2, "a", 9), by_chunks=by_chunks) == []
    assert again.feed((3, "c", 21), (4, "a", 9), (5, "b", 11), by_chunks=by_chunks) == ["c", "a"]


def restarted(tasks: Tasks) -> Tasks:
    """Another task with the same stores and snapshot."""
    again = Tasks.__new__(Tasks)
    again.plan = tasks.plan
    again.task, again.host = new_task(tasks.plan, CONFIG, kept=tasks.host._copies)
    again.task.restore(tasks.task.snapshot())
    return again
