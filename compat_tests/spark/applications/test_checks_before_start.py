"""What is refused before Spark starts: each a typed error that names the culprit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compat_tests.kafka.topics import topics
from compat_tests.spark.support import Playground
from millstream import (
    BrokerNotFoundException,
    ConfigException,
    IllegalStateException,
    KafkaStreams,
    MissingSourceTopicException,
    StreamsBuilder,
    StreamsException,
    Topology,
    TopologyException,
)
from millstream.topology.spark.checkpoint.descriptor import FILE, Checkpoint
from millstream.topology.spark.checkpoint.files import LocalFiles


class _NoSpark:
    """A session that must not be touched."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"Spark was asked for {name}")


NO_SPARK: Any = _NoSpark()


def pass_through(source: str, target: str) -> Topology:
    return Topology().addSource("source", source).addSink("sink", target, "source")


def started(topology: Topology, config: dict[str, Any]) -> None:
    streams = KafkaStreams(topology, config, spark=NO_SPARK)
    states: list[str] = []
    streams.setStateListener(lambda new, old: states.append(new.name))
    try:
        streams.start()
    finally:
        assert states == ["REBALANCING", "PENDING_ERROR", "ERROR"]


def note_in(location: Path, note: Checkpoint) -> None:
    LocalFiles(location).write(FILE, note.to_json())


def test_a_missing_source_topic_is_named(play: Playground) -> None:
    there = play.topic("there")
    with pytest.raises(MissingSourceTopicException, match=f'"{play.name}-nowhere"'):
        started(
            Topology()
            .addSource("source", there, f"{play.name}-nowhere")
            .addSink("sink", there, "source"),
            play.config(),
        )
    # The broker creates topics that a producer asks for; this was no producer.
    assert f"{play.name}-nowhere" not in topics(play.servers)


def test_a_pattern_without_topics_is_named(play: Playground) -> None:
    import re

    topology = Topology().addSource("source", re.compile("nothing-like-it-.*"))
    with pytest.raises(MissingSourceTopicException, match='pattern "nothing-like-it-'):
        started(topology.addProcessor("end", object, "source"), play.config())


def test_an_unreachable_broker_is_named(play: Playground, monkeypatch: pytest.MonkeyPatch) -> None:
    from millstream.topology.spark.driver import brokers

    monkeypatch.setattr(brokers, "TIMEOUT_S", 1.0)
    with pytest.raises(BrokerNotFoundException, match='"127.0.0.1:1"'):
        started(pass_through("a", "b"), play.config(bootstrap_servers="127.0.0.1:1"))


def test_a_checkpoint_without_a_batch_is_any_programs(play: Playground, tmp_path: Path) -> None:
    from millstream.topology.spark.checkpoint.descriptor import FILE, new_checkpoint

    source, target = play.topic("in"), play.topic("out")
    other = Topology().addSource("other", source).addSink("sink", target, "other")
    location = tmp_path / play.name / "checkpoint"
    note_in(location, new_checkpoint(str(other.describe()), {"0": 2}, {}))
    with pytest.raises(AssertionError, match="Spark was asked"):
        started(pass_through(source, target), play.config())
    assert not (location / FILE).exists()


def test_joined_topics_with_different_partitions_are_refused() -> None:
    from millstream.core.plan import Plan, SourceNode, SubTopology
    from millstream.topology.spark.compile import compile_plan

    nodes = tuple(SourceNode(name=name, topics=(name,)) for name in ("a", "b"))
    part = SubTopology(id=0, nodes=nodes, stores=())
    plan = Plan(subtopologies=(part,), copartitioned=(frozenset(("a", "b")),))
    with pytest.raises(TopologyException, match="different numbers of partitions") as caught:
        compile_plan(plan, "app", {"a": 2, "b": 3})
    assert caught.value.detail == '"a" has 2, "b" has 3.'


def test_a_reset_policy_of_none_needs_committed_offsets(play: Playground) -> None:
    source, target = play.topic("in"), play.topic("out")
    with pytest.raises(StreamsException, match="no committed offset for partition 0"):
        started(pass_through(source, target), play.config(consumer_auto_offset_reset="none"))


def test_an_unknown_reset_policy_is_refused(play: Playground) -> None:
    source, target = play.topic("in"), play.topic("out")
    with pytest.raises(ConfigException, match="Invalid value oldest"):
        started(pass_through(source, target), play.config(consumer_auto_offset_reset="oldest"))


def test_an_application_starts_once(play: Playground) -> None:
    streams = KafkaStreams(pass_through("a", "b"), play.config(), spark=NO_SPARK)
    assert streams.close() is True
    assert streams.state().name == "NOT_RUNNING"
    with pytest.raises(IllegalStateException, match="NOT_RUNNING"):
        streams.start()


def test_an_empty_topology_is_refused() -> None:
    with pytest.raises((StreamsException, TopologyException)):
        KafkaStreams(
            StreamsBuilder().build(), {"application.id": "a", "bootstrap.servers": "b:9092"}
        )
