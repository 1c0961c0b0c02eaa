"""Joins as far as no recorded scenario can express them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pyspark import cloudpickle

from compat_tests.topology.running import Event, new_task, raw_chunk
from millstream import (
    ClassCastException,
    Consumed,
    IllegalArgumentException,
    Joined,
    JoinWindows,
    KStream,
    Materialized,
    NullPointerException,
    Serdes,
    Stores,
    StreamJoined,
    StreamsBuilder,
    StreamsException,
    TimeWindows,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
READ = Consumed.with_(TEXT, TEXT)
TYPED = StreamJoined.with_(TEXT, TEXT, TEXT)
NEAR = JoinWindows.ofTimeDifferenceWithNoGrace(10)
CONFIG = {"default.key.serde": TEXT, "default.value.serde": TEXT}

Streams = KStream[str, str]


def pair(left: str | None, right: str | None) -> str:
    return f"{left}+{right}"


def results(
    join: Callable[[Streams, Streams], Streams], *piped: tuple[str, str, str, int]
) -> list[Any]:
    """Join topic ``l`` with topic ``r`` and return key, value and time of what comes out."""
    builder = StreamsBuilder()
    join(builder.stream("l", READ), builder.stream("r", READ)).to("out")
    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        inputs = {
            topic: driver.createInputTopic(topic, TEXT.serializer(), TEXT.serializer())
            for topic in "lr"
        }
        output = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        for topic, key, value, time in piped:
            inputs[topic].pipeInput(key, value, time)
        records = output.readRecordsToList()
    return [(record.key(), record.value(), record.timestamp()) for record in records]


@pytest.mark.filterwarnings("ignore:JoinWindows.of")
def test_windows_made_as_before_kafka_3_give_results_without_partner_at_once() -> None:
    found = results(
        lambda left, right: left.outerJoin(right, pair, JoinWindows.of(10), TYPED),
        ("l", "a", "1", 0),
        ("r", "a", "2", 5),
        ("r", "b", "3", 6),
    )
    assert found == [("a", "1+None", 0), ("a", "1+2", 5), ("b", "None+3", 6)]


@pytest.mark.filterwarnings("ignore:JoinWindows.of", "ignore:grace")
@pytest.mark.parametrize("make", [Stores.inMemoryWindowStore, Stores.persistentWindowStore])
def test_a_join_may_use_stores_of_the_users_own(make: Any) -> None:
    stores = StreamJoined.with_(make("mine", 10, 10, True), make("other", 10, 10, True))
    joined = stores.withKeySerde(TEXT).withValueSerde(TEXT).withOtherValueSerde(TEXT)
    builder = StreamsBuilder()
    left, right = builder.stream("l", READ), builder.stream("r", READ)
    left.leftJoin(right, pair, JoinWindows.of(5).grace(0), joined).to("out")
    assert "(stores: [mine])" in str(builder.build().describe())
    found = results(
        lambda left, right: left.leftJoin(
            right, pair, JoinWindows.ofTimeDifferenceWithNoGrace(5), joined
        ),
        ("l", "a", "1", 0),
        ("r", "a", "2", 5),
        ("l", "b", "3", 6),
        ("l", "c", "4", 50),
    )
    assert found == [("a", "1+2", 5), ("b", "3+None", 6)]


@pytest.mark.parametrize(
    ("supplier", "problem"),
    [
        (Stores.inMemoryWindowStore("s", 20, 20, False), "must set retainDuplicates=true"),
        (Stores.inMemoryWindowStore("s", 30, 20, True), "Window settings mismatch"),
        (Stores.inMemoryWindowStore("s", 20, 10, True), "Window settings mismatch"),
    ],
)
def test_a_store_that_cannot_serve_a_join_is_refused(supplier: Any, problem: str) -> None:
    with pytest.raises(StreamsException, match=problem):
        results(
            lambda left, right: left.join(
                right, pair, NEAR, StreamJoined().withThisStoreSupplier(supplier)
            )
        )


def test_two_stores_with_one_name_are_refused() -> None:
    supplier = Stores.inMemoryWindowStore("same", 20, 20, True)
    with pytest.raises(StreamsException, match="Both StoreSuppliers have the same name"):
        results(
            lambda left, right: left.join(right, pair, NEAR, StreamJoined.with_(supplier, supplier))
        )


def test_arguments_have_kafkas_names() -> None:
    builder = StreamsBuilder()
    left, right = builder.stream("l", READ), builder.stream("r", READ)
    table, everywhere = builder.table("t", READ), builder.globalTable("g", READ)
    left.join(otherStream=right, joiner=pair, windows=NEAR, streamJoined=TYPED)
    left.leftJoin(table=table, joiner=pair, joined=Joined.with_(TEXT, TEXT, TEXT))
    left.join(globalTable=everywhere, keySelector=lambda key, value: value, joiner=pair)
    assert str(builder.build().describe()).count("JOIN") > 3


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((None, pair, NEAR), NullPointerException),
        (("other", None, NEAR), NullPointerException),
        (("other", pair, None), NullPointerException),
        (("other", pair, NEAR, None), NullPointerException),
        (("other", pair), IllegalArgumentException),
        (("other", pair, NEAR, TYPED, TYPED), IllegalArgumentException),
        (("other", pair, 5), ClassCastException),
        ((5, pair, NEAR), ClassCastException),
        (("table", None), NullPointerException),
        (("table", pair, None), NullPointerException),
        (("table", pair, NEAR), ClassCastException),
        (("everywhere", None, pair), NullPointerException),
        (("everywhere", pair, None), NullPointerException),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[Any, ...], error: type[Exception]) -> None:
    builder = StreamsBuilder()
    known = {
        "other": builder.stream("r", READ),
        "table": builder.table("t", READ),
        "everywhere": builder.globalTable("g", READ),
    }
    first, *rest = arguments
    stream: Any = builder.stream("l", READ)
    with pytest.raises(error):
        stream.join(known.get(first, first), *rest)


def test_a_joiner_may_be_an_object_and_may_want_the_key() -> None:
    class Keyed:
        def apply(self, key: str, left: str | None, right: str | None) -> str:
            return f"{key}:{left}+{right}"

    found = results(
        lambda left, right: left.outerJoin(right, Keyed(), NEAR, TYPED),
        ("l", "a", "1", 0),
        ("r", "a", "2", 5),
        ("r", "b", "3", 6),
        ("l", "c", "4", 60),
    )
    assert found == [("a", "a:1+2", 5), ("b", "b:None+3", 6)]


def test_a_global_table_must_be_named_if_it_is_materialized() -> None:
    with pytest.raises(IllegalArgumentException, match="without a name"):
        StreamsBuilder().globalTable("g", READ, Materialized.with_(TEXT, TEXT))
    named = StreamsBuilder().globalTable("g", READ, Materialized.as_("shown"))
    assert named.queryableStoreName() == "shown"
    made_up = StreamsBuilder().globalTable("g", READ).queryableStoreName()
    assert made_up == "g-STATE-STORE-0000000000"


def test_waiting_records_are_found_again_after_a_restart() -> None:
    builder = StreamsBuilder()
    stream = builder.stream("in", READ)
    odd = stream.filter(lambda key, value: value == "right")
    even = stream.filterNot(lambda key, value: value == "right")
    even.leftJoin(odd, pair, NEAR, TYPED).to("out")
    plan = cloudpickle.loads(cloudpickle.dumps(builder.build().plan()))  # type: ignore[no-untyped-call]
    task, host = new_task(plan, CONFIG)
    task.add(raw_chunk([Event("a", "1", 0), Event("b", "2", 3)], 0))
    task.run()
    task.commit()
    assert host.sent == []
    saved = task.snapshot()
    task, host = new_task(plan, CONFIG, kept=host._copies)
    task.restore(saved)
    task.add(raw_chunk([Event("c", "3", 12)], 2))
    task.run()
    task.commit()
    assert [(sent.key, sent.value, sent.timestamp) for sent in host.sent] == [(b"a", b"1+None", 0)]
    task.close()


@pytest.mark.parametrize("kind", ["table", "globalTable"])
def test_an_outer_join_of_a_stream_with_a_table_is_told_what_there_is(kind: str) -> None:
    builder: Any = StreamsBuilder()
    table = getattr(builder, kind)("b")
    with pytest.raises(ClassCastException, match="cannot join a stream with") as caught:
        builder.stream("a").outerJoin(table, pair, NEAR)
    assert "with a table there is leftJoin()" in caught.value.hint


def test_the_left_table_of_a_foreign_key_join_may_have_windows() -> None:
    """Kafka Streams 4.3.1 ends such a program: it writes the window as a plain key."""
    builder = StreamsBuilder()
    windows = builder.stream("l", READ).groupByKey().windowedBy(TimeWindows.ofSizeWithNoGrace(10))
    rows = windows.reduce(lambda before, value: before + value)
    rows.leftJoin(builder.table("r", READ), lambda value: value[0], pair).toStream().selectKey(
        lambda windowed, _: f"{windowed.key()}@{windowed.window().start()}"
    ).to("out")

    with TopologyTestDriver(builder.build(), CONFIG) as driver:
        left, right = (
            driver.createInputTopic(topic, TEXT.serializer(), TEXT.serializer()) for topic in "lr"
        )
        left.pipeInput("a", "x", 3)
        right.pipeInput("x", "row", 4)
        left.pipeInput("a", "y", 12)
        output = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        found = output.readKeyValuesToList()

    assert [(each.key, each.value) for each in found] == [
        ("a@0", "x+None"),
        ("a@0", "x+row"),
        ("a@10", "y+None"),
    ]
