"""Checks of a topology that is to run in a query of the user's."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.errors import (
    ConfigException,
    IllegalArgumentException,
    TopologyException,
    UnsupportedOperationException,
)
from millstream.core.plan import Plan, SinkNode
from millstream.topology.graph.frames import FrameInput
from millstream.topology.spark.order import feedback_topics

_DEAD_LETTERS = "errors.dead.letter.queue.topic.name"


def check_runnable(
    plan: Plan, inputs: Mapping[str, FrameInput], outputs: Collection[str], config: StreamsConfig
) -> list[str]:
    """Check that a topology can run in a query of the user's; return the topics that it reads.

    Raises:
        UnsupportedOperationException: It writes topics, or needs one that leads back, or reads by a
            pattern; or a bounded stream is read beside a streaming DataFrame.
        ConfigException: It reads topics, and no broker is named.
        TopologyException: It reads no DataFrame.
    """
    nodes = [node for part in plan.subtopologies for node in part.nodes]
    internal = plan.repartition_topics.keys()
    for node in nodes:
        if isinstance(node, SinkNode) and node.topic not in {*internal, *outputs}:
            target = (
                "a topic that an extractor chooses" if node.topic is None else f'"{node.topic}"'
            )
            raise UnsupportedOperationException(
                f"a query of a DataFrame cannot write {target}",
                detail=f'The sink "{node.name}" does. Writing a topic exactly once takes a '
                "transaction, which only KafkaStreams has.",
                hint='Write the DataFrame: toDataFrame().writeStream.format("kafka"), which may '
                "repeat records after a failure.",
            )
    if back := feedback_topics(plan):
        raise UnsupportedOperationException(
            f'a query of a DataFrame cannot have the feedback topic "{back[0]}"',
            detail="A foreign-key join sends records back to an earlier stage, by a topic of the "
            "broker.",
            hint="Join with a global table: globalTableFromDataFrame.",
        )
    if config.getString(_DEAD_LETTERS):
        raise UnsupportedOperationException(
            f"a query of a DataFrame cannot write {_DEAD_LETTERS}",
            hint="Leave the entry out, and let a handler log the record or fail.",
        )
    sources = [source for part in plan.subtopologies for source in part.sources]
    sources += [each.source for each in plan.globals]
    for source in sources:
        if source.pattern is not None:
            raise UnsupportedOperationException(
                f'a query of a DataFrame cannot read topics by the pattern of "{source.name}"',
                hint="Name the topics.",
            )
    names = dict.fromkeys(topic for source in sources for topic in source.topics)
    topics = [t for t in names if t not in internal and t not in inputs]
    if not inputs:
        raise TopologyException(
            "the topology reads no DataFrame",
            hint="Read one with fromDataFrame; or let KafkaStreams run it, and read its topics "
            'with spark.readStream.format("kafka").',
        )
    if topics and config.originals().get("bootstrap.servers") == "nowhere:0":
        raise ConfigException(
            'Missing required configuration "bootstrap.servers" which has no default value.',
            detail=f'The topology reads the topic "{topics[0]}".',
            hint='Give it: toDataFrame({"bootstrap.servers": "broker:9092"}).',
        )
    _check_bounded(inputs, topics)
    return topics


def session_of(inputs: Mapping[str, FrameInput]) -> SparkSession:
    """Return the session of the DataFrames.

    Raises:
        IllegalArgumentException: One is only a schema, or they are of two Spark applications.
    """
    for name, each in inputs.items():
        if not isinstance(each.frame, DataFrame):
            raise IllegalArgumentException(
                f'DataFrame "{name}" is only a schema',
                detail="With a schema a topology can be described and tested.",
                hint="Give the DataFrame itself to run it.",
            )
    sessions: list[SparkSession] = [each.frame.sparkSession for each in inputs.values()]
    if any(each.sparkContext is not sessions[0].sparkContext for each in sessions):
        raise IllegalArgumentException(
            "the DataFrames of the topology are of two Spark applications",
            hint="Make them with one SparkSession.",
        )
    return sessions[0]


def _check_bounded(inputs: Mapping[str, FrameInput], topics: Collection[str]) -> None:
    streaming: list[Any] = [n for n, e in inputs.items() if getattr(e.frame, "isStreaming", False)]
    if not streaming and not topics:
        return
    beside = f'DataFrame "{streaming[0]}"' if streaming else f'topic "{next(iter(topics))}"'
    for name, each in inputs.items():
        frame = each.frame
        if isinstance(frame, DataFrame) and not frame.isStreaming and not each.is_global:
            raise UnsupportedOperationException(
                f'DataFrame "{name}" is not streaming, and {beside} is',
                detail="After a restart a query could not tell which of its rows it has read.",
                hint="Read it with spark.readStream; or as a table with globalTableFromDataFrame.",
            )
