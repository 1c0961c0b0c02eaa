from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, cast

import pytest

from millstream import (
    ClassCastException,
    ConfigException,
    ContextualFixedKeyProcessor,
    ContextualProcessor,
    FixedKeyRecord,
    Headers,
    IllegalStateException,
    InternalFixedKeyRecordFactory,
    KeyQuery,
    KeyValue,
    NullPointerException,
    PositionBound,
    PunctuationType,
    QueryConfig,
    Record,
    Serdes,
    Stores,
    StreamsConfig,
    TaskId,
    To,
    UnsupportedOperationException,
    ValueAndTimestamp,
)
from millstream.testing import (
    CapturedForward,
    MockFixedKeyProcessorContext,
    MockProcessorContext,
)

AnyRecord = Record[Any, Any]


class Counting(ContextualProcessor[str, str, str, int]):
    def init(self, context: Any) -> None:
        super().init(context)
        self.counts = context.getStateStore("counts")
        self.tick = context.schedule(
            timedelta(seconds=1), PunctuationType.WALL_CLOCK_TIME, self.punctuate
        )

    def process(self, record: AnyRecord) -> None:
        count = (self.counts.get(record.key()) or 0) + 1
        self.counts.put(record.key(), count)
        if count == 3:
            self.context().commit()

    def punctuate(self, timestamp: int) -> None:
        for entry in self.counts.all():
            self.context().forward(Record(entry.key, entry.value, timestamp))


def test_a_processor_with_a_store_and_a_punctuator_is_tested_without_a_topology() -> None:
    context: MockProcessorContext[str, int] = MockProcessorContext()
    supplier = Stores.inMemoryKeyValueStore("counts")
    store = Stores.keyValueStoreBuilder(supplier, Serdes.String(), Serdes.Long()).build()
    store.init(context.getStateStoreContext(), store)
    context.addStateStore(store)
    processor = Counting()
    processor.init(context)

    for key in ("a", "b", "a"):
        processor.process(Record(key, "", 0))
    assert context.forwarded() == []
    assert not context.committed()

    (captured,) = context.scheduledPunctuators()
    assert captured.getInterval() == timedelta(seconds=1)
    assert captured.getType() is PunctuationType.WALL_CLOCK_TIME
    assert captured.getStartTime() is None
    captured.getPunctuator()(7)
    assert [forward.record() for forward in context.forwarded()] == [
        Record("a", 2, 7),
        Record("b", 1, 7),
    ]
    context.resetForwards()
    assert context.forwarded() == []

    processor.process(Record("a", "", 0))
    assert context.committed()
    context.resetCommit()
    assert not context.committed()
    processor.tick.cancel()
    assert captured.cancelled()


def test_forwards_to_a_child_are_those_to_it_and_those_to_all() -> None:
    context: MockProcessorContext[str, str] = MockProcessorContext()
    records = [Record(key, "v", 1) for key in "abc"]
    for record, child in zip(records, (None, "x", "y"), strict=True):
        context.forward(record, child)
    assert context.forwarded() == [
        CapturedForward(records[0]),
        CapturedForward(records[1], "x"),
        CapturedForward(records[2], "y"),
    ]
    assert [forward.record() for forward in context.forwarded("x")] == records[:2]
    assert [forward.childName() for forward in context.forwarded("y")] == [None, "y"]


def test_what_was_not_set_cannot_be_asked_for() -> None:
    context: MockProcessorContext[Any, Any] = MockProcessorContext()
    assert context.applicationId() == ""
    assert context.taskId() == TaskId(0, 0)
    assert context.recordMetadata() is None
    assert context.getStateStore("none") is None
    with pytest.raises(NullPointerException, match="stateDir constructor argument"):
        context.stateDir()
    with pytest.raises(IllegalStateException, match="setCurrentStreamTimeMs"):
        context.currentStreamTimeMs()
    with pytest.raises(IllegalStateException, match="setCurrentSystemTimeMs"):
        context.currentSystemTimeMs()
    with pytest.raises(ConfigException, match="key serde"):
        context.keySerde()


