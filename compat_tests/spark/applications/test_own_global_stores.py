"""A global store of a class of the program has its entries again after a restart."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import SparkSession

from compat_tests.spark.applications.test_interactive_queries import Tally, TallyBuilder
from compat_tests.spark.support import Playground, eventually
from millstream import (
    Consumed,
    KafkaStreams,
    Processor,
    QueryableStoreType,
    Serdes,
    StoreQueryParameters,
    StreamsBuilder,
    Topology,
    UnsupportedOperationException,
)

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


class Facts(TallyBuilder):
    """The store logs nothing: its topic is its changelog."""

    def loggingEnabled(self) -> bool:
        return False


class Fills(Processor[str, str, str, str]):
    """Counts the updates of each key, without a word to the context."""

    def init(self, context: Any) -> None:
        self.counts = context.getStateStore("tally").counts

    def process(self, record: Any) -> None:
        self.counts[record.key()] = self.counts.get(record.key(), 0) + 1


class Reads(Processor[str, str, str, str]):
    def init(self, context: Any) -> None:
        self.context = context
        self.counts = context.getStateStore("tally").counts

    def process(self, record: Any) -> None:
        self.context.forward(record.withValue(f"{self.counts.get(record.key(), 0)}"))


class Counts(QueryableStoreType[Any]):
    def accepts(self, stateStore: Any) -> bool:
        return isinstance(stateStore, Tally)

    def create(self, storeProvider: Any, storeName: str) -> Any:
        return storeProvider.stores(storeName, self)[0].counts


def program(facts: str, source: str, target: str) -> Topology:
    builder = StreamsBuilder()
    text = Serdes.String()
    builder.addGlobalStore(Facts(), facts, Consumed.with_(text, text), Fills)
    builder.stream(source).process(Reads).to(target)
    return builder.build()


def test_its_topic_is_read_again_and_queries_are_refused(
    spark: SparkSession, play: Playground
) -> None:
    facts, source, target = (play.topic(name) for name in ("facts", "in", "out"))
    play.produce(facts, [(b"a", b"x", 1), (b"a", b"x", 2), (b"b", b"x", 3)])
    play.produce(source, [(b"a", b"?", 4)])
    topology = program(facts, source, target)
    with KafkaStreams(topology, play.config(), spark=spark) as streams:
        assert play.pairs(target, 1) == [(b"a", b"2")]
        with pytest.raises(UnsupportedOperationException, match="logs no changes"):
            streams.store(StoreQueryParameters.fromNameAndType("tally", Counts()))
        eventually(lambda: sum(play.committed(play.name, source).values()), 1)

    play.produce(facts, [(b"b", b"x", 5)])
    play.produce(source, [(b"a", b"?", 6), (b"b", b"?", 6)])
    with KafkaStreams(program(facts, source, target), play.config(), spark=spark):
        found = play.pairs(target, 3)
    assert sorted(found) == [(b"a", b"2"), (b"a", b"2"), (b"b", b"2")]
