"""Repartition topics in which the JVM has left records: these are processed first, in order."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from compat_tests.relay.inputs import Sent
from compat_tests.relay.parts import STREAM, TEXTS, aggregated, relay
from compat_tests.relay.run import CONFIG, Relay, jvm_in
from compat_tests.spark.support import Playground
from millstream import KafkaStreams, StreamsConfig, StreamsException
from millstream.topology.spark.checkpoint.descriptor import Checkpoint
from millstream.topology.spark.driver.savepoints import checkpoint_root, files_at
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.generations.moving import described
from millstream.topology.spark.migration.adoption import planned_adoption

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

BEHIND = relay(
    "behind-a-repartition",
    {"a": "text"},
    [
        {**STREAM, "id": "a", "topics": ["a"]},
        {"id": "far", "op": "repartition", "from": ["a"], **TEXTS, "name": "again"},
        {"id": "g", "op": "groupByKey", "from": ["far"], **TEXTS},
    ],
    [aggregated("key-value", "out-count", "g")],
)
KEYS = "kmn"


def sent(first: int, count: int) -> list[Sent]:
    return [Sent("a", KEYS[n % 3], f"v{n}", 10_000 + 70 * n) for n in range(first, first + count)]


def note(relay: Relay) -> Checkpoint:
    root = checkpoint_root(StreamsConfig(relay.topology()[1]))
    files = files_at(root, relay.spark)
    found = described(Generations(root, files, lambda at: files_at(at, relay.spark)))
    assert found is not None
    return found


def filtered(relay: Relay) -> None:
    """Add an operator without state in front of the repartition."""
    steps = [dict(step) for step in relay.own["topology"]]
    assert steps[1]["id"] == "far"
    steps[1]["from"] = ["some"]
    some = {"id": "some", "op": "filter", "from": ["a"], "pred": ["contains", "v"]}
    relay.own = {**relay.own, "topology": [steps[0], some, *steps[1:]]}


def test_unread_records_of_a_repartition_topic_are_counted_once_and_first(
    spark: SparkSession, play: Playground
) -> None:
    with jvm_in(play.directory / "jvm") as jvm:
        relay = Relay(play, BEHIND, "behind", jvm, spark, CONFIG)
        relay.send(sent(0, 30))
        relay.by_jvm()
        topic = f"{relay.application_id}-again-repartition"
        # As the first sub-topology leaves them, if the second one is stopped before it has read.
        left = [(e.key.encode(), str(e.value).encode(), e.time) for e in sent(30, 30)]
        play.produce(topic, left)

        topology, entries = relay.topology()
        with pytest.raises(StreamsException, match="was left by Kafka Streams"):
            KafkaStreams(topology, entries, spark=spark).start()
        config = StreamsConfig(entries)
        assert planned_adoption(topology, config).facts()["unread"] == {topic: 30}
        relay.adopted()
        relay.send(sent(60, 30))
        relay.by_millstream(topic)
        assert note(relay).over_broker == (topic,)
        # The same program goes on in the same checkpoint, another one with a shuffle.
        relay.send(sent(90, 30))
        relay.by_millstream(topic)
        assert note(relay).over_broker == (topic,)
        filtered(relay)
        relay.send(sent(120, 30))
        relay.by_millstream()
        assert note(relay).over_broker == ()
        end = sum(play.ends(topic).values())
        relay.handed_back()
        relay.send(sent(150, 30))
        relay.by_jvm()
        assert sum(play.ends(topic).values()) > end
        results = relay.results()["out-count"]
    counts = {key: [int(value or b"") for value, *_ in each] for key, each in results.items()}
    assert counts == {key.encode(): list(range(1, 61)) for key in KEYS}