def test_what_was_set_is_returned(tmp_path: Path) -> None:
    config = {"default.key.serde": Serdes.Long(), "consumer.x": "1"}
    context: MockProcessorContext[Any, Any] = MockProcessorContext(config, TaskId(1, 2), tmp_path)
    assert context.applicationId() == "dummy-mock-app-id"
    assert context.taskId() == TaskId(1, 2)
    assert context.stateDir() == tmp_path
    assert context.keySerde().serializer().serialize("t", 1) == b"\0\0\0\0\0\0\0\1"
    assert context.appConfigs()["consumer.x"] == "1"
    assert context.appConfigsWithPrefix("consumer.") == {"x": "1"}
    context.setRecordMetadata("t", 3, 5)
    metadata = context.recordMetadata()
    assert metadata is not None
    assert (metadata.topic(), metadata.partition(), metadata.offset()) == ("t", 3, 5)
    context.setCurrentStreamTimeMs(8)
    context.setCurrentSystemTimeMs(9)
    assert (context.currentStreamTimeMs(), context.currentSystemTimeMs()) == (8, 9)
    named = MockProcessorContext[Any, Any](StreamsConfig({"application.id": "a", **SERVERS}))
    assert named.applicationId() == "a"


SERVERS = {"bootstrap.servers": "h:1"}


def test_a_schedule_with_a_start_time_tells_it() -> None:
    context: MockProcessorContext[Any, Any] = MockProcessorContext()
    start = datetime(2026, 1, 1, tzinfo=timezone.utc)
    context.schedule(start, 5, PunctuationType.STREAM_TIME, print)
    (captured,) = context.scheduledPunctuators()
    assert captured.getStartTime() == start
    assert captured.getInterval() == timedelta(milliseconds=5)


@pytest.mark.parametrize("caching", [True, False])
@pytest.mark.parametrize("logging", [True, False])
def test_stores_of_every_kind_open_with_the_mocks_store_context(
    tmp_path: Path, caching: bool, logging: bool
) -> None:
    context: MockProcessorContext[Any, Any] = MockProcessorContext({}, TaskId(0, 0), tmp_path)
    text, number = Serdes.String(), Serdes.Long()
    builders: list[Any] = [
        Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("kv"), text, number),
        Stores.timestampedKeyValueStoreBuilder(
            Stores.persistentTimestampedKeyValueStore("tkv"), text, number
        ),
        Stores.windowStoreBuilder(Stores.inMemoryWindowStore("w", 60_000, 10, False), text, number),
    ]
    for builder in builders:
        if caching:
            builder.withCachingEnabled()
        if not logging:
            builder.withLoggingDisabled()
        store = builder.build()
        store.init(context.getStateStoreContext(), store)
        context.addStateStore(store)
    context.getStateStore("kv").put("a", 1)
    context.getStateStore("tkv").put("a", ValueAndTimestamp.make(2, 5))
    context.getStateStore("w").put("a", 3, 20)
    assert context.getStateStore("kv").get("a") == 1
    assert context.getStateStore("tkv").get("a") == ValueAndTimestamp.make(2, 5)
    assert context.getStateStore("w").fetch("a", 20) == 3
    for builder in builders:
        context.getStateStore(builder.name()).close()


def test_a_persistent_store_needs_a_state_directory() -> None:
    context: MockProcessorContext[Any, Any] = MockProcessorContext()
    supplier = Stores.persistentKeyValueStore("s")
    store = Stores.keyValueStoreBuilder(supplier, Serdes.String(), Serdes.Long()).build()
    with pytest.raises(NullPointerException, match="stateDir constructor argument"):
        store.init(context.getStateStoreContext(), store)


class Shout(ContextualFixedKeyProcessor[str, str, str]):
    def process(self, record: FixedKeyRecord[str, str]) -> None:
        self.context().forward(record.withValue(record.value().upper()))


def test_a_fixed_key_processor_is_tested_with_records_of_the_factory() -> None:
    context: MockFixedKeyProcessorContext[str, str] = MockFixedKeyProcessorContext()
    processor = Shout()
    processor.init(context)
    headers = Headers().add("h", b"1")
    processor.process(InternalFixedKeyRecordFactory.create(Record("k", "v", 5, headers)))
    (forward,) = context.forwarded()
    assert forward.record() == InternalFixedKeyRecordFactory.create(Record("k", "V", 5, headers))


def test_a_captured_forward_tells_about_its_record() -> None:
    context: MockProcessorContext[Any, Any] = MockProcessorContext()
    context.forward(Record("k", "v", 5, Headers().add("h", b"1")))
    (forward,) = context.forwarded()
    assert forward.keyValue() == KeyValue("k", "v")
    assert forward.timestamp() == 5
    assert forward.headers() == Headers().add("h", b"1")


