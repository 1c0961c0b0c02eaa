"""Recorded scenarios of the real Kafka Streams on Spark: each operator once.

All of them: `tox -e spark-conformance`.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from compat_tests.conformance.corpus import Verdict, read_scenario
from compat_tests.conformance.spark_host import AT_ONCE, SparkWorld
from compat_tests.hosts.broker import BrokerClient

pytestmark = pytest.mark.spark

SCENARIOS = Path(__file__).parent / "oracle" / "scenarios"
NAMES = [
    "stateless/hand-all-ops",
    "stateless/stateless-1-06",
    "stateless/hand-split-first-match",
    "group-stream/group-stream-1-02",
    "group-stream/hand-reduce-null-result",
    "group-stream/hand-groupby-null-key",
    "table-ops/table-ops-1-00",
    "table-ops/table-ops-1-01",
    "table-ops/hand-filter-materialized",
    "window-time/hand-rekeyed",
    "window-time/hand-hopping-partly-late",
    "window-time/window-time-1-04",
    "cache/hand-expired-visible-nocache",
    "papi/hand-shared-store",
    "papi/hand-process-values",
    "punctuate/hand-buffer-flush",
    "headers/own-extractor-sees-shared-header",
    "config/hand-table-extractor",
    "handlers/own-throw-in-process-continue",
    "handlers/own-throw-middle-sibling-default",
]


@pytest.fixture(scope="module")
def verdicts(spark: Any, broker: BrokerClient) -> Iterator[dict[str, Future[Verdict]]]:
    """All scenarios, under way."""
    world = SparkWorld(spark, broker)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {
            name: pool.submit(world.judge, read_scenario(SCENARIOS / f"{name}.json"))
            for name in NAMES
        }
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_topology_does_on_spark_what_kafka_streams_did(
    name: str, verdicts: dict[str, Future[Verdict]]
) -> None:
    verdict = verdicts[name].result()
    # A scenario that has become one that Spark cannot run must not go unnoticed.
    assert verdict.skipped_for is None
    assert not verdict.differences, "\n".join(verdict.differences)
