"""Slips that a Java compiler would find: the message says what to write."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from millstream import (
    ClassCastException,
    Consumed,
    ContextualProcessor,
    IllegalArgumentException,
    JoinWindows,
    KeyValue,
    Materialized,
    Named,
    Processor,
    Produced,
    PunctuationType,
    Repartitioned,
    Serdes,
    Stores,
    StreamsBuilder,
    StreamsException,
    Topology,
    TopologyException,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
ONE: Any = lambda record: 5  # noqa: E731 - a slip that a type checker would find
TWO: Any = lambda key, value: 0  # noqa: E731


def source() -> Topology:
    return Topology().addSource("source", "in")


@pytest.mark.parametrize(
    ("add", "hint"),
    [
        (lambda: Topology().addSource("s", TEXT, TEXT, "in"), "the serde's .deserializer()"),
        (
            lambda: Topology().addSource("s", TEXT.deserializer(), TEXT, "in"),
            "the serde's .deserializer()",
        ),
        (
            lambda: Topology().addSource("s", TEXT.serializer(), TEXT.serializer(), "in"),
            "a method deserialize()",
        ),
        (lambda: source().addSink("k", "out", TEXT, TEXT, "source"), "the serde's .serializer()"),
        (
            lambda: source().addSink("k", "out", TEXT.deserializer(), TEXT, "source"),
            "a method serialize()",
        ),
    ],
)
def test_a_serde_or_its_other_half_is_refused_with_what_to_write(
    add: Callable[[], Any], hint: str
) -> None:
    with pytest.raises(ClassCastException) as caught:
        add()
    assert hint in caught.value.hint


def test_the_right_halves_and_none_are_taken() -> None:
    read, write = TEXT.deserializer(), TEXT.serializer()
    topology = Topology().addSource("s", read, None, "in")
    topology.addSink("k", "out", write, None, lambda topic, key, value, count: 0, "s")
    assert len(topology.plan().subtopologies) == 1


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        ("StreamsBuilder().stream('in').flat_map_values(1)", "flatMapValues"),
        ("Serdes.string()", "String"),
        ("Materialized.with_value_serde", "withValueSerde"),
        ("TimeWindows.of_size_with_no_grace", "ofSizeWithNoGrace"),
    ],
)
def test_a_name_in_snake_case_is_answered_with_kafkas_own(code: str, meant: str) -> None:
    program = f"from millstream import *\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert f"Did you mean: '{meant}'?" in done.stderr


class OfOldKafka(Processor[Any, Any, Any, Any]):
    def process(self, key: Any, value: Any) -> None:  # type: ignore[override]
        raise AssertionError


@pytest.mark.parametrize(
    ("add", "problem", "hint"),
    [
        (
            lambda stream: stream.process(OfOldKafka),
            "the method process() of a processor cannot be called with (record)",
            "record",
        ),
        (
            lambda stream: stream.process(lambda record: None),
            "the supplier of process() cannot be called with ()",
            "no argument",
        ),
        (
            lambda stream: stream.to(lambda key, value: "out"),
            "topicExtractor cannot be called with (key, value, recordContext)",
            "3 arguments",
        ),
        (
            lambda stream: stream.to("out", Produced.streamPartitioner(TWO)),
            "partitioner cannot be called with (topic, key, value, numPartitions)",
            "4 arguments",
        ),
        (
            lambda stream: stream.repartition(Repartitioned.streamPartitioner(TWO)),
            "partitioner cannot be called with (topic, key, value, numPartitions)",
            "4 arguments",
        ),
        (
            lambda _: Consumed.with_(ONE),
            "timestampExtractor cannot be called with (record, partitionTime)",
            "2 arguments",
        ),
    ],
)
def test_user_code_of_another_shape_is_refused_where_it_is_given(
    add: Callable[[Any], Any], problem: str, hint: str
) -> None:
    with pytest.raises(ClassCastException) as caught:
        add(StreamsBuilder().stream("in"))
    assert problem in caught.value.problem
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("name", "now"),
    [
        ("transform", "process"),
        ("transformValues", "processValues"),
        ("flatTransform", "process"),
        ("flatTransformValues", "processValues"),
        ("branch", "split"),
        ("through", "repartition"),
        ("forEach", "foreach"),
        ("map_values", "mapValues"),
    ],
)
def test_a_method_that_kafka_removed_or_spells_otherwise_is_answered_with_todays(
    name: str, now: str
) -> None:
    with pytest.raises(AttributeError, match=rf"Write {now}\(\)"):
        getattr(StreamsBuilder().stream("in"), name)


def test_a_type_that_is_called_as_a_builtin_is_named_with_its_module() -> None:
    numbers = pytest.importorskip("numpy")
    with pytest.raises(ClassCastException, match=r"a numpy\.bool"):
        Serdes.Boolean().serializer().serialize("t", numbers.bool_(True))


def run_one(body: Callable[[Any, Any], Any], stores: Any = ()) -> None:
    class Runs(ContextualProcessor[Any, Any, Any, Any]):
        def process(self, record: Any) -> None:
            body(self.context(), record)

    builder = StreamsBuilder()
    for store in stores:
        builder.addStateStore(store)
    names = [store.name() for store in stores]
    builder.stream("in", Consumed.with_(TEXT, TEXT)).process(Runs, *names).to(
        "out", Produced.with_(TEXT, TEXT)
    )
    with TopologyTestDriver(builder.build()) as driver:
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer()).pipeInput("k", "v")


@pytest.mark.parametrize(
    "forwarded", [("k", "v"), ("k",), (None,), (("k", "v"),), (KeyValue("k", "v"),)]
)
def test_what_is_forwarded_and_is_no_record_is_refused_with_what_to_write(
    forwarded: tuple[Any, ...],
) -> None:
    with pytest.raises(StreamsException, match="forward.. takes a Record") as caught:
        run_one(lambda context, record: context.forward(*forwarded))
    assert "forward(record.withValue(value))" in str(caught.value)
    assert "serdes" not in str(caught.value)
    assert "Task 0_0, in-0 at offset 0" in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "callback", "problem"),
    [
        ("WALL_CLOCK_TIME", lambda time: None, "type cannot be 'WALL_CLOCK_TIME'"),
        (PunctuationType.STREAM_TIME, 5, "callback cannot be an int"),
    ],
)
def test_a_schedule_of_something_else_is_refused_at_the_call(
    kind: Any, callback: Any, problem: str
) -> None:
    with pytest.raises(StreamsException, match=problem):
        run_one(lambda context, record: context.schedule(10, kind, callback))


@pytest.mark.parametrize("store", [Stores.inMemoryKeyValueStore("s"), "s", 5])
def test_only_a_builder_can_be_added_as_a_store(store: Any) -> None:
    for add in (StreamsBuilder().addStateStore, source().addStateStore):
        with pytest.raises(ClassCastException, match="storeBuilder cannot be") as caught:
            add(store)
        assert "keyValueStoreBuilder" in caught.value.hint


def first(one: Any, other: Any) -> Any:
    return one


def added(key: Any, value: Any, aggregate: Any) -> Any:
    return aggregate + value


@pytest.mark.parametrize(
    "combine",
    [
        lambda mine, other: mine.stream("a").merge(other.stream("b")),
        lambda mine, other: mine.stream("a").join(
            other.stream("b"), first, JoinWindows.ofTimeDifferenceWithNoGrace(1)
        ),
        lambda mine, other: mine.stream("a").leftJoin(other.table("b"), first),
        lambda mine, other: mine.table("a").outerJoin(other.table("b"), first),
        lambda mine, other: mine.table("a").join(other.table("b"), lambda value: value, first),
        lambda mine, other: (
            mine.stream("a")
            .groupByKey()
            .cogroup(added)
            .cogroup(other.stream("b").groupByKey(), added)
        ),
    ],
)
def test_streams_of_two_builders_cannot_be_combined(combine: Callable[[Any, Any], Any]) -> None:
    with pytest.raises(TopologyException, match="of another StreamsBuilder"):
        combine(StreamsBuilder(), StreamsBuilder())


@pytest.mark.parametrize(
    "given",
    [
        lambda builder: builder.stream("b"),
        lambda builder: builder.table("b").groupBy(lambda key, value: (value, key)),
        lambda builder: builder.stream("b").groupByKey().cogroup(added),
    ],
)
def test_only_a_grouped_stream_can_be_cogrouped(given: Callable[[Any], Any]) -> None:
    builder = StreamsBuilder()
    first_one = builder.stream("a").groupByKey().cogroup(added)
    with pytest.raises(ClassCastException, match="groupedStream cannot be") as caught:
        first_one.cogroup(given(builder), added)
    assert "groupByKey()" in caught.value.hint


def test_a_supplier_of_nothing_is_told_so() -> None:
    with pytest.raises(IllegalArgumentException) as caught:
        StreamsBuilder().stream("in").process(lambda: None)  # type: ignore[arg-type, return-value]
    assert "returns None" in caught.value.detail


class Transformer:
    def transform(self, key: Any, value: Any) -> Any:
        return value


class OfOneValue:
    def transform(self, value: Any) -> Any:
        return value


@pytest.mark.parametrize("given", [Transformer(), 5])
def test_a_transformer_in_place_of_its_supplier_is_refused(given: Any) -> None:
    with pytest.raises(IllegalArgumentException, match="supplier of transformValues") as caught:
        StreamsBuilder().table("in").transformValues(given)
    assert "a transformer class" in caught.value.hint


def test_a_supplier_of_transformers_takes_no_argument() -> None:
    with pytest.raises(ClassCastException, match="supplier of transformValues"):
        StreamsBuilder().table("in").transformValues(lambda name: Transformer())


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (lambda: None, "cannot be a value transformer"),
        (OfOldKafka, "an OfOldKafka cannot be a value transformer"),
        (OfOneValue, "cannot be called with (key, value)"),
    ],
)
def test_what_cannot_transform_ends_the_start_and_not_a_record(made: Any, problem: str) -> None:
    builder = StreamsBuilder()
    builder.table("in", Consumed.with_(TEXT, TEXT)).transformValues(made)
    with pytest.raises(StreamsException, match="cannot initialise processor") as caught:
        TopologyTestDriver(builder.build())
    assert problem in str(caught.value)


@pytest.mark.parametrize("option", [Named.as_("n"), Materialized.as_("m")])
def test_an_option_of_transformvalues_is_given_once(option: Any) -> None:
    with pytest.raises(ClassCastException, match="twice"):
        StreamsBuilder().table("in").transformValues(Transformer, option, option)
