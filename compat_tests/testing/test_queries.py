"""Interactive queries on stores of the driver; expectations were read off Kafka Streams 4.3.1."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import pytest

from millstream import (
    FailureReason,
    IllegalArgumentException,
    IllegalStateException,
    KeyQuery,
    MultiVersionedKeyQuery,
    NullPointerException,
    Position,
    PositionBound,
    Processor,
    Query,
    QueryableStoreTypes,
    QueryConfig,
    QueryResult,
    RangeQuery,
    Record,
    ResultOrder,
    Serdes,
    SessionWindow,
    StateQueryRequest,
    StateQueryResult,
    StoreQueryParameters,
    Stores,
    StreamsException,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
    Topology,
    UnsupportedOperationException,
    ValueAndTimestamp,
    VersionedKeyQuery,
    VersionedRecord,
    Windowed,
    WindowKeyQuery,
    WindowRangeQuery,
)
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
NAMES = ("kv", "ts", "w", "tw", "ss", "vs")
HOUR = 3_600_000


class Putter(Processor[str, str, None, None]):
    def init(self, context: Any) -> None:
        self.stores = {name: context.getStateStore(name) for name in NAMES}

    def process(self, record: Record[str, str]) -> None:
        key, value, time = record.key(), record.value(), record.timestamp()
        stamped = ValueAndTimestamp.make(value, time)
        start = time - time % 10
        self.stores["kv"].put(key, value)
        self.stores["ts"].put(key, stamped)
        self.stores["w"].put(key, value, start)
        self.stores["tw"].put(key, stamped, start)
        self.stores["ss"].put(Windowed(key, SessionWindow(time, time)), value)
        self.stores["vs"].put(key, value, time)


def builders(caching: bool) -> Iterator[Any]:
    kv, ts = Stores.inMemoryKeyValueStore("kv"), Stores.persistentTimestampedKeyValueStore("ts")
    w = Stores.persistentWindowStore("w", HOUR, 10, False)
    tw = Stores.persistentTimestampedWindowStore("tw", HOUR, 10, False)
    ss = Stores.inMemorySessionStore("ss", HOUR)
    for builder in (
        Stores.keyValueStoreBuilder(kv, TEXT, TEXT),
        Stores.timestampedKeyValueStoreBuilder(ts, TEXT, TEXT),
        Stores.windowStoreBuilder(w, TEXT, TEXT),
        Stores.timestampedWindowStoreBuilder(tw, TEXT, TEXT),
        Stores.sessionStoreBuilder(ss, TEXT, TEXT),
    ):
        yield builder.withCachingEnabled() if caching else builder
    vs = Stores.persistentVersionedKeyValueStore("vs", HOUR)
    yield Stores.versionedKeyValueStoreBuilder(vs, TEXT, TEXT)


@pytest.fixture(params=[False, True], ids=["uncached", "cached"])
def stores(request: Any) -> Iterator[dict[str, Any]]:
    topology = Topology().addSource("source", "in").addProcessor("p", Putter, "source")
    for builder in builders(request.param):
        topology.addStateStore(builder, "p")
    config = {"default.key.serde": TEXT, "default.value.serde": TEXT}
    with TopologyTestDriver(topology, config) as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for key, value, time in (("a", "1", 5), ("b", "2", 15), ("c", "3", 25), ("a", "4", 26)):
            topic.pipeInput(key, value, time)
        yield driver.getAllStateStores()


def ask(store: Any, query: Query[Any], bound: PositionBound | None = None) -> QueryResult[Any]:
    result: QueryResult[Any] = store.query(
        query, bound or PositionBound.unbounded(), QueryConfig(False)
    )
    return result


def entries(store: Any, query: Query[Any]) -> list[tuple[Any, Any]]:
    with ask(store, query).getResult() as found:
        return [(entry.key, entry.value) for entry in found]


@pytest.mark.parametrize("name", ["kv", "ts"])
def test_key_and_range_queries_give_plain_values(stores: dict[str, Any], name: str) -> None:
    store = stores[name]
    assert ask(store, KeyQuery.withKey("a")).getResult() == "4"
    assert ask(store, KeyQuery.withKey("a").skipCache()).getResult() == "4"
    missing = ask(store, KeyQuery.withKey("z"))
    assert missing.isSuccess()
    assert missing.getResult() is None
    assert entries(store, RangeQuery.withRange("a", "b")) == [("a", "4"), ("b", "2")]
    assert entries(store, RangeQuery.withLowerBound("b")) == [("b", "2"), ("c", "3")]
    assert entries(store, RangeQuery.withUpperBound("b")) == [("a", "4"), ("b", "2")]
    assert entries(store, RangeQuery.withNoBounds()) == [("a", "4"), ("b", "2"), ("c", "3")]
    descending: RangeQuery[str, str] = RangeQuery.withNoBounds().withDescendingKeys()
    assert entries(store, descending) == [("c", "3"), ("b", "2"), ("a", "4")]
    assert entries(store, RangeQuery.withRange("c", "a")) == []


def test_timestamped_queries_need_a_store_with_timestamps(stores: dict[str, Any]) -> None:
    store = stores["ts"]
    assert ask(store, TimestampedKeyQuery.withKey("a")).getResult() == ValueAndTimestamp("4", 26)
    assert ask(store, TimestampedKeyQuery.withKey("z")).getResult() is None
    backward: TimestampedRangeQuery[str, str] = TimestampedRangeQuery.withRange("a", "b")
    assert entries(store, backward.withDescendingKeys()) == [
        ("b", ValueAndTimestamp("2", 15)),
        ("a", ValueAndTimestamp("4", 26)),
    ]
    refused = ask(stores["kv"], TimestampedKeyQuery.withKey("a"))
    assert refused.getFailureReason() is FailureReason.UNKNOWN_QUERY_TYPE


def test_window_stores_answer_by_key_and_by_time(stores: dict[str, Any]) -> None:
    by_key: WindowKeyQuery[str, str] = WindowKeyQuery.withKeyAndWindowStartRange("a", 0, 100)
    by_time: WindowRangeQuery[str, str] = WindowRangeQuery.withWindowStartRange(0, 10)
    assert entries(stores["w"], by_key) == [(0, "1"), (20, "4")]
    assert entries(stores["tw"], by_key) == [
        (0, ValueAndTimestamp("1", 5)),
        (20, ValueAndTimestamp("4", 26)),
    ]
    shown = [(str(key), value) for key, value in entries(stores["w"], by_time)]
    assert shown == [("[a@0/10]", "1"), ("[b@10/20]", "2")]
    by_session: WindowRangeQuery[str, str] = WindowRangeQuery.withKey("a")
    refused = ask(stores["w"], by_session)
    assert refused.getFailureReason() is FailureReason.UNKNOWN_QUERY_TYPE


def test_session_stores_answer_by_key_only(stores: dict[str, Any]) -> None:
    by_key: WindowRangeQuery[str, str] = WindowRangeQuery.withKey("a")
    by_time: WindowRangeQuery[str, str] = WindowRangeQuery.withWindowStartRange(0, 10)
    found = entries(stores["ss"], by_key)
    assert [(str(key), value) for key, value in found] == [("[a@5/5]", "1"), ("[a@26/26]", "4")]
    refused = ask(stores["ss"], by_time)
    assert refused.getFailureReason() is FailureReason.UNKNOWN_QUERY_TYPE


def test_versioned_stores_answer_as_of_a_time(stores: dict[str, Any]) -> None:
    query: VersionedKeyQuery[str, str] = VersionedKeyQuery.withKey("a")
    assert ask(stores["vs"], query).getResult() == VersionedRecord("4", 26)
    assert ask(stores["vs"], query.asOf(10)).getResult() == VersionedRecord("1", 5, 26)
    others: list[Query[Any]] = [KeyQuery.withKey("a"), RangeQuery.withRange("a", "b")]
    for refused in others:
        with pytest.raises(UnsupportedOperationException, match="VersionedKeyQuery"):
            ask(stores["vs"], refused)


@pytest.mark.parametrize("name", NAMES)
def test_every_store_knows_its_position(stores: dict[str, Any], name: str) -> None:
    store = stores[name]
    of_time = name in ("w", "tw")
    query: Any = WindowRangeQuery.withWindowStartRange(0, 9) if of_time else KeyQuery.withKey("a")
    query = VersionedKeyQuery.withKey("a") if name == "vs" else query
    at_3 = Position.fromMap({"in": {0: 3}})
    assert store.getPosition() == at_3
    assert ask(store, query).getPosition() == at_3
    behind = ask(store, query, PositionBound.at(Position.fromMap({"in": {0: 4}})))
    assert behind.getFailureReason() is FailureReason.NOT_UP_TO_BOUND
    assert "Position{position={in={0=4}}}" in behind.getFailureMessage()


def test_only_the_stores_own_partition_matters_to_a_bound(stores: dict[str, Any]) -> None:
    query: KeyQuery[str, str] = KeyQuery.withKey("a")
    elsewhere = PositionBound.at(Position.fromMap({"other": {1: 4}, "in": {0: 3, 7: 100}}))
    assert ask(stores["kv"], query, elsewhere).getResult() == "4"


def test_a_query_of_unknown_kind_is_a_failure_of_its_own(stores: dict[str, Any]) -> None:
    class MyQuery(Query[str]):
        pass

    bound = PositionBound.at(Position.fromMap({"in": {0: 99}}))
    result = ask(stores["kv"], MyQuery(), bound)
    assert result.getFailureReason() is FailureReason.UNKNOWN_QUERY_TYPE
    assert result.getPosition() == Position.fromMap({"in": {0: 3}})


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("kv", KeyQuery.withKey(5)),
        ("ts", TimestampedKeyQuery.withKey(5)),
        ("ts", RangeQuery.withLowerBound(5)),
        ("w", WindowKeyQuery.withKeyAndWindowStartRange(5, 0, 9)),
        ("ss", WindowRangeQuery.withKey(5)),
        ("vs", VersionedKeyQuery.withKey(5)),
        ("vs", MultiVersionedKeyQuery.withKey(5)),
    ],
)
def test_a_key_of_another_type_is_an_error_and_no_result(
    stores: dict[str, Any], name: str, query: Any
) -> None:
    with pytest.raises(StreamsException, match="not compatible to the actual key type"):
        ask(stores[name], query)


@pytest.mark.parametrize("name", ["kv", "w", "ss", "vs"])
def test_a_store_without_timestamps_refuses_before_it_looks_at_the_bound(
    stores: dict[str, Any], name: str
) -> None:
    query: TimestampedKeyQuery[str, str] = TimestampedKeyQuery.withKey("a")
    result = ask(stores[name], query, PositionBound.at(Position.fromMap({"in": {0: 99}})))
    assert result.getFailureReason() is FailureReason.UNKNOWN_QUERY_TYPE
    assert result.getPosition() == Position.fromMap({"in": {0: 3}})


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("w", WindowRangeQuery.withKey("a")),
        ("tw", WindowRangeQuery.withKey("a")),
        ("ss", WindowRangeQuery.withWindowStartRange(0, 9)),
    ],
)
def test_a_query_for_the_other_kind_of_windows_has_no_position(
    stores: dict[str, Any], name: str, query: Any
) -> None:
    for offset in (0, 99):
        result = ask(stores[name], query, PositionBound.at(Position.fromMap({"in": {0: offset}})))
        assert result.getFailureReason() is FailureReason.UNKNOWN_QUERY_TYPE
        assert result.getPosition() is None


def test_the_position_of_a_failed_global_result_is_none() -> None:
    result: StateQueryResult[Any] = StateQueryResult()
    assert result.getPosition() == Position.emptyPosition()
    result.setGlobalResult(QueryResult.forFailure(FailureReason.UNKNOWN_QUERY_TYPE, "global"))
    assert result.getPosition() is None


def test_execution_info_is_there_if_it_was_asked_for(stores: dict[str, Any]) -> None:
    query: KeyQuery[str, str] = KeyQuery.withKey("a")
    quiet = ask(stores["kv"], query)
    told = stores["kv"].query(query, PositionBound.unbounded(), QueryConfig(True))
    assert quiet.getExecutionInfo() == []
    assert [line.split(" in ")[0] for line in told.getExecutionInfo()] == ["Handled"]


def test_positions_only_grow() -> None:
    position = Position.emptyPosition()
    assert position.isEmpty()
    position.withComponent("t", 0, 5).withComponent("t", 1, 7).withComponent("t", 0, 3)
    assert position.getPartitionPositions("t") == {0: 5, 1: 7}
    assert position.getPartitionPositions("none") == {}
    copy = position.copy().withComponent("t", 0, 9)
    assert position.getPartitionPositions("t")[0] == 5
    assert position.merge(copy) == copy
    assert position.merge(None) == copy
    assert position.getTopics() == {"t"}


def test_a_result_tells_either_its_value_or_its_failure() -> None:
    success, failure = (
        QueryResult.forResult("x"),
        QueryResult.forFailure(FailureReason.NOT_PRESENT, "gone"),
    )
    assert QueryResult.forResult(None).isSuccess()
    with pytest.raises(IllegalArgumentException, match="NOT_PRESENT"):
        failure.getResult()
    with pytest.raises(IllegalArgumentException, match="did not fail"):
        success.getFailureReason()
    with pytest.raises(IllegalArgumentException, match="did not fail"):
        success.getFailureMessage()


def test_results_and_positions_show_as_in_kafka_streams() -> None:
    one = QueryResult.forResult("a")
    assert str(one) == "SucceededQueryResult{result=a, executionInfo=[], position=null}"
    one.setPosition(Position.fromMap({"l": {0: 5}, "r": {11: 7, 2: 9}, "orders": {20: 9}}))
    one.addExecutionInfo("seen")
    position = "Position{position={r={2=9, 11=7}, orders={20=9}, l={0=5}}}"
    assert str(one) == (
        f"SucceededQueryResult{{result=a, executionInfo=[seen], position={position}}}"
    )
    failure = "FailedQueryResult{failureReason=NOT_PRESENT, failure='m', executionInfo=[], "
    failed = QueryResult.forFailure(FailureReason.NOT_PRESENT, "m")
    assert str(failed) == failure + "position=null}"


def test_the_only_result_is_the_one_success_that_is_not_none() -> None:
    result: StateQueryResult[str] = StateQueryResult()
    assert result.getOnlyPartitionResult() is None
    assert result.getPosition().isEmpty()
    one = QueryResult.forResult("x")
    one.setPosition(Position.fromMap({"t": {0: 1}}))
    result.addResult(0, one)
    result.addResult(1, QueryResult.forFailure(FailureReason.NOT_PRESENT, "gone"))
    result.addResult(2, QueryResult[str].forResult(None))  # type: ignore[arg-type]
    assert result.getOnlyPartitionResult() is one
    assert result.getPosition() == Position.fromMap({"t": {0: 1}})
    result.addResult(3, QueryResult.forResult("y"))
    with pytest.raises(
        IllegalArgumentException, match="did not return exactly one partition result: {0=Succ"
    ):
        result.getOnlyPartitionResult()


def test_a_request_is_to_all_partitions_unless_some_are_named() -> None:
    query: KeyQuery[str, str] = KeyQuery.withKey("k")
    request = StateQueryRequest.inStore("s").withQuery(query)
    assert (request.getStoreName(), request.getQuery()) == ("s", query)
    assert request.isAllPartitions()
    assert request.getPositionBound().isUnbounded()
    assert not request.executionInfoEnabled()
    assert not request.isRequireActive()
    with pytest.raises(IllegalStateException, match="all partitions"):
        request.getPartitions()
    some = request.withPartitions([1]).enableExecutionInfo().requireActive()
    assert (some.getPartitions(), some.isAllPartitions()) == ({1}, False)
    assert some.executionInfoEnabled()
    assert some.isRequireActive()
    assert some.withAllPartitions().isAllPartitions()


def test_queries_tell_what_they_ask_for() -> None:
    moment = datetime(2026, 1, 1, tzinfo=timezone.utc)
    window: WindowKeyQuery[str, str] = WindowKeyQuery.withKeyAndWindowStartRange("k", 0, moment)
    assert (window.getKey(), window.getTimeTo()) == ("k", moment)
    order: RangeQuery[str, str] = RangeQuery.withRange("a", None)
    assert order.resultOrder() is ResultOrder.ANY
    assert order.withAscendingKeys().resultOrder() is ResultOrder.ASCENDING
    assert (order.getLowerBound(), order.getUpperBound()) == ("a", None)
    assert VersionedKeyQuery.withKey("k").asOf(moment).asOfTimestamp() == moment
    for query in (KeyQuery, TimestampedKeyQuery, WindowRangeQuery, VersionedKeyQuery):
        with pytest.raises(NullPointerException, match="key"):
            query.withKey(None)


class OneProvider:
    def __init__(self, *found: Any) -> None:
        self.found = list(found)

    def stores(self, name: str, kind: Any) -> list[Any]:
        return [store for store in self.found if kind.accepts(store)]


def test_a_queryable_type_shows_the_stores_of_all_partitions_as_one(stores: dict[str, Any]) -> None:
    plain, stamped = (
        QueryableStoreTypes.keyValueStore(),
        (QueryableStoreTypes.timestampedKeyValueStore()),
    )
    assert [kind.accepts(stores["kv"]) for kind in (plain, stamped)] == [True, False]
    assert [kind.accepts(stores["ts"]) for kind in (plain, stamped)] == [True, True]
    view = plain.create(OneProvider(stores["ts"]), "ts")
    assert view.get("a") == "4"
    assert view.get("z") is None
    assert [entry.value for entry in view.range("a", "b")] == ["4", "2"]
    assert stamped.create(OneProvider(stores["ts"]), "ts").get("a") == ValueAndTimestamp("4", 26)
    both = plain.create(OneProvider(stores["kv"], stores["ts"]), "x")
    assert [entry.key for entry in both.all()] == ["a", "b", "c", "a", "b", "c"]
    assert both.approximateNumEntries() == 6
    windows = QueryableStoreTypes.windowStore().create(OneProvider(stores["tw"]), "tw")
    assert windows.fetch("a", 20) == "4"
    sessions = QueryableStoreTypes.sessionStore().create(OneProvider(stores["ss"]), "ss")
    assert [entry.value for entry in sessions.fetch("a")] == ["1", "4"]
    with pytest.raises(AttributeError):
        view.put("a", "b")  # type: ignore[attr-defined]


def test_store_query_parameters_ask_for_all_active_partitions_by_default() -> None:
    kind = QueryableStoreTypes.keyValueStore()
    asked = StoreQueryParameters.fromNameAndType("s", kind)
    assert (asked.storeName(), asked.partition(), asked.staleStoresEnabled()) == ("s", None, False)
    assert asked.withPartition(2).enableStaleStores().partition() == 2
    assert asked.queryableStoreType() is kind