def test_a_key_and_a_value_may_be_forwarded_to_a_child_at_a_time() -> None:
    context: MockProcessorContext[Any, Any] = MockProcessorContext()
    context.forward("k", "early")
    context.setCurrentStreamTimeMs(7)
    context.forward("k", "all", To.all())
    context.forward("k", "one", To.child("sink").withTimestamp(9))
    assert [(f.keyValue().value, f.childName(), f.timestamp()) for f in context.forwarded()] == [
        ("early", None, -1),
        ("all", None, 7),
        ("one", "sink", 9),
    ]


def test_a_captured_punctuator_tells_its_interval_in_milliseconds() -> None:
    context: MockProcessorContext[Any, Any] = MockProcessorContext()
    context.schedule(timedelta(seconds=2), PunctuationType.STREAM_TIME, print)
    (punctuator,) = context.scheduledPunctuators()
    assert punctuator.getIntervalMs() == 2000


def test_a_mock_collects_no_records() -> None:
    context: MockProcessorContext[Any, Any] = MockProcessorContext()
    with pytest.raises(UnsupportedOperationException, match="does not provide record collection"):
        context.recordCollector()


def test_a_store_that_the_mock_opened_answers_queries() -> None:
    context: MockProcessorContext[Any, Any] = MockProcessorContext()
    supplier = Stores.inMemoryKeyValueStore("s")
    store = Stores.keyValueStoreBuilder(supplier, Serdes.String(), Serdes.Long()).build()
    store.init(context.getStateStoreContext(), store)
    store.put("a", 1)
    bound, config = PositionBound.unbounded(), QueryConfig(False)
    query: KeyQuery[str, int] = KeyQuery.withKey("a")
    assert store.query(query, bound, config).getResult() == 1
    with pytest.raises(NullPointerException):
        store.query(cast(Any, None), bound, config)


@pytest.mark.parametrize("supplier", ["inMemoryWindowStore", "persistentWindowStore"])
def test_a_window_before_1970_is_dropped_and_not_found(supplier: str, tmp_path: Path) -> None:
    context: MockProcessorContext[Any, Any] = MockProcessorContext({}, TaskId(0, 0), tmp_path)
    windows = getattr(Stores, supplier)("w", 1000, 10, False)
    store = Stores.windowStoreBuilder(windows, Serdes.String(), Serdes.Long()).build()
    store.init(context.getStateStoreContext(), store)
    store.put("a", 1, -1)
    assert store.fetch("a", -1) is None
    assert list(store.fetch("a", -5, 5)) == []
    assert list(store.all()) == []
    store.put("a", 2, 0)
    assert store.fetch("a", 0) == 2
    with pytest.raises(NullPointerException):
        store.put(cast(Any, None), 1, -1)


def test_a_captured_callable_is_run_by_punctuate_as_well() -> None:
    context: MockProcessorContext[str, int] = MockProcessorContext()
    seen: list[int] = []
    context.schedule(10, PunctuationType.WALL_CLOCK_TIME, seen.append)

    punctuator = context.scheduledPunctuators()[0].getPunctuator()
    punctuator.punctuate(5)
    punctuator(6)

    assert seen == [5, 6]
    assert punctuator == seen.append
    assert punctuator == context.scheduledPunctuators()[0].getPunctuator()


def test_a_store_is_initialised_with_the_store_context() -> None:
    context: Any = MockProcessorContext()
    supplier = Stores.inMemoryKeyValueStore("counts")
    store = Stores.keyValueStoreBuilder(supplier, Serdes.String(), Serdes.Long()).build()
    with pytest.raises(ClassCastException, match="with a MockProcessorContext") as caught:
        store.init(context, store)
    assert "getStateStoreContext()" in caught.value.hint


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: MockProcessorContext(cast(Any, 5)), "config cannot be an int"),
        (lambda: MockProcessorContext({}, cast(Any, "0_0")), "taskId cannot be a str"),
        (lambda: MockProcessorContext({}, None, cast(Any, 5)), "stateDir cannot be an int"),
        (lambda: MockProcessorContext().addStateStore(cast(Any, 5)), "stateStore cannot be"),
        (lambda: MockProcessorContext().getStateStore(cast(Any, [])), "name cannot be a list"),
        (
            lambda: MockProcessorContext().setCurrentStreamTimeMs(cast(Any, "x")),
            'parameter "currentStreamTimeMs"',
        ),
        (
            lambda: MockFixedKeyProcessorContext().setCurrentSystemTimeMs(cast(Any, "x")),
            'parameter "currentSystemTimeMs"',
        ),
    ],
)
def test_a_mock_names_arguments_of_another_type(make: Any, problem: str) -> None:
    with pytest.raises(ClassCastException, match=problem) as caught:
        make()
    assert caught.value.hint
