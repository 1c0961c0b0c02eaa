"""Foreign-key joins, other circles and global stores over several partitions and a restart."""

from __future__ import annotations

from typing import Any

import pytest

# Its stubs do not export it.
from confluent_kafka.admin import AdminClient, ConfigResource  # type: ignore[attr-defined]
from pyspark.sql import SparkSession

from compat_tests.kafka.topics import create_topic
from compat_tests.spark.support import Playground, eventually, run_until
from millstream import KafkaStreams, MisconfiguredInternalTopicException, StreamsBuilder, Topology
from millstream.topology.spark.order import feedback_topics

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def foreign_key_join(left: str, right: str, target: str, *, right_first: bool = False) -> Topology:
    """Whose table comes first decides which way leads back: that of the questions, or answers."""
    builder = StreamsBuilder()
    names = (right, left) if right_first else (left, right)
    tables: dict[str, Any] = {name: builder.table(name) for name in names}
    (
        tables[left]
        .join(
            tables[right],
            lambda value: value.split("/")[0],
            lambda mine, other: f"{mine}+{other}",
        )
        .toStream()
        .to(target)
    )
    return builder.build()


def feedback_topic(play: Playground, topology: Topology) -> str:
    """The topic of a foreign-key join that leads back."""
    (topic,) = feedback_topics(topology.plan())
    return f"{play.name}-{topic}"


def table(play: Playground, topic: str) -> dict[bytes, bytes]:
    """The rows that a topic of changes leaves."""
    rows = {m.key(): m.value() for m in play.read(topic, 1)}
    return {key: value for key, value in rows.items() if value is not None}


@pytest.mark.parametrize(
    ("guarantee", "right_first"),
    [("exactly_once_v2", False), pytest.param("at_least_once", True, marks=pytest.mark.long)],
)
def test_a_foreign_key_join_keeps_its_rows_over_a_restart(
    spark: SparkSession, play: Playground, guarantee: str, *, right_first: bool
) -> None:
    left, right, target = play.topic("left", 3), play.topic("right", 2), play.topic("out", 2)
    config = play.config(processing_guarantee=guarantee, statestore_cache_max_bytes=0)
    topology = foreign_key_join(left, right, target, right_first=right_first)
    play.produce(right, [(b"r%d" % n, b"R%d" % n, 10) for n in range(20)])
    play.produce(left, [(b"l%d" % n, b"r%d/%d" % (n % 25, n), 20) for n in range(200)])
    joined = {b"l%d" % n: b"r%d/%d+R%d" % (n % 25, n, n % 25) for n in range(200) if n % 25 < 20}

    run_until(KafkaStreams(topology, config, spark=spark), lambda: table(play, target), joined)

    # Now what one side has must still be known when the other side changes.
    play.produce(right, [(b"r7", b"new", 30), (b"r8", None, 30), (b"r21", b"R21", 30)])
    play.produce(left, [(b"l0", b"r9/moved", 31), (b"l1", None, 31)])
    # Each of these changes once more before the answer that takes its result back.
    play.produce(left, [(b"l2", b"none/1", 31), (b"l2", b"none/2", 32)])
    play.produce(left, [(b"l3", None, 31), (b"l3", b"none/3", 32), (b"l33", b"r8/again", 32)])
    joined |= {b"l%d" % n: b"r7/%d+new" % n for n in range(7, 200, 25)}
    joined |= {b"l%d" % n: b"r21/%d+R21" % n for n in range(21, 200, 25)}
    joined |= {b"l0": b"r9/moved+R9"}
    gone = {b"l1", b"l2", b"l3", *(b"l%d" % n for n in range(8, 200, 25))}
    joined = {key: value for key, value in joined.items() if key not in gone}

    back = feedback_topic(play, topology)

    def now() -> tuple[dict[bytes, bytes], dict[int, int]]:
        # Also what is behind the last record: the marker of a transaction.
        done, ends = play.committed(play.name, back), play.ends(back)
        return table(play, target), {place: ends[place] - done.get(place, 0) for place in ends}

    lag = dict.fromkeys(range(2 if right_first else 3), 0)
    run_until(KafkaStreams(topology, config, spark=spark), now, (joined, lag))
    assert ("REGISTRATION" in back) == right_first


