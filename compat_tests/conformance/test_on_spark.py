"""Recorded scenarios of the real Kafka Streams on Spark: some of them, every operator among them.

A third of them: `tox run -e long`; all: `tox run -e spark-conformance`.
"""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests import SCENARIOS
from compat_tests.conformance.corpus import Verdict, read_scenario, scenario_files, with_serdes
from compat_tests.conformance.hostile import kind_of
from compat_tests.conformance.representatives import representatives
from compat_tests.conformance.spark_alone import Applications
from compat_tests.conformance.spark_host import SparkWorld
from compat_tests.effort import LONG, witnesses
from compat_tests.hosts.broker import BrokerClient

# The long form has the representatives of the usual one, too: they go through the same queries.
pytestmark = [pytest.mark.long] if LONG else []
SHARE = 3 if LONG else 24
FILES = representatives(scenario_files(SCENARIOS), SHARE)
TOGETHER = [f"{file.parent.name}/{file.stem}" for file in FILES]
HOSTILE = [name for name in TOGETHER if not name.startswith("serdes/")][::4]
"""Those that are run with serdes and functions that behave badly, too."""
ALONE = [
    "stateless/hand-all-ops",
    "group-stream/group-stream-1-02",
    "table-ops/hand-filter-materialized",
    "window-time/hand-rekeyed",
    "papi/hand-shared-store",
    "headers/own-extractor-sees-shared-header",
    "handlers/own-throw-middle-sibling-default",
]


@pytest.fixture(scope="module")
def verdicts(spark: Any, broker: BrokerClient) -> dict[str, Verdict]:
    """What became of each scenario, all in a few queries."""
    world = SparkWorld(spark, broker)
    scenarios = {name: _scenario(name) for name in TOGETHER}
    hostile = {f"{name} hostile": _hostile(name) for name in HOSTILE}
    every = {**scenarios, **hostile}
    return dict(zip(every, world.judge_all(every.values()), strict=True))


@pytest.mark.parametrize("name", TOGETHER)
def test_a_topology_does_on_spark_what_kafka_streams_did(
    name: str, verdicts: dict[str, Verdict]
) -> None:
    verdict = verdicts[name]
    if verdict.skipped_for:
        pytest.skip(verdict.skipped_for)
    assert not verdict.differences, "\n".join(verdict.differences)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_serdes_change_nothing_on_spark(name: str, verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts[f"{name} hostile"]
    if verdict.skipped_for:
        pytest.skip(verdict.skipped_for)
    assert not verdict.differences, "\n".join(verdict.differences)


@pytest.mark.parametrize("name", witnesses(ALONE, 3))
def test_an_application_of_its_own_does_what_kafka_streams_did(
    name: str, spark: Any, broker: BrokerClient
) -> None:
    verdict = Applications(spark, broker).judge(_scenario(name))
    # A scenario that has become one that cannot be run must not go unnoticed.
    assert verdict.skipped_for is None
    assert not verdict.differences, "\n".join(verdict.differences)


def _hostile(name: str) -> dict[str, Any]:
    return with_serdes(_scenario(name), kind_of(name))


def _scenario(name: str) -> dict[str, Any]:
    return read_scenario(SCENARIOS / f"{name}.json")
