"""What a test of Kafka Streams, translated word for word, asks of public classes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from millstream import (
    ConfigException,
    Consumed,
    ConsumerRecord,
    ContextualProcessor,
    Headers,
    IllegalArgumentException,
    JoinWindows,
    Materialized,
    MultiVersionedKeyQuery,
    NullPointerException,
    Serdes,
    Stores,
    StreamJoined,
    StreamsBuilder,
    StreamsConfig,
    StreamsException,
    StringSerializer,
    Suppressed,
    TimestampType,
    TimeWindow,
    TimeWindowedDeserializer,
    TimeWindowedSerializer,
    Topology,
    TopologyConfig,
    TopologyException,
    TopologyTestDriver,
    VersionedKeyQuery,
    Window,
    Windowed,
)
from millstream.core.errors import MillstreamError
from millstream.core.serdes.base import serializer_call
from millstream.testing import MockProcessorContext, TestInputTopic

LINES = {"application.id": "app", "bootstrap.servers": "localhost:9092"}
EMPTY_RANGE = (
    "Returning empty iterator for fetch with invalid key range: from > to. This may be due to "
    "range arguments set in the wrong order, or serdes that don't preserve ordering when "
    "lexicographically comparing the serialized bytes. Note that the built-in numerical serdes "
    "do not follow this for negative numbers"
)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def test_the_message_of_an_error_is_its_first_line_and_its_text_says_more() -> None:
    error = MillstreamError("cannot open it", detail="It is open.", hint="Close it.")
    assert error.getMessage() == "cannot open it"
    assert "Close it." in str(error)
    assert TopologyException("no sources").getMessage() == "Invalid topology: no sources"


def _stream() -> Any:
    return StreamsBuilder().stream("in")


def _joined(first: Any, second: Any) -> Any:
    return first


NULL_OPTIONS: list[tuple[str, Callable[[], Any]]] = [
    ("named cannot be null", lambda: _stream().filter(lambda key, value: True, None)),
    ("grouped cannot be null", lambda: _stream().groupByKey(None)),
    ("joined cannot be null", lambda: _stream().join(StreamsBuilder().table("t"), _joined, None)),
    ("table cannot be null", lambda: _stream().join(None, _joined)),
    ("globalTable cannot be null", lambda: _stream().leftJoin(None, _joined, _joined)),
    (
        "otherStream cannot be null",
        lambda: _stream().join(None, _joined, JoinWindows.ofTimeDifferenceWithNoGrace(5)),
    ),
]


@pytest.mark.parametrize(("message", "call"), NULL_OPTIONS, ids=[each[0] for each in NULL_OPTIONS])
def test_an_argument_of_none_is_named_in_kafkas_words_and_no_others(
    message: str, call: Callable[[], Any]
) -> None:
    with pytest.raises(NullPointerException) as raised:
        call()
    assert str(raised.value) == raised.value.getMessage() == message


@pytest.mark.parametrize("query", [VersionedKeyQuery, MultiVersionedKeyQuery])
def test_a_query_for_versions_of_no_key_says_so(query: Any) -> None:
    with pytest.raises(NullPointerException) as raised:
        query.withKey(None)
    assert str(raised.value) == "key cannot be null."


def test_a_windowed_serde_without_an_inner_one_names_the_constructor_to_use() -> None:
    key = Windowed("a", TimeWindow(0, 5))
    with pytest.raises(NullPointerException) as raised:
        TimeWindowedSerializer().serialize("t", key)
    assert raised.value.getMessage() == (
        "Inner serializer is `null`. User code must use constructor "
        "`TimeWindowedSerializer(final Serializer<T> inner)` instead of the no-arg constructor."
    )
    with pytest.raises(NullPointerException, match="`TimeWindowedDeserializer.final Deserializer"):
        TimeWindowedDeserializer().deserialize("t", bytes(16))


def test_a_list_in_a_refused_setting_is_written_as_kafka_writes_it() -> None:
    tags = [f"k{number}" for number in range(6)]
    with pytest.raises(ConfigException) as raised:
        StreamsConfig({**LINES, "rack.aware.assignment.tags": ",".join(tags)})
    assert raised.value.getMessage() == (
        "Invalid value [k0, k1, k2, k3, k4, k5] for configuration rack.aware.assignment.tags: "
        "exceeds maximum list size of [5]."
    )


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("all,none", '"all,none" is not a valid optimization config. Acceptable values are: '),
        ("none,merge.repartition.topics", "is not a valid optimization config. "),
        ("merge.repartition.topics,x", "Unrecognized config. Acceptable values are: "),
    ],
)
def test_a_wrong_optimisation_is_refused_in_kafkas_words(setting: str, message: str) -> None:
    with pytest.raises(ConfigException) as raised:
        StreamsConfig({**LINES, "topology.optimization": setting})
    assert message in raised.value.getMessage()


def test_generated_names_that_are_forbidden_are_listed_in_kafkas_words() -> None:
    builder = StreamsBuilder(
        TopologyConfig(StreamsConfig({**LINES, "ensure.explicit.internal.resource.naming": True}))
    )
    stream: Any = builder.stream("in")
    stream.groupBy(_joined).count()
    with pytest.raises(TopologyException) as raised:
        builder.build()
    store = "KSTREAM-AGGREGATE-STATE-STORE-0000000002"
    assert raised.value.getMessage().splitlines() == [
        f"Invalid topology: Following changelog topic(s) has not been named: {store}-changelog",
        f"Following state store(s) has not been named: {store}",
        f"Following repartition topic(s) has not been named: {store}-repartition",
    ]


class _Idle(ContextualProcessor[str, str, str, str]):
    def process(self, record: Any) -> None:
        pass


class _OwnWindow(Window):
    def overlap(self, other: Window) -> bool:
        return self.startMs < other.endMs and other.startMs < self.endMs


def test_a_window_of_a_users_own_sees_its_bounds_by_kafkas_names() -> None:
    assert _OwnWindow(0, 5).overlap(_OwnWindow(4, 9))
    assert not _OwnWindow(0, 5).overlap(_OwnWindow(5, 9))


def test_a_consumer_record_takes_all_that_kafkas_consumer_notes() -> None:
    read = ConsumerRecord("t", 1, 2, 3, TimestampType.LOG_APPEND_TIME, 4, 5, "k", "v", Headers(), 6)
    assert (read.topic(), read.partition(), read.offset()) == ("t", 1, 2)
    assert (read.timestamp(), read.timestampType()) == (3, TimestampType.LOG_APPEND_TIME)
    assert (read.serializedKeySize(), read.serializedValueSize()) == (4, 5)
    assert (read.key(), read.value(), read.headers(), read.leaderEpoch()) == (
        *("k", "v", Headers()),
        6,
    )
    short = ConsumerRecord("t", 1, 2, "k", "v", timestamp=9)
    assert (short.key(), short.value(), short.timestamp()) == ("k", "v", 9)
    assert (short.serializedKeySize(), short.leaderEpoch()) == (ConsumerRecord.NULL_SIZE, None)


def test_an_input_topic_is_also_made_by_its_constructor() -> None:
    builder = StreamsBuilder()
    builder.stream("in").to("out")
    text = StringSerializer()
    with pytest.raises(NullPointerException):
        TestInputTopic(None, "in", text, text, EPOCH, timedelta(0))  # type: ignore[arg-type]
    string = Serdes.String()
    config = {"default.key.serde": type(string), "default.value.serde": type(string)}
    with TopologyTestDriver(builder.build(), config) as driver:
        start = EPOCH + timedelta(milliseconds=7)
        topic = TestInputTopic(driver, "in", text, text, start, timedelta(milliseconds=2))
        topic.pipeInput("a")
        topic.pipeInput("b")
        out = driver.createOutputTopic("out", string.deserializer(), string.deserializer())
        assert [record.timestamp() for record in out.readRecordsToList()] == [7, 9]


def test_the_driver_also_lists_a_store_that_no_processor_uses() -> None:
    topology = Topology()
    topology.addSource("source", "in")
    topology.addSink("sink", "out", "source")
    topology.addStateStore(
        Stores.keyValueStoreBuilder(
            Stores.inMemoryKeyValueStore("unused"), Serdes.String(), Serdes.String()
        )
    )
    text = {"default.key.serde": Serdes.StringSerde, "default.value.serde": Serdes.StringSerde}
    with TopologyTestDriver(topology, text) as driver:
        assert driver.getAllStateStores() == {"unused": None}


@pytest.mark.parametrize(
    ("store", "kind", "getter"),
    [
        (Stores.keyValueStoreBuilder, "a key-value store", "getKeyValueStore"),
        (
            Stores.timestampedKeyValueStoreBuilder,
            "a timestamped key-value store",
            "getTimestampedKeyValueStore",
        ),
    ],
)
def test_the_drivers_untyped_getter_names_the_one_to_use(
    store: Any, kind: str, getter: str
) -> None:
    builder = StreamsBuilder()
    built = store(Stores.inMemoryKeyValueStore("kept"), Serdes.String(), Serdes.String())
    builder.addStateStore(built)
    stream: Any = builder.stream("in", Consumed.with_(Serdes.String(), Serdes.String()))
    stream.process(_Idle, "kept")
    with TopologyTestDriver(builder.build()) as driver:
        with pytest.raises(IllegalArgumentException) as raised:
            driver.getStateStore("kept")
        assert raised.value.getMessage() == (
            f"Store kept is {kind} and should be accessed via `{getter}()`"
        )


def test_suppress_refuses_a_table_in_a_versioned_store_at_the_call() -> None:
    store = Stores.persistentVersionedKeyValueStore("store", timedelta(0))
    limit = Suppressed.untilTimeLimit(timedelta(0), Suppressed.BufferConfig.unbounded())
    table = StreamsBuilder().table("in", Materialized.as_(store))
    with pytest.raises(TopologyException, match="only supported for non-versioned KTables"):
        table.suppress(limit)
    builder = StreamsBuilder()
    store = Stores.persistentVersionedKeyValueStore("store", timedelta(0))
    filtered = builder.table("in", Materialized.as_(store)).filter(lambda key, value: True)
    filtered.suppress(limit)
    with pytest.raises(TopologyException, match="only supported for non-versioned KTables"):
        builder.build()


def test_stores_of_a_join_that_do_not_fit_are_refused_in_kafkas_words() -> None:
    def join(this: Any, other: Any) -> None:
        stores = StreamJoined.with_(this, other)
        builder = StreamsBuilder()
        windows = JoinWindows.ofTimeDifferenceWithNoGrace(100)
        builder.stream("a").join(builder.stream("b"), _joined, windows, stores)

    def store(name: str, retention: int = 200, duplicates: bool = True) -> Any:
        return Stores.inMemoryWindowStore(name, retention, 200, duplicates)

    refused = [
        (store("a"), store("a"), "Both StoreSuppliers have the same name.  StoreSuppliers must"),
        (store("a"), store("b", duplicates=False), "The StoreSupplier must set retainDuplicates="),
        (store("a", 500), store("b"), "Window settings mismatch. WindowBytesStoreSupplier "),
    ]
    for this, other, message in refused:
        with pytest.raises(StreamsException) as raised:
            join(this, other)
        assert raised.value.getMessage().startswith(message)


def test_a_range_that_ends_before_it_begins_is_logged_in_kafkas_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    builder = Stores.keyValueStoreBuilder(
        Stores.inMemoryKeyValueStore("numbers"), Serdes.Integer(), Serdes.String()
    )
    store = builder.withLoggingDisabled().build()
    context = MockProcessorContext().getStateStoreContext()
    store.init(context, store)
    with caplog.at_level(logging.INFO), store.range(5, 1) as found:
        assert not list(found)
    told = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert [record.getMessage() for record in told] == [EMPTY_RANGE]
    assert any('"numbers"' in message for message in caplog.messages)
    store.close()


def test_a_serde_is_also_made_of_two_functions() -> None:
    serde = Serdes.serdeFrom(
        lambda topic, data: bytearray(data, "ascii"), lambda topic, data: f"{data!r}{topic}"
    )
    written = serializer_call(serde.serializer())("t", None, "a")
    assert (written, type(written)) == (b"a", bytes)
    assert serde.deserializer().deserialize("t", b"a") == "b'a't"
