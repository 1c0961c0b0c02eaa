"""A running application is asked about its stores, paused, and gone on with."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat_tests import ROOT
from compat_tests.spark.support import Playground, eventually
from compat_tests.stores.own_builder import OwnBuilder
from millstream import (
    Consumed,
    FailureReason,
    Grouped,
    IllegalStateException,
    InvalidStateStoreException,
    InvalidStateStorePartitionException,
    KafkaStreams,
    KeyQuery,
    Materialized,
    Position,
    PositionBound,
    Processor,
    QueryableStoreTypes,
    RangeQuery,
    Serdes,
    StateQueryRequest,
    StateStore,
    StoreQueryParameters,
    StreamsBuilder,
    StreamsNotStartedException,
    StreamsStoppedException,
    TimestampedKeyQuery,
    TimeWindows,
    Topology,
    UnknownStateStoreException,
    ValueAndTimestamp,
    WindowKeyQuery,
)

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

MINUTE = 60_000
LINES = ["the quick brown fox", "the lazy dog", "quick quick", "dog eat dog"]
KINDS = QueryableStoreTypes


def counts_of(source: str) -> Topology:
    """Words counted for all time in one store and by the minute in another."""
    text = Serdes.String()
    builder = StreamsBuilder()
    words = (
        builder.stream(source, Consumed.with_(text, text))
        .flatMapValues(lambda line: line.split())
        .groupBy(lambda _, word: word, Grouped.with_(text, text))
    )
    words.count(Materialized.as_("word-counts"))
    by_minute = words.windowedBy(TimeWindows.ofSizeWithNoGrace(MINUTE))
    by_minute.count(Materialized.as_("minutes").withRetention(10 * MINUTE))
    return builder.build()


def lines(texts: list[str], first_ms: int) -> list[tuple[Any, ...]]:
    return [(None, text.encode(), first_ms + n, n % 2) for n, text in enumerate(texts)]


def ask(streams: KafkaStreams, store: str, query: Any) -> Any:
    return streams.query(StateQueryRequest.inStore(store).withQuery(query))


def test_a_running_word_count_answers_by_both_versions(
    spark: SparkSession, play: Playground
) -> None:
    source = play.topic("lines")
    play.produce(source, lines(LINES, 1))
    expected = Counter(word for line in LINES for word in line.split())
    config = play.config(application_server="here:99")
    moves: list[tuple[str, str]] = []
    streams = KafkaStreams(counts_of(source), config, spark=spark)
    streams.setStateListener(lambda new, old: moves.append((old.name, new.name)))
    plain = StoreQueryParameters.fromNameAndType("word-counts", KINDS.keyValueStore())
    refuses_before_the_start(streams, plain)

    with streams:
        streams.start()
        words = streams.store(plain)
        eventually(lambda: {entry.key: entry.value for entry in words.all()}, expected)
        assert (words.get("dog"), words.get("cat")) == (3, None)
        assert words.approximateNumEntries() == len(expected)
        assert [e.key for e in words.range("dog", "fox")] == ["dog", "eat", "fox"]
        stamped = KINDS.timestampedKeyValueStore()
        view = streams.store(StoreQueryParameters.fromNameAndType("word-counts", stamped))
        assert view.get("dog") == ValueAndTimestamp(3, 4)
        by_minute = streams.store(
            StoreQueryParameters.fromNameAndType("minutes", KINDS.windowStore())
        )
        play.produce(source, lines(["dog"], MINUTE + 5))
        eventually(
            lambda: [(e.key, e.value) for e in by_minute.fetch("dog", 0, 2 * MINUTE)],
            [(0, 3), (MINUTE, 1)],
        )
        answers_queries(streams)
        knows_where_things_are(streams, source)
        refuses_what_is_wrong(streams, plain)

    assert moves == [
        ("CREATED", "REBALANCING"),
        ("REBALANCING", "RUNNING"),
        ("RUNNING", "PENDING_SHUTDOWN"),
        ("PENDING_SHUTDOWN", "NOT_RUNNING"),
    ]
    with pytest.raises(InvalidStateStoreException, match="NOT_RUNNING"):
        words.get("dog")
    with pytest.raises(IllegalStateException):
        streams.store(plain)
    with pytest.raises(StreamsStoppedException):
        ask(streams, "word-counts", KeyQuery.withKey("dog"))


def refuses_before_the_start(streams: KafkaStreams, plain: Any) -> None:
    with pytest.raises(StreamsNotStartedException):
        streams.store(plain)
    with pytest.raises(StreamsNotStartedException):
        ask(streams, "word-counts", KeyQuery.withKey("dog"))
    with pytest.raises(StreamsNotStartedException):
        streams.metadataForAllStreamsClients()
    assert {thread.threadState() for thread in streams.metadataForLocalThreads()} == {"CREATED"}


def answers_queries(streams: KafkaStreams) -> None:
    found = ask(streams, "word-counts", KeyQuery.withKey("dog"))
    assert sorted(found.getPartitionResults()) == [0, 1]
    assert found.getOnlyPartitionResult().getResult() == 4
    found = ask(streams, "word-counts", TimestampedKeyQuery.withKey("dog"))
    assert found.getOnlyPartitionResult().getResult().timestamp() == MINUTE + 5
    ranges = ask(streams, "word-counts", RangeQuery.withNoBounds()).getPartitionResults().values()
    assert sorted(e.key for each in ranges for e in each.getResult()) == sorted(
        {word for line in LINES for word in line.split()}
    )
    windows = ask(streams, "minutes", WindowKeyQuery.withKeyAndWindowStartRange("dog", 0, MINUTE))
    assert [
        [(e.key, e.value) for e in each.getResult()]
        for each in windows.getPartitionResults().values()
        if each.getResult().hasNext()
    ] == [[(0, ValueAndTimestamp(3, 4)), (MINUTE, ValueAndTimestamp(1, MINUTE + 5))]]
    position = found.getPosition()
    (topic,) = position.getTopics()
    assert topic.endswith("-word-counts-repartition")
    assert sum(offset + 1 for offset in position.getPartitionPositions(topic).values()) == 13
    in_two: StateQueryRequest[int] = StateQueryRequest.inStore("word-counts").withQuery(
        KeyQuery.withKey("dog")
    )
    results = streams.query(in_two.withPartitions({1, 7})).getPartitionResults()
    assert results[7].getFailureReason() is FailureReason.NOT_PRESENT
    later = Position.emptyPosition().withComponent(topic, 0, 99)
    results = streams.query(in_two.withPositionBound(PositionBound.at(later))).getPartitionResults()
    assert results[0].getFailureReason() is FailureReason.NOT_UP_TO_BOUND
    assert results[1].isSuccess()


def knows_where_things_are(streams: KafkaStreams, source: str) -> None:
    (client,) = streams.metadataForAllStreamsClients()
    assert (client.host(), client.port()) == ("here", 99)
    assert client.stateStoreNames() == {"word-counts", "minutes"}
    assert {place.topic() for place in client.topicPartitions()} > {source}
    assert streams.streamsMetadataForStore("word-counts") == [client]
    assert streams.streamsMetadataForStore("other") == []
    found = streams.queryMetadataForKey("word-counts", "dog", Serdes.String().serializer())
    assert found is not None
    results = ask(streams, "word-counts", KeyQuery.withKey("dog")).getPartitionResults()
    assert results[found.partition()].getResult() == 4
    (thread,) = streams.metadataForLocalThreads()
    assert {repr(task.taskId()) for task in thread.activeTasks()} == {
        f"{part}_{number}" for part in range(3) for number in range(2)
    }
    lags = streams.allLocalStorePartitionLags()
    assert {name: sorted(partitions) for name, partitions in lags.items()} == {
        "word-counts": [0, 1],
        "minutes": [0, 1],
    }
    assert {lag.offsetLag() for each in lags.values() for lag in each.values()} == {0}


def refuses_what_is_wrong(streams: KafkaStreams, plain: Any) -> None:
    with pytest.raises(UnknownStateStoreException, match="no such store is registered"):
        streams.store(StoreQueryParameters.fromNameAndType("other", KINDS.keyValueStore()))
    with pytest.raises(UnknownStateStoreException):
        ask(streams, "other", KeyQuery.withKey("dog"))
    with pytest.raises(InvalidStateStoreException, match="does not accept"):
        streams.store(StoreQueryParameters.fromNameAndType("word-counts", KINDS.sessionStore()))
    with pytest.raises(InvalidStateStorePartitionException):
        streams.store(plain.withPartition(7))
    with pytest.raises(IllegalStateException, match="client instance ids"):
        streams.clientInstanceIds(100)
    assert (streams.addStreamThread(), streams.removeStreamThread()) == (None, None)


def test_a_paused_application_reads_nothing_and_loses_nothing(
    spark: SparkSession, play: Playground, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = play.topic("lines")
    play.produce(source, lines(["dog", "dog"], 1))
    streams = KafkaStreams(counts_of(source), play.config(), spark=spark)
    streams.pause()
    with streams:
        streams.start()
        assert streams.isPaused()
        assert streams.state() is KafkaStreams.State.RUNNING
        words = streams.store(
            StoreQueryParameters.fromNameAndType("word-counts", KINDS.keyValueStore())
        )
        assert words.get("dog") is None
        streams.resume()
        eventually(lambda: words.get("dog"), 2)
        streams.pause()
        play.produce(source, lines(["dog", "dog", "dog"], 10))
        assert play.committed(play.name, source) == {0: 1, 1: 1}
        assert not streams._runner._query
        assert words.get("dog") == 2
        streams.resume()
        assert not streams.isPaused()
        eventually(lambda: words.get("dog"), 5)
        monkeypatch.syspath_prepend(ROOT)
        from examples.word_count_queries import count_of, most_frequent

        assert (count_of(streams, "dog"), count_of(streams, "cat")) == (5, 0)
        assert most_frequent(streams) == [("dog", 5)]


def test_a_global_store_is_shown_by_version_one_only(spark: SparkSession, play: Playground) -> None:
    source, names, target = play.topic("in"), play.topic("names"), play.topic("out")
    play.produce(names, [(b"a", b"Anna", 1), (b"b", b"Bert", 2)])
    builder = StreamsBuilder()
    table: Any = builder.globalTable(names, Materialized.as_("names"))
    stream = builder.stream(source)
    stream.join(table, lambda key, _: key, lambda left, right: f"{left} {right}").to(target)
    with KafkaStreams(builder.build(), play.config(), spark=spark) as streams:
        streams.start()
        view = streams.store(StoreQueryParameters.fromNameAndType("names", KINDS.keyValueStore()))
        eventually(lambda: [view.get(key) for key in "abc"], ["Anna", "Bert", None])
        failure = ask(streams, "names", KeyQuery.withKey("a")).getGlobalResult()
        assert failure.getFailureReason() is FailureReason.UNKNOWN_QUERY_TYPE


class Tally(StateStore):
    """A store of the user's own: a dict, which it logs and restores by itself."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self._open = False

    def name(self) -> str:
        return "tally"

    def init(self, stateStoreContext: Any, root: StateStore) -> None:
        self._context: Any = stateStoreContext
        self._context.register(root, self.restore)
        self._open = True

    def restore(self, key: bytes, value: bytes | None) -> None:
        self.counts[key.decode()] = int(value or b"0")

    def add(self, key: str, now_ms: int) -> int:
        count = self.counts[key] = self.counts.get(key, 0) + 1
        self._context.log_change("tally", key.encode(), b"%d" % count, now_ms, None)
        return count

    def close(self) -> None:
        self._open = False

    def persistent(self) -> bool:
        return False

    def isOpen(self) -> bool:
        return self._open


