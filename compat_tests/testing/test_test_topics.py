"""Test topics and records in every form that Java's overloads have, and in wrong ones."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from millstream import (
    ClassCastException,
    ConsumerRecord,
    Deserializer,
    Headers,
    IllegalArgumentException,
    IllegalStateException,
    Instant,
    JsonSerde,
    KeyValue,
    NoSuchElementException,
    NullPointerException,
    ProducerRecord,
    Serdes,
    Serializer,
    Topology,
    TopologyException,
)
from millstream.testing import TestRecord, TopologyTestDriver

TEXT, BYTES = Serdes.String(), Serdes.ByteArray()
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
NOON_MS = 1_767_268_800_000


class Moment(Serializer[Any], Deserializer[Any]):
    """Writes points in time and nothing else."""

    def serialize(self, topic: str, data: Any, /) -> bytes | None:
        return None if data is None else data.isoformat().encode()

    def deserialize(self, topic: str, data: bytes | None, /) -> Any:
        return None if data is None else datetime.fromisoformat(data.decode())


class Anything(Serializer[Any]):
    """Writes whatever it is given, as a lenient JSON serializer does."""

    def serialize(self, topic: str, data: Any, /) -> bytes | None:
        return json.dumps(data, default=str).encode()


@pytest.fixture
def driver() -> Any:
    topology = Topology().addSource("source", BYTES.deserializer(), BYTES.deserializer(), "in")
    topology.addSink("sink", "out", BYTES.serializer(), BYTES.serializer(), "source")
    with TopologyTestDriver(topology, {}, NOON_MS) as opened:
        yield opened


def ends(driver: Any, key: Any = TEXT, value: Any = TEXT) -> tuple[Any, Any]:
    source = driver.createInputTopic("in", key.serializer(), value.serializer())
    return source, driver.createOutputTopic("out", key.deserializer(), value.deserializer())


@pytest.mark.parametrize(
    ("arguments", "keywords", "expected"),
    [
        (("v",), {}, TestRecord(None, "v", NOON_MS)),
        ((None,), {}, TestRecord(None, None, NOON_MS)),
        (("k", "v"), {}, TestRecord("k", "v", NOON_MS)),
        (("v", NOON), {}, TestRecord(None, "v", NOON)),
        ((None, NOON), {}, TestRecord(None, None, NOON)),
        (("k", "v", 5), {}, TestRecord("k", "v", 5)),
        (("k", "v", NOON), {}, TestRecord("k", "v", NOON)),
        (("k", "v", None), {}, TestRecord("k", "v", NOON_MS)),
        (("k", "v"), {"timestampMs": 5}, TestRecord("k", "v", 5)),
        (("v",), {"key": "k"}, TestRecord("k", "v", NOON_MS)),
        ((), {"value": "v", "recordTime": NOON}, TestRecord(None, "v", NOON)),
        ((TestRecord("k", "v", 7),), {}, TestRecord("k", "v", 7)),
    ],
)
def test_each_overload_of_pipe_input(
    driver: Any, arguments: Any, keywords: Any, expected: Any
) -> None:
    source, target = ends(driver)
    source.pipeInput(*arguments, **keywords)
    assert target.readRecord() == expected


def test_a_datetime_is_the_value_where_only_the_value_serializer_takes_it(driver: Any) -> None:
    moments = Serdes.serdeFrom(Moment(), Moment())
    source, target = ends(driver, TEXT, moments)
    source.pipeInput("k", NOON)
    assert target.readRecord() == TestRecord("k", NOON, NOON_MS)


def test_a_datetime_that_may_be_value_or_time_is_refused(driver: Any) -> None:
    source = driver.createInputTopic("in", TEXT.serializer(), Anything())
    with pytest.raises(IllegalArgumentException, match="ambiguous") as caught:
        source.pipeInput("k", NOON)
    assert "pipeInput(key=..., value=...)" in caught.value.hint
    target = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
    source.pipeInput(key="k", value=NOON)
    source.pipeInput(value="v", recordTime=NOON - timedelta(seconds=1))
    assert [each.timestamp() for each in target.readRecordsToList()] == [NOON_MS, NOON_MS - 1000]


def test_a_datetime_without_zone_is_no_time(driver: Any) -> None:
    source, _ = ends(driver)
    with pytest.raises(IllegalArgumentException, match="no time zone"):
        source.pipeInput("v", NOON.replace(tzinfo=None))


@pytest.mark.parametrize(
    ("arguments", "keywords", "error"),
    [
        ((), {}, IllegalArgumentException),
        (("k", "v", -1), {}, IllegalArgumentException),
        (("k", "v", 1.5), {}, ClassCastException),
        (("k", "v", True), {}, ClassCastException),
        (("k", "v", Headers(), 5, 6), {}, IllegalArgumentException),
        (("k", "v", "h", 5), {}, ClassCastException),
        (("k", "v"), {"values": 5}, IllegalArgumentException),
        (("k", "v"), {"value": "w"}, ClassCastException),
        (("k", "v", 5), {"timestampMs": 5}, IllegalArgumentException),
    ],
)
def test_what_is_no_record_is_refused(
    driver: Any, arguments: Any, keywords: Any, error: Any
) -> None:
    source, target = ends(driver)
    with pytest.raises(error):
        source.pipeInput(*arguments, **keywords)
    assert target.isEmpty()


def test_lists_with_and_without_times(driver: Any) -> None:
    source, target = ends(driver)
    second = timedelta(seconds=1)
    source.pipeValueList(["a", "b"], NOON, second)
    source.pipeKeyValueList([KeyValue("k", "c"), ("l", None)], NOON, -second)
    source.pipeRecordList([TestRecord("m", "d", 5), TestRecord("e")])
    source.pipeValueList(iter(["f"]))
    assert target.readRecordsToList() == [
        TestRecord(None, "a", NOON),
        TestRecord(None, "b", NOON + second),
        TestRecord("k", "c", NOON),
        TestRecord("l", None, NOON - second),
        TestRecord("m", "d", 5),
        TestRecord(None, "e", NOON_MS),
        TestRecord(None, "f", NOON_MS),
    ]


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("pipeValueList", ("word",), ClassCastException),
        ("pipeValueList", (None,), NullPointerException),
        ("pipeValueList", (5,), ClassCastException),
        ("pipeValueList", (["a"], None, 5), NullPointerException),
        ("pipeValueList", (["a"], 5, None), NullPointerException),
        ("pipeKeyValueList", ({"k": "v"},), ClassCastException),
        ("pipeKeyValueList", (["kv"],), ClassCastException),
        ("pipeRecordList", (["v"],), ClassCastException),
        ("pipeRecordList", (TestRecord("v"),), ClassCastException),
    ],
)
def test_what_is_no_list_of_records_is_refused(
    driver: Any, method: str, arguments: Any, error: Any
) -> None:
    source, target = ends(driver)
    with pytest.raises(error):
        getattr(source, method)(*arguments)
    assert target.isEmpty()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((None, TEXT.serializer(), TEXT.serializer()), "topicName cannot be null"),
        (("in", None, TEXT.serializer()), "keySerializer cannot be null"),
        (("in", TEXT.serializer(), None), "valueSerializer cannot be null"),
        (("in", TEXT.serializer(), TEXT.serializer(), None, 0), "startTimestamp cannot be null"),
        (("in", TEXT.serializer(), TEXT.serializer(), 0, None), "autoAdvance cannot be null"),
    ],
)
def test_an_input_topic_needs_everything(driver: Any, arguments: Any, problem: str) -> None:
    with pytest.raises(NullPointerException) as caught:
        driver.createInputTopic(*arguments)
    assert caught.value.problem == problem


def test_an_output_topic_needs_everything(driver: Any) -> None:
    reader = TEXT.deserializer()
    for arguments, name in (
        ((None, reader, reader), "topicName"),
        (("out", None, reader), "keyDeserializer"),
        (("out", reader, None), "valueDeserializer"),
    ):
        with pytest.raises(NullPointerException, match=f"{name} cannot be null"):
            driver.createOutputTopic(*arguments)


def test_a_serde_or_a_class_is_no_serializer(driver: Any) -> None:
    with pytest.raises(ClassCastException) as caught:
        driver.createInputTopic("in", TEXT, TEXT.serializer())
    assert caught.value.hint == "Give the serde's .serializer()."
    with pytest.raises(ClassCastException) as caught:
        driver.createInputTopic("in", TEXT.serializer(), Moment)
    assert caught.value.hint == "Write Moment(), with parentheses."
    with pytest.raises(ClassCastException) as caught:
        driver.createOutputTopic("out", TEXT.serializer(), TEXT.deserializer())
    hint = "Give an object with a method deserialize(), or a function of topic and data."
    assert caught.value.hint == hint


def test_time_does_not_go_back(driver: Any) -> None:
    source, _ = ends(driver)
    with pytest.raises(IllegalArgumentException, match="advance must be positive"):
        source.advanceTime(timedelta(days=-1))
    with pytest.raises(IllegalArgumentException, match="autoAdvance must be positive"):
        driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer(), NOON, -1)
    with pytest.raises(IllegalArgumentException, match="Sleep ms cannot be negative"):
        driver.advanceWallClockTime(-1)
    for advance in (source.advanceTime, driver.advanceWallClockTime):
        with pytest.raises(NullPointerException, match="advance cannot be null"):
            advance(None)


def test_topics_that_are_not_there(driver: Any) -> None:
    source, target = ends(driver)
    other = driver.createInputTopic("other", TEXT.serializer(), TEXT.serializer())
    with pytest.raises(IllegalArgumentException, match="Unknown topic: other"):
        other.pipeInput("v")
    with pytest.raises(NoSuchElementException, match="Uninitialized topic: out"):
        target.readRecord()
    source.pipeInput("v")
    assert target.readValue() == "v"
    with pytest.raises(NoSuchElementException, match="Empty topic: out"):
        target.readKeyValue()


def test_a_pattern_written_as_a_topics_name_is_refused() -> None:
    topology = Topology().addSource("source", TEXT.deserializer(), TEXT.deserializer(), "in-\\d")
    with TopologyTestDriver(topology, {}) as driver:
        source = driver.createInputTopic("in-1", TEXT.serializer(), TEXT.serializer())
        with pytest.raises(TopologyException, match="cannot contain regex pattern"):
            source.pipeInput("v")


def test_a_map_of_what_was_read_leaves_what_it_did_not_come_to(driver: Any) -> None:
    source, target = ends(driver)
    source.pipeKeyValueList([("a", "1"), ("a", "2"), (None, "3"), ("b", "4")])
    with pytest.raises(IllegalStateException, match="Null keys not allowed"):
        target.readKeyValuesToMap()
    assert target.readKeyValuesToMap() == {"b": "4"}
    source.pipeKeyValueList([("a", "1"), ("a", "2")])
    assert target.readKeyValuesToMap() == {"a": "2"}


def test_keys_that_only_python_takes_for_one_make_no_map(driver: Any) -> None:
    # A dictionary kept one row of the two.
    source, target = ends(driver, JsonSerde())
    source.pipeKeyValueList([(1, "int"), (True, "bool")])
    with pytest.raises(IllegalStateException, match="True and a key of another type") as e:
        target.readKeyValuesToMap()
    assert "readKeyValuesToList" in e.value.hint


def test_a_serializers_headers_are_the_records_and_not_the_callers(driver: Any) -> None:
    class Adds(Serializer[str]):
        def serialize(self, topic: str, headers: Any, data: Any = None, /) -> bytes | None:
            headers.add("by", b"serializer")
            return None if data is None else data.encode()

    headers = Headers().add("own", b"1")
    record: TestRecord[str, str] = TestRecord("k", "v", headers)
    source = driver.createInputTopic("in", TEXT.serializer(), Adds())
    source.pipeInput(record)
    target = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
    added = Headers().add("own", b"1").add("by", b"serializer")
    assert target.readRecord().headers() == record.headers() == added
    assert headers == Headers().add("own", b"1")


def test_texts_are_kafkas(driver: Any) -> None:
    source, target = ends(driver, TEXT, Serdes.Long())
    assert str(source) == (
        "TestInputTopic[topic='in', keySerializer=StringSerializer, valueSerializer=LongSerializer]"
    )
    assert str(target) == (
        "TestOutputTopic[topic='out', keyDeserializer=StringDeserializer, "
        "valueDeserializer=LongDeserializer, size=0]"
    )
    headers = Headers().add("a", b"\x01\xfe").add("b", None)
    assert str(TestRecord("k", "v", headers, 5)) == (
        "TestRecord[key=k, value=v, headers=RecordHeaders(headers = [RecordHeader(key = a, "
        "value = [1, -2]), RecordHeader(key = b, value = null)], isReadOnly = false), "
        "recordTime=1970-01-01T00:00:00.005Z]"
    )
    assert str(TestRecord(None, True)) == (
        "TestRecord[key=null, value=true, headers=RecordHeaders(headers = [], "
        "isReadOnly = false), recordTime=null]"
    )
    assert str(TestRecord("k", 1, 1000)).endswith("recordTime=1970-01-01T00:00:01Z]")
    last = str(TestRecord("k", 1, 2**63 - 1))
    assert last.endswith("recordTime=+292278994-08-17T07:12:55.807Z]")
    first = str(ProducerRecord("t", "v").headers())
    assert first == "RecordHeaders(headers = [], isReadOnly = false)"


def test_records_of_clients_become_test_records() -> None:
    headers = Headers().add("h", b"1")
    read = ConsumerRecord("t", 0, 5, "k", "v", timestamp=7, headers=headers)
    assert TestRecord(read) == TestRecord("k", "v", headers, 7)
    assert TestRecord(ProducerRecord("t", 0, 7, "k", "v", headers)) == TestRecord(read)
    with pytest.raises(NullPointerException, match="no timestamp"):
        TestRecord(ProducerRecord("t", "k", "v"))


def test_records_are_equal_and_hashed_by_what_they_hold() -> None:
    class Other(TestRecord[Any, Any]):
        pass

    record = TestRecord("k", "v", NOON)
    assert record == TestRecord("k", "v", NOON_MS)
    assert hash(record) == hash(TestRecord("k", "v", NOON_MS))
    assert record != TestRecord("k", "v", 0)
    assert record != TestRecord("k", "v", Headers().add("h", None), NOON)
    assert record != Other("k", "v", NOON)
    assert record.getRecordTime() == NOON


@pytest.mark.parametrize("name", [5, b"in", ["in"]])
def test_a_topic_is_asked_for_by_a_text(driver: Any, name: Any) -> None:
    text = TEXT.serializer(), TEXT.deserializer()
    with pytest.raises(ClassCastException, match="topicName cannot be"):
        driver.createInputTopic(name, text[0], text[0])
    with pytest.raises(ClassCastException, match="topicName cannot be"):
        driver.createOutputTopic(name, text[1], text[1])


def test_a_topics_clock_ends_with_64_bits(driver: Any) -> None:
    serializer = TEXT.serializer()
    last = Instant.ofEpochMilli(2**63 - 1)
    source = driver.createInputTopic("in", serializer, serializer, last, timedelta(seconds=1))
    source.pipeInput("a")
    with pytest.raises(IllegalArgumentException, match="converted to milliseconds"):
        source.pipeInput("b")
