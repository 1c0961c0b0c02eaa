"""Offsets as Spark's Kafka source reads them."""

from __future__ import annotations

import json

import pytest

from compat_tests.spark.evolution.support import BASE
from millstream import AutoOffsetReset, Consumed, Serdes, StreamsBuilder, StreamsConfig
from millstream.core.errors import ConfigException
from millstream.topology.spark.driver.offsets import offsets_json, reset_policies


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


@pytest.mark.parametrize("given", ["EARLIEST", "by_duration", "by_duration:", "by_duration:-PT1S"])
def test_another_reset_policy_is_refused(given: str) -> None:
    builder = StreamsBuilder()
    builder.stream("a").to("out")
    config = StreamsConfig(BASE | {"auto.offset.reset": given})
    with pytest.raises(ConfigException, match="auto.offset.reset"):
        reset_policies(builder.build().plan(), ["a"], config)