class TallyBuilder(OwnBuilder):
    def __init__(self) -> None:
        super().__init__("tally", Tally)


class Tallying(Processor[str, str, str, str]):
    def init(self, context: Any) -> None:
        self._context = context
        self._store = context.getStateStore("tally")

    def process(self, record: Any) -> None:
        count = self._store.add(record.key(), record.timestamp())
        self._context.forward(record.withValue(str(count)))


class TallyType:
    """A queryable type of the user's own."""

    def accepts(self, store: Any) -> bool:
        return hasattr(store, "counts")

    def create(self, provider: Any, name: str) -> Callable[[], list[dict[str, int]]]:
        return lambda: [dict(store.counts) for store in provider.stores(name, self)]


def tallies(source: str, target: str) -> Topology:
    topology = Topology().addSource("source", source).addProcessor("tally", Tallying, "source")
    topology.addStateStore(TallyBuilder(), "tally")
    return topology.addSink("sink", target, "tally")


class Restored:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.done = threading.Event()

    def onRestoreStart(self, place: Any, store: str, first: int, end: int) -> None:
        self.calls.append(("start", str(place).removeprefix("q-"), store, first, end))

    def onBatchRestored(self, place: Any, store: str, end: int, count: int) -> None:
        self.calls.append(("batch", store, count))

    def onRestoreEnd(self, place: Any, store: str, total: int) -> None:
        self.calls.append(("end", store, total))
        self.done.set()