def test_an_answer_for_a_row_that_has_changed_is_dropped(
    spark: SparkSession, play: Playground
) -> None:
    left, right, target = play.topic("left", 1), play.topic("right", 1), play.topic("out", 1)
    play.produce(right, [(b"p", b"P", 1), (b"q", b"Q", 2)])
    play.produce(left, [(b"k", b"p/1", 10), (b"k", b"q/2", 11), (b"l", b"p/3", 12)])
    # With a cache the right table's rows would be answered a second time when it is flushed.
    config = play.config(statestore_cache_max_bytes=0)
    with KafkaStreams(foreign_key_join(left, right, target), config, spark=spark) as streams:
        streams.start()
        found = play.pairs(target, 2, more=1)

    assert found == [(b"k", b"q/2+Q"), (b"l", b"p/3+P")]


def test_a_feedback_topic_is_made_as_kafka_streams_makes_it_and_purged(
    spark: SparkSession, play: Playground
) -> None:
    left, right, target = play.topic("left", 1), play.topic("right", 1), play.topic("out", 1)
    play.produce(right, [(b"p", b"P", 1)])
    play.produce(left, [(b"k%d" % n, b"p/%d" % n, 10) for n in range(50)])
    config = play.config(
        repartition_purge_interval_ms=100,
        topic_segment_bytes="1048576",
        statestore_cache_max_bytes=0,
    )
    topology = foreign_key_join(left, right, target)
    answers = feedback_topic(play, topology)
    with KafkaStreams(topology, config, spark=spark) as streams:
        streams.start()
        play.read(target, 50)
        eventually(lambda: play.starts(answers), {0: 50})
        assert play.ends(answers) == {0: 50}

    admin = AdminClient({"bootstrap.servers": play.servers})
    resource = ConfigResource(ConfigResource.Type.TOPIC, answers)
    settings = admin.describe_configs([resource])[resource].result(30)
    names = "cleanup.policy", "retention.ms", "segment.bytes"
    assert [settings[name].value for name in names] == ["delete", "-1", "1048576"]


def test_a_feedback_topic_with_other_partitions_is_refused(play: Playground) -> None:
    left, right, target = play.topic("left", 2), play.topic("right", 1), play.topic("out", 1)
    topology = foreign_key_join(left, right, target)
    create_topic(play.servers, feedback_topic(play, topology), partitions=3)
    streams = KafkaStreams(topology, play.config())
    with pytest.raises(MisconfiguredInternalTopicException, match="RESPONSE.* has 3 partitions"):
        streams.start()


def test_every_task_has_the_whole_global_table_from_its_first_record_on(
    spark: SparkSession, play: Playground
) -> None:
    names, source, target = play.topic("names", 3), play.topic("in", 4), play.topic("out", 1)
    config = play.config(processing_guarantee="exactly_once_v2", auto_offset_reset="latest")
    builder = StreamsBuilder()
    known = builder.globalTable(names)
    stream: Any = builder.stream(source)
    stream.join(known, lambda key, value: value, lambda value, name: name).to(target)
    topology = builder.build()
    play.produce(names, [(b"n%d" % n, b"N%d" % n, 10) for n in range(40)])

    def ask(numbers: range) -> None:
        play.produce(source, [(b"k%d" % n, b"n%d" % n, 20, n % 4) for n in numbers])

    ask(range(40))
    streams = KafkaStreams(topology, config | {"auto.offset.reset": "earliest"}, spark=spark)
    answers = {b"k%d" % n: b"N%d" % n for n in range(40)}
    run_until(streams, lambda: table(play, target), answers)
    play.produce(names, [(b"n3", b"new", 11), (b"n4", None, 11)])
    ask(range(3, 6))
    answers[b"k3"] = b"new"
    with KafkaStreams(topology, config, spark=spark) as streams:
        streams.start()
        found = play.pairs(target, 42, more=1)

    assert len(found) == 42
    assert table(play, target) == answers
    assert play.committed(play.name, names) == {}


def test_a_topology_of_nothing_but_a_global_table_runs(
    spark: SparkSession, play: Playground
) -> None:
    names = play.topic("names", 2)
    play.produce(names, [(b"n", b"N", 10)])
    builder = StreamsBuilder()
    builder.globalTable(names)
    with KafkaStreams(builder.build(), play.config(), spark=spark) as streams:
        streams.start()
        eventually(lambda: _records_read(streams), 1.0)
        assert streams.state().name == "RUNNING"


def _records_read(streams: KafkaStreams) -> float:
    found = {name.name(): each.metricValue() for name, each in streams.metrics().items()}
    return float(found.get("records", 0))
