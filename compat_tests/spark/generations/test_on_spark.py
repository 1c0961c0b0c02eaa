"""Programs that change between two starts, on Spark: the state goes on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.support import Playground, eventually
from millstream import (
    Consumed,
    Grouped,
    KafkaStreams,
    Materialized,
    Produced,
    QueryableStoreTypes,
    Serdes,
    StoreQueryParameters,
    StreamsBuilder,
    StreamsConfig,
    Topology,
)
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.driver.runner import Runner
from millstream.topology.spark.generations.generations import Generations

TEXT = Serdes.String()


def counted(source: str, target: str, *, filtered: bool, other: str = "") -> Topology:
    """Count words; ``other`` is a topic that a new first sub-topology copies."""
    builder = StreamsBuilder()
    if other:
        builder.stream(other, Consumed.with_(TEXT, TEXT)).to(target, Produced.with_(TEXT, TEXT))
    words = builder.stream(source, Consumed.with_(TEXT, TEXT))
    if filtered:
        words = words.filter(lambda _, value: value != "no")
    by_value = words.groupBy(lambda _, value: value, Grouped.with_("by-value", TEXT, TEXT))
    counts = by_value.count(Materialized.as_("counts"))
    counts.toStream().mapValues(str).to(target, Produced.with_(TEXT, TEXT))
    return builder.build()


def count(streams: KafkaStreams, key: str = "x") -> Any:
    kind = QueryableStoreTypes.keyValueStore()
    return streams.store(StoreQueryParameters.fromNameAndType("counts", kind)).get(key)


def pointer(play: Playground) -> Any:
    path = play.directory / play.name / "checkpoint" / "millstream-generation.json"
    return json.loads(path.read_text())["generation"] if path.exists() else 0


@pytest.mark.long
def test_a_count_goes_on_with_a_filter_and_a_sub_topology_more(
    play: Playground, spark: Any
) -> None:
    source, other = play.topic("words"), play.topic("other")
    target = play.topic("counts", partitions=1)

    def run(expected: int, **shape: Any) -> None:
        topology = counted(source, target, **shape)
        with KafkaStreams(topology, play.config(), spark=spark) as streams:
            eventually(lambda: count(streams), expected - 1 or None)
            play.produce(source, [("a", "x", 1000)])
            eventually(lambda: count(streams), expected)

    run(1, filtered=False)
    assert pointer(play) == 0
    run(2, filtered=True)
    run(3, filtered=True, other=other)
    assert pointer(play) == 2
    run(4, filtered=True, other=other)
    assert pointer(play) == 2
    run(5, filtered=False)
    values = sorted(value or b"" for _, value in play.pairs(target, 5, more=1))
    assert values == [b"1", b"2", b"3", b"4", b"5"]


def test_a_savepoint_starts_another_application(play: Playground, spark: Any) -> None:
    source, target = play.topic("words"), play.topic("counts", partitions=1)
    topology = counted(source, target, filtered=False)
    streams = KafkaStreams(topology, play.config(), spark=spark)
    with streams:
        play.produce(source, [("a", "x", 1000), ("b", "y", 1000), ("c", "x", 1000)])
        eventually(lambda: count(streams), 2)
    directory = play.directory / "saved"
    streams.savepoint(directory)
    # By these a rescaling knows a topic that has grown since.
    assert Savepoint(directory).manifest.partitions[source] == 2
    play.produce(source, [("a", "x", 1000)])
    config = play.config(application_id=f"{play.name}-copy", millstream_savepoint=str(directory))
    with KafkaStreams(counted(source, target, filtered=True), config, spark=spark) as copy:
        eventually(lambda: count(copy), 3)
        eventually(lambda: count(copy, "y"), 1)
    # The first application has not been touched.
    with KafkaStreams(topology, play.config(), spark=spark) as again:
        eventually(lambda: count(again), 3)


def test_a_word_has_its_effect_once_on_the_state_of_a_savepoint(
    play: Playground, spark: Any
) -> None:
    source, target = play.topic("words"), play.topic("counts", partitions=1)
    topology = counted(source, target, filtered=False)
    with KafkaStreams(topology, play.config(), spark=spark) as streams:
        play.produce(source, [("a", "x", 1000)])
        eventually(lambda: count(streams), 1)
        streams.savepoint(play.directory / "one")

    def copy(name: str, point: str) -> KafkaStreams:
        config = play.config(
            application_id=f"{play.name}-{name}",
            millstream_savepoint=str(play.directory / point),
            millstream_state_drop="counts",
        )
        return KafkaStreams(topology, config, spark=spark)

    with copy("second", "one") as second:
        play.produce(source, [("a", "x", 1000)])
        eventually(lambda: count(second), 1)
        second.savepoint(play.directory / "two")
    with copy("third", "two") as third:
        play.produce(source, [("a", "x", 1000)])
        eventually(lambda: count(third), 2)


def test_a_savepoint_is_restored_and_former_generations_are_pruned(
    play: Playground, spark: Any
) -> None:
    source, target = play.topic("words"), play.topic("counts", partitions=1)

    def application() -> KafkaStreams:
        topology = counted(source, target, filtered=False)
        return KafkaStreams(topology, play.config(), spark=spark)

    with application() as streams:
        play.produce(source, [("a", "x", 1000)])
        eventually(lambda: count(streams), 1)
        streams.savepoint(play.directory / "one")
        play.produce(source, [("a", "x", 1000)])
        eventually(lambda: count(streams), 2)
    config = StreamsConfig(play.config())
    runner = Runner(counted(source, target, filtered=False), config, spark)
    runner.restore(str(play.directory / "one"))
    assert pointer(play) == 1
    with application() as streams:
        # What came after the savepoint is read again.
        eventually(lambda: count(streams), 2)
        play.produce(source, [("a", "x", 1000)])
        eventually(lambda: count(streams), 3)
    root = play.directory / play.name / "checkpoint"
    generations = Generations(str(root), LocalFiles(root), lambda at: LocalFiles(Path(at)))
    assert "state" in generations.prune()
    assert not (root / "state").exists()
    with application() as streams:
        eventually(lambda: count(streams), 3)
        play.produce(source, [("a", "x", 1000)])
        eventually(lambda: count(streams), 4)
