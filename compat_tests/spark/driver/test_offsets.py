"""Offsets as Spark's Kafka source reads them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from compat_tests.spark.evolution.support import BASE
from millstream import AutoOffsetReset, Consumed, Serdes, StreamsBuilder, StreamsConfig
from millstream.core.errors import ConfigException, StreamsException
from millstream.topology.spark.driver.brokers import EARLIEST, LATEST
from millstream.topology.spark.driver.offsets import (
    offsets_json,
    reset_policies,
    starting_offsets,
)


def test_starting_offsets_are_written_for_spark() -> None:
    offsets = {"a": {0: 5, 1: -2}, "b": {0: -1}}

    assert json.loads(offsets_json(offsets, ["a"])) == {"a": {"0": 5, "1": -2}}


@pytest.mark.parametrize(
    ("given", "policy"),
    [
        (None, ("earliest", None)),
        ("none", ("none", None)),
        ("by_duration:PT1H30M", ("by_duration", 5_400_000)),
        ("by_duration:p1dt0.5s", ("by_duration", 86_400_500)),
    ],
)
def test_a_reset_policy_is_read_from_the_configuration(
    given: str | None, policy: tuple[str, int | None]
) -> None:
    builder = StreamsBuilder()
    own: Consumed[str, str] = Consumed.with_(Serdes.String(), Serdes.String())
    own = own.withOffsetResetPolicy(AutoOffsetReset.latest())
    builder.stream("a").to("out")
    builder.stream("b", own).to("out")
    entries = {} if given is None else {"auto.offset.reset": given}
    found = reset_policies(builder.build().plan(), ["a", "b"], StreamsConfig(BASE | entries))
    assert found == {"a": policy, "b": ("latest", None)}


class OneCommitted:
    """A cluster whose group has committed an offset of partition 0 only."""

    def committed(self, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], int]:
        return {place: 7 for place in places if place[1] == 0}

    def at_time(self, places: Sequence[tuple[str, int]], time_ms: int) -> dict[Any, int]:
        del time_ms
        return dict.fromkeys(places, 3)


@pytest.mark.parametrize("policy", ["earliest", "latest", "by_duration:PT1H"])
def test_new_partitions_of_a_topic_that_was_read_begin_at_their_beginning(policy: str) -> None:
    builder = StreamsBuilder()
    builder.stream(["a", "b"]).to("out")
    config = StreamsConfig(BASE | {"auto.offset.reset": policy})
    brokers: Any = OneCommitted()
    plan, sizes = builder.build().plan(), {"a": 2, "b": 2}
    found = starting_offsets(plan, config, brokers, sizes, known=["a"])
    by_policy = {"earliest": EARLIEST, "latest": LATEST}.get(policy, 3)
    assert found == {"a": {0: 7, 1: EARLIEST}, "b": {0: 7, 1: by_policy}}


def test_new_partitions_are_refused_with_the_policy_none() -> None:
    builder = StreamsBuilder()
    builder.stream("a").to("out")
    config = StreamsConfig(BASE | {"auto.offset.reset": "none"})
    brokers: Any = OneCommitted()
    with pytest.raises(StreamsException, match="no committed offset for partition 1"):
        starting_offsets(builder.build().plan(), config, brokers, {"a": 2}, known=["a"])


@pytest.mark.parametrize("given", ["EARLIEST", "by_duration", "by_duration:", "by_duration:-PT1S"])
def test_another_reset_policy_is_refused(given: str) -> None:
    builder = StreamsBuilder()
    builder.stream("a").to("out")
    config = StreamsConfig(BASE | {"auto.offset.reset": given})
    with pytest.raises(ConfigException, match="auto.offset.reset"):
        reset_policies(builder.build().plan(), ["a"], config)