def test_a_users_own_store_is_restored_by_its_callback_and_the_listener_hears_of_it(
    spark: SparkSession, play: Playground
) -> None:
    source, target = play.topic("in", 1), play.topic("out", 1)
    keys = ["a", "b", "a"]
    play.produce(source, [(key.encode(), b"", 1 + n) for n, key in enumerate(keys)])
    with KafkaStreams(tallies(source, target), play.config(), spark=spark) as streams:
        streams.start()
        assert len(play.pairs(target, 3)) == 3
    play.produce(source, [(key.encode(), b"", 10 + n) for n, key in enumerate(keys)])
    streams = KafkaStreams(tallies(source, target), play.config(), spark=spark)
    heard = Restored()
    streams.setGlobalStateRestoreListener(heard)
    streams.setStandbyUpdateListener(None)
    with streams:
        streams.start()
        assert play.pairs(target, 6) == [
            *((b"a", b"1"), (b"b", b"1"), (b"a", b"2")),
            *((b"a", b"3"), (b"b", b"2"), (b"a", b"4")),
        ]
        parameters: Any = StoreQueryParameters.fromNameAndType("tally", TallyType())  # type: ignore[arg-type]
        shown = streams.store(parameters)
        eventually(shown, [{"a": 4, "b": 2}])
        assert heard.done.wait(30)
        with pytest.raises(IllegalStateException):
            streams.setGlobalStateRestoreListener(heard)
    assert heard.calls[0][0] == "start"
    assert heard.calls[0][1].endswith("-tally-changelog-0")
    assert ("end", "tally", 2) in heard.calls
