"""Scenarios as applications of their own: what comes out, topic by topic.

A scenario is a `KafkaStreams` with topics of its own, and its records come in as few batches as
possible. That takes seconds for each; for many at a time see `spark_host`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from compat_tests.conformance.api import NotBuiltYetError
from compat_tests.conformance.compare import error_difference, topic_differences
from compat_tests.conformance.corpus import Verdict, crashed
from compat_tests.conformance.hosts import RawRecord
from compat_tests.conformance.replay import build, scenario_config, shown
from compat_tests.conformance.spark_alone_rules import (
    NO_CACHE,
    batches,
    expected_outputs,
    fed_topics,
    prefixed,
    reason_in_plan,
    reason_to_skip,
    written_topics,
)
from compat_tests.conformance.spark_rules import expected_failure
from compat_tests.conformance.values import error_record
from compat_tests.hosts.application import SparkApplication, fresh_name
from compat_tests.hosts.broker import BrokerClient
from millstream.core.errors import MillstreamError

Json = dict[str, Any]
AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Applications:
    """A Spark session and a broker for applications."""

    spark: Any
    broker: BrokerClient

    def judge_all(self, scenarios: Iterable[Json]) -> Iterator[Verdict]:
        """Run scenarios, a few at a time; the verdicts come in the order of the scenarios."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            yield from pool.map(self.judge, scenarios)

    def judge(self, scenario: Json) -> Verdict:
        """Run a scenario and compare."""
        try:
            reason = reason_to_skip(scenario)
            return Verdict(skipped_for=reason) if reason else self._compared(scenario)
        except NotBuiltYetError as missing:
            return Verdict(skipped_for=f"{missing} is not built yet")
        except Exception as error:  # noqa: BLE001 - the failure is the result
            return crashed(error)

    def _compared(self, original: Json) -> Verdict:
        scenario = prefixed(original, fresh_name("s") + "-")
        config = {**scenario_config(scenario), **NO_CACHE}
        expected = expected_failure(scenario)
        try:
            topology = build(scenario, config)
            plan = topology.plan()
        except NotBuiltYetError:
            raise
        except Exception as error:  # noqa: BLE001 - the failure is the result
            return Verdict(differences=tuple(error_difference(expected, error_record(error))))
        if reason := reason_in_plan(scenario, plan):
            return Verdict(skipped_for=reason)
        written = written_topics(scenario)
        every = sorted(written | fed_topics(scenario))
        self.broker.create(every)
        try:
            failure = self._failure(topology, config, every, batches(scenario, plan))
            found = self.broker.read(written)
        finally:
            self.broker.delete(every)
        return Verdict(
            differences=(
                *error_difference(expected, failure),
                *topic_differences(expected_outputs(scenario), _shown(scenario, found)),
            )
        )

    def _failure(
        self, topology: Any, config: Json, topics: list[str], runs: list[list[Any]]
    ) -> Json | None:
        """Run a topology to its end; what ended it before, if anything did."""
        application = None
        try:
            application = SparkApplication(self.spark, self.broker, topology, config, topics)
            application.start()
            for records in runs:
                application.feed(records)
        except MillstreamError as error:
            return error_record(error)
        finally:
            if application is not None:
                application.close()
        return None


def _shown(scenario: Json, found: dict[str, list[RawRecord]]) -> dict[str, list[Json]]:
    lines = {
        topic: [line for record in records if (line := shown(scenario, record))]
        for topic, records in found.items()
    }
    return {topic: records for topic, records in lines.items() if records}
