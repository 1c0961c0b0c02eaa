"""Scenarios on real Spark and a real broker, many in one query, compared as on the test driver."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from compat_tests.conformance.api import NotBuiltYetError
from compat_tests.conformance.compare import differences
from compat_tests.conformance.corpus import Verdict, crashed, judge
from compat_tests.conformance.replay import build, raw_record, scenario_config, shown
from compat_tests.conformance.spark_bundle import Member, Turn, run_bundle
from compat_tests.conformance.spark_rules import (
    compared,
    events_to_replay,
    may_forget,
    not_compared,
    reason_to_skip,
    topics_of,
)
from compat_tests.conformance.values import error_record
from compat_tests.hosts.broker import BrokerClient

Json = dict[str, Any]
IN_A_BUNDLE = 200
"""As many scenarios make up for the start of a query, and few enough are lost if it fails."""


@dataclass(frozen=True, slots=True)
class SparkWorld:
    """A Spark session and a broker that all scenarios share."""

    spark: Any
    broker: BrokerClient

    def judge_all(self, scenarios: Iterable[Json]) -> list[Verdict]:
        """Run scenarios and compare; the verdicts come in the order of the scenarios."""
        cases = [_case(scenario) for scenario in scenarios]
        running = [case for case in cases if isinstance(case, Case)]
        # Those that need the same number of stages and rounds go together.
        running.sort(key=lambda case: case.size)
        for start in range(0, len(running), IN_A_BUNDLE):
            bundle = running[start : start + IN_A_BUNDLE]
            try:
                run_bundle(self.spark, self.broker, [case.member for case in bundle])
            except Exception as error:  # noqa: BLE001 - the failure is the result of each of them
                for case in bundle:
                    case.crash = error
        return [case.verdict() if isinstance(case, Case) else case for case in cases]


@dataclass(slots=True)
class Case:
    """A scenario on its way through a bundle."""

    scenario: Json
    events: Sequence[Json]
    turn_of: Sequence[int]
    """The turn in which each event happens."""
    described: str
    member: Member
    left_out: Sequence[str]
    crash: Exception | None = None

    @property
    def size(self) -> tuple[int, int]:
        return len(self.member.plan.subtopologies), len(self.member.turns)

    def verdict(self) -> Verdict:
        """Compare what it did with what it was recorded to do."""
        if self.crash is not None:
            return crashed(self.crash)
        expect = self.scenario["expect"]
        recorded = expect["outputs"][: len(self.events)]
        right = {
            **expect,
            "outputs": compared(self.scenario, recorded, self.left_out),
            "stores": expect.get("stores", {}) if len(recorded) == len(expect["outputs"]) else {},
        }
        try:
            ours = self._result()
        except Exception as error:  # noqa: BLE001 - the failure is the result
            return crashed(error)
        found = differences({**self.scenario, "expect": right}, ours)
        return Verdict(differences=tuple(found), not_compared=tuple(self.left_out))

    def _result(self) -> Json:
        """What it did, in the form of `expect`."""
        outputs: list[Any] = []
        # What came out in a turn that is no event's would otherwise not be seen at all.
        early = [self.member.produced[turn] for turn in range(min(self.turn_of, default=0))]
        for number, (event, turn) in enumerate(zip(self.events, self.turn_of, strict=True)):
            if "query" in event:
                outputs.append(self.member.answers.get(number, {"error": "no such store"}))
                continue
            produced = [*chain(*early), *self.member.produced[turn]]
            early = []
            records = sorted(produced, key=lambda record: record.topic)
            lines = [line for each in records if (line := shown(self.scenario, each))]
            outputs.append(lines)
        outputs = compared(self.scenario, outputs, self.left_out)
        if self.member.failure is not None:
            failure = error_record(self.member.failure)
            return {"describe": self.described, "outputs": [*outputs[:-1], failure]}
        contents = {
            name: sorted(lines, key=lambda line: line.encode("utf-16-be"))
            for name, lines in self.member.stores.items()
        }
        return {"describe": self.described, "outputs": outputs, "stores": contents}


def _case(scenario: Json) -> Case | Verdict:
    if "error" in scenario["expect"]:
        # The same code refuses it, before there is a host.
        return judge(scenario)
    try:
        topology = build(scenario, scenario_config(scenario))
        plan = topology.plan()
        if reason := reason_to_skip(scenario, plan):
            return Verdict(skipped_for=reason)
        if not plan.subtopologies and not plan.globals:
            return Verdict(skipped_for="it reads no topic, which Spark's host refuses")
        events = events_to_replay(scenario, plan)
        turns, turn_of = _turns(scenario, events)
        member = Member(
            plan=plan,
            config=scenario_config(scenario),
            topics=topics_of(scenario, plan),
            store_types=scenario.get("stores", {}),
            turns=turns,
        )
        described = str(topology.describe())
        return Case(scenario, events, turn_of, described, member, not_compared(scenario, plan))
    except NotBuiltYetError as missing:
        return Verdict(skipped_for=f"{missing} is not built yet")
    except Exception as error:  # noqa: BLE001 - the failure is the result
        return crashed(error)


def _turns(scenario: Json, events: Sequence[Json]) -> tuple[list[Turn], list[int]]:
    """The turns of a scenario, one for each event but queries, which follow what came before.

    In the middle its worker loses everything, and has to make it anew from what is durable, unless
    that could be seen.
    """
    clock = scenario.get("wallClock", 0)
    turns = [Turn(clock=clock)] if _shows_clock(scenario) else []
    turn_of = []
    for number, event in enumerate(events):
        if "query" in event:
            before = turns.pop() if turns else Turn()
            asked = (number, event["query"], event["cmd"], event.get("as"))
            turns.append(before.asking(asked))
        elif "pipe" in event:
            turns.append(Turn(records=[raw_record(scenario, event)]))
        else:
            clock += event["advanceWallClock"]
            turns.append(Turn(clock=clock))
        turn_of.append(len(turns) - 1)
    if len(turns) > 1 and may_forget(scenario):
        middle = len(turns) // 2
        turns[middle] = replace(turns[middle], forget=True)
    return turns, turn_of


def _shows_clock(scenario: Json) -> bool:
    moves = any("advanceWallClock" in event for event in scenario["events"])
    return moves or '"wall"' in json.dumps(scenario["topology"]) or "wallClock" in scenario


@contextmanager
def spark_world() -> Iterator[SparkWorld]:
    """A world of one's own, which ends with the block."""
    from compat_tests.kafka.fixture import kafka_server
    from compat_tests.spark.support import QUICK_JVM
    from millstream.topology.spark.driver.session import new_session

    with kafka_server() as kafka:
        settings = {"spark.master": "local[2]", "spark.log.level": "OFF", **QUICK_JVM}
        spark = new_session(settings, "conformance")
        broker = BrokerClient(kafka.bootstrap_servers)
        try:
            yield SparkWorld(spark, broker)
        finally:
            broker.close()
            spark.stop()
