"""Start offsets of a first start: the committed ones, else by the reset policy."""

from __future__ import annotations

import json
import time
from collections.abc import Container, Iterable, Mapping
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.durations import iso_duration_millis
from millstream.core.errors import ConfigException, StreamsException
from millstream.core.plan import Plan, SourceNode
from millstream.topology.spark.driver.brokers import EARLIEST, LATEST, Brokers

_BY_DURATION = "by_duration"


def starting_offsets(
    plan: Plan,
    config: StreamsConfig,
    brokers: Brokers,
    sizes: Mapping[str, int],
    feedback: Container[str] = (),
    known: Container[str] = (),
) -> dict[str, dict[int, int]]:
    """Return topic -> partition -> offset, EARLIEST or LATEST.

    Args:
        plan: The topology.
        config: Has the default reset policy.
        brokers: The client of the cluster.
        sizes: Partition counts of the topics to read.
        feedback: The feedback topics; none of their records may be skipped.
        known: Topics that the application has read before. Their new partitions are read from the
            beginning, unless their policy is ``none``.

    Raises:
        StreamsException: A partition has no committed offset and its policy is ``none``.
    """
    places = [(topic, number) for topic, count in sizes.items() for number in range(count)]
    committed = brokers.committed(places)
    offsets: dict[str, dict[int, int]] = {topic: {} for topic in sizes}
    for topic, policy in reset_policies(plan, sizes, config).items():
        missing = [place for place in places if place[0] == topic and place not in committed]
        if topic in feedback or (topic in known and policy[0] != "none"):
            policy = "earliest", None
        found = {place: committed[place] for place in places if place in committed}
        found |= _reset(missing, policy, brokers)
        offsets[topic] = {number: found[topic, number] for number in range(sizes[topic])}
    return offsets


def from_the_beginning(sizes: Mapping[str, int]) -> dict[str, dict[int, int]]:
    """Return the start offsets of global topics, which do not depend on committed offsets."""
    return {topic: dict.fromkeys(range(count), EARLIEST) for topic, count in sizes.items()}


def offsets_json(offsets: Mapping[str, Mapping[int, int]], topics: Iterable[str]) -> str:
    """Return the ``startingOffsets`` option of Spark's Kafka source for some topics."""
    return json.dumps({topic: {str(n): o for n, o in offsets[topic].items()} for topic in topics})


def reset_policies(
    plan: Plan, topics: Iterable[str], config: StreamsConfig
) -> dict[str, tuple[str, int | None]]:
    """Return the name of each topic's reset policy, and the duration of one that has it.

    Raises:
        ConfigException: The default policy is none of Kafka's.
    """
    fallback = config.getMainConsumerConfigs("", "", 0)["auto.offset.reset"]
    sources: list[SourceNode] = [s for part in plan.subtopologies for s in part.sources]
    found = {}
    for topic in topics:
        own: Any = next((s.offset_reset for s in sources if s.reads(topic)), None)
        found[topic] = _parsed(fallback) if own is None else (own.strategy, own.duration_ms)
    return found


def _parsed(policy: str) -> tuple[str, int | None]:
    if policy in ("none", "earliest", "latest"):
        return policy, None
    strategy, _, duration = str(policy).partition(":")
    if strategy == _BY_DURATION and (duration_ms := iso_duration_millis(duration)) is not None:
        return strategy, duration_ms
    raise ConfigException(
        f"Invalid value {policy} for configuration auto.offset.reset",
        hint="Write earliest, latest, none, or by_duration:PT24H with a duration of ISO 8601.",
    )


def _reset(
    places: list[tuple[str, int]], policy: tuple[str, int | None], brokers: Brokers
) -> dict[tuple[str, int], int]:
    strategy, duration_ms = policy
    if not places:
        return {}
    if strategy == "none":
        topic, partition = places[0]
        raise StreamsException(
            f'no committed offset for partition {partition} of topic "{topic}"',
            detail="Its reset policy is none.",
            hint="Commit offsets for the group, or choose earliest or latest.",
        )
    if strategy == _BY_DURATION:
        return brokers.at_time(places, int(time.time() * 1000) - (duration_ms or 0))
    return dict.fromkeys(places, LATEST if strategy == "latest" else EARLIEST)
