"""Serdes that do not return a serializer or a deserializer: named before the first record."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    ClassCastException,
    Consumed,
    Grouped,
    Joined,
    KeyValue,
    Materialized,
    MillstreamError,
    Produced,
    Repartitioned,
    Serdes,
    StateSerdes,
    Stores,
    StreamsBuilder,
    TableJoined,
    Topology,
)
from millstream.core.serdes.lists import ListDeserializer, ListSerializer
from millstream.core.serdes.windowed import (
    SessionWindowedDeserializer,
    SessionWindowedSerde,
    TimeWindowedSerde,
    TimeWindowedSerializer,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
DEFAULTS: dict[str, Any] = {"default.key.serde": TEXT, "default.value.serde": TEXT}


class Halves:
    """Returns what it was made with."""

    def __init__(self, writes: Any = None, reads: Any = None) -> None:
        self.writes = writes
        self.reads = reads

    def serializer(self) -> Any:
        return self.writes

    def deserializer(self) -> Any:
        return self.reads


WRONG: Any = 5
ANY_HALVES: Any = Halves(5, 5)
NOTHING: Any = Halves()
READS: Any = Halves(reads=TEXT.deserializer())
WRITES: Any = Halves(writes=TEXT.serializer())


class Keeps:
    def process(self, record: Any) -> None: ...


def read_keys(builder: StreamsBuilder) -> None:
    builder.stream("in", Consumed.with_(WRITES, TEXT)).to("out")


def read_values(builder: StreamsBuilder) -> None:
    builder.stream("in", Consumed.with_(TEXT, WRITES)).to("out")


def write_keys(builder: StreamsBuilder) -> None:
    builder.stream("in").to("out", Produced.with_(READS, TEXT))


def write_again(builder: StreamsBuilder) -> None:
    builder.stream("in", Consumed.with_(TEXT, READS)).to("out")


def repartition(builder: StreamsBuilder) -> None:
    stream = builder.stream("in").repartition(Repartitioned.as_("r").withValueSerde(WRITES))
    stream.to("out", Produced.with_(TEXT, TEXT))


def group(builder: StreamsBuilder) -> None:
    stream: Any = builder.stream("in").groupBy(lambda key, value: value, Grouped.as_("g"))
    stream.count(Materialized.as_("counts").withKeySerde(READS))


def store_values(builder: StreamsBuilder) -> None:
    builder.table("in", Materialized.as_("table").withValueSerde(WRITES))


def global_store(builder: StreamsBuilder) -> None:
    store: Any = Stores.inMemoryKeyValueStore("g")
    made = Stores.keyValueStoreBuilder(store, TEXT, TEXT)
    builder.addGlobalStore(made, "in", Consumed.with_(TEXT, WRITES), Keeps)


def foreign_key(builder: StreamsBuilder) -> None:
    left: Any = builder.table("in", Consumed.with_(TEXT, TEXT))
    right: Any = builder.table("right", Consumed.with_(TEXT, TEXT))
    left.join(
        right,
        lambda value: value,
        lambda a, b: a,
        TableJoined.as_("j"),
        Materialized.as_("joined").withValueSerde(READS),
    )


@pytest.mark.parametrize(
    ("define", "problem", "where"),
    [
        (read_keys, "deserializer() of Halves returned None", 'key serde of source "KSTREAM'),
        (read_values, "deserializer() of Halves", 'the value serde of source "KSTREAM'),
        (write_keys, "serializer() of Halves", 'the key serde of sink "KSTREAM'),
        (write_again, "serializer() of Halves", 'the value serde of sink "KSTREAM'),
        (repartition, "deserializer() of Halves", 'the value serde of internal topic "r-'),
        (group, "serializer() of Halves", 'the key serde of store "counts"'),
        (store_values, "deserializer() of Halves", "Consumed, or of Materialized"),
        (global_store, "deserializer() of Halves", 'the value serde of source "KSTREAM'),
        (foreign_key, "serializer() of Halves", 'the value serde of store "joined"'),
    ],
)
def test_a_serde_without_a_half_that_is_needed_is_named(
    define: Any, problem: str, where: str
) -> None:
    builder = StreamsBuilder()
    define(builder)
    with pytest.raises(MillstreamError) as caught:
        TopologyTestDriver(builder.build(), DEFAULTS)
    assert problem in str(caught.value)
    assert where in str(caught.value)
    assert "hint: Return an object with a method " in str(caught.value)


@pytest.mark.parametrize("half", [None, 5, "text", type(TEXT.serializer()), TEXT])
def test_a_default_serde_without_its_halves_is_named(half: Any) -> None:
    for name in ("default.key.serde", "default.value.serde"):
        topology = Topology().addSource("in", "in").addSink("out", "out", "in")
        with pytest.raises(
            ClassCastException, match="erializer\\(\\) of Halves returned"
        ) as caught:
            TopologyTestDriver(topology, DEFAULTS | {name: Halves(half, half)})
        assert f'The serde is {name}, for node "' in caught.value.detail


def test_a_store_names_the_default_that_it_took() -> None:
    builder = StreamsBuilder()
    builder.stream("in", Consumed.with_(TEXT, TEXT)).groupByKey().aggregate(
        str, lambda key, value, sofar: sofar, Materialized.as_("kept")
    )
    with pytest.raises(ClassCastException) as caught:
        TopologyTestDriver(builder.build(), DEFAULTS | {"default.value.serde": NOTHING})
    assert caught.value.detail == 'The serde is default.value.serde, for store "kept".'


def test_a_serde_of_one_half_is_enough_where_only_that_is_used() -> None:
    builder = StreamsBuilder()
    stream: Any = builder.stream("in", Consumed.with_(READS, READS))
    stream.to("out", Produced.with_(WRITES, WRITES))
    with TopologyTestDriver(builder.build()) as driver:
        text = TEXT.serializer()
        driver.createInputTopic("in", text, text).pipeInput("a", "b")
        out = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        assert out.readKeyValue() == KeyValue("a", "b")


def test_state_serdes_name_the_serde_that_has_no_halves() -> None:
    with pytest.raises(ClassCastException) as caught:
        StateSerdes("changelog", TEXT, NOTHING)
    assert caught.value.detail == 'The serde is the value serde of StateSerdes("changelog").'
    assert Joined.with_(NOTHING, NOTHING, NOTHING) is not None


@pytest.mark.parametrize(
    "make",
    [
        lambda: TimeWindowedSerializer(WRONG),
        lambda: SessionWindowedDeserializer(WRONG),
        lambda: ListSerializer(WRONG),
        lambda: ListDeserializer(list, WRONG),
        lambda: Serdes.ListSerde(list, ANY_HALVES),
        lambda: TimeWindowedSerde(ANY_HALVES),
    ],
)
def test_an_inner_half_that_is_none_is_refused(make: Any) -> None:
    with pytest.raises(ClassCastException, match="an int is no (de)?serializer"):
        make()


@pytest.mark.parametrize("kind", [TimeWindowedSerde, SessionWindowedSerde])
def test_the_inner_serde_of_windowed_keys_is_a_serde(kind: Any) -> None:
    with pytest.raises(ClassCastException, match="inner cannot be an int"):
        kind(WRONG)


def test_a_serde_of_lists_takes_a_class_and_a_serde() -> None:
    with pytest.raises(ClassCastException, match="listClass cannot be an int"):
        Serdes.ListSerde(WRONG, TEXT)
    with pytest.raises(ClassCastException, match="serde cannot be an int"):
        Serdes.ListSerde(list, WRONG)
