"""What of a scenario can be compared in few batches, and how it has to be fed.

The test driver commits after every record, has one task for the whole topology and a clock that
the scenario moves. Spark commits after every batch, has a task per sub-topology and a real clock.
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import Any

from compat_tests.conformance.api import NotBuiltYetError
from compat_tests.conformance.hostile import watched
from compat_tests.conformance.hosts import DriverHost, RawRecord
from compat_tests.conformance.replay import raw_record, replay
from compat_tests.conformance.spark_rules import SCHEDULING, expected_failure, incoming, internal
from millstream.core.plan import Plan, SubTopology

Json = dict[str, Any]

NO_CACHE = {"statestore.cache.max.bytes": 0}


def reason_to_skip(scenario: Json) -> str | None:
    """Why a scenario cannot be compared, as far as its text tells."""
    steps, expect = scenario["topology"], scenario["expect"]
    if "error" in expect:
        return None
    if watched(scenario):
        return "its serdes note what they are called with, and that stays in the worker"
    texts = [json.dumps(steps), json.dumps(expect["outputs"])]
    if any("advanceWallClock" in event for event in scenario["events"]):
        return "it moves the wall clock"
    if '"wall' in texts[0] or " wc=" in texts[1]:
        return "it shows the wall clock"
    if scenario.get("captureInternal"):
        return "it looks into internal topics"
    if not expected_outputs(scenario) and expected_failure(scenario) is None:
        return "nothing comes out of it"
    if any(_cannot_be_sent(event) for event in scenario["events"]):
        return "no client of Kafka for Python can send its records"
    if depends_on_commits(scenario):
        return "what comes out depends on when the driver commits"
    return None


def reason_in_plan(scenario: Json, plan: Plan) -> str | None:
    """Why a scenario cannot be compared, as its built topology tells."""
    fed = fed_topics(scenario)
    if any(not any(incoming(part, topic) for part in plan.subtopologies) for topic in fed):
        return "it sends records to a topic that nothing reads"
    if fed & {topic for part in plan.subtopologies for topic in part.sink_topics}:
        return "it sends records to a topic that the topology writes"
    written = {topic for part in plan.subtopologies for topic in part.sink_topics}
    if written & {topic for store in plan.globals for topic in store.source.topics}:
        return "what a sink writes to a global store is seen a batch later"
    if len(plan.subtopologies) > 1 and any(_schedules(step) for step in scenario["topology"]):
        return "its sub-topologies share a stream time on the driver only"
    return None


def depends_on_commits(scenario: Json) -> bool:
    """Whether the driver without a cache, where commits emit nothing, gives something else."""
    uncached = {**scenario, "config": {**scenario.get("config", {}), **NO_CACHE}}
    try:
        actual = replay(uncached, DriverHost())
    except NotBuiltYetError:
        return False
    return outputs_by_topic(actual) != expected_outputs(scenario)


def expected_outputs(scenario: Json) -> dict[str, list[Json]]:
    """What should come out, by topic; without what came of the record that failed."""
    return outputs_by_topic(scenario["expect"])


def outputs_by_topic(result: Json) -> dict[str, list[Json]]:
    """What came out in a result in the form of `expect`, by topic."""
    found: dict[str, list[Json]] = {}
    for output in result.get("outputs", []):
        for record in output if isinstance(output, list) else []:
            found.setdefault(record["topic"], []).append(record)
    return found


def fed_topics(scenario: Json) -> set[str]:
    """The topics that records are sent to."""
    return {event["pipe"] for event in scenario.get("events", []) if "pipe" in event}


def written_topics(scenario: Json) -> set[str]:
    """The topics that the topology may write: what should come out, and what is declared."""
    declared = {topic for topic in scenario["topics"] if not topic.endswith("*")}
    return (declared | expected_outputs(scenario).keys()) - fed_topics(scenario)


def batches(scenario: Json, plan: Plan) -> list[list[RawRecord]]:
    """The records, in runs that may be processed at once with the result of one by one."""
    outputs = scenario["expect"].get("outputs", [])
    events = [event for event in scenario["events"] if "pipe" in event]
    if expected_failure(scenario) is not None and outputs:
        # Nothing of a batch that fails comes out.
        events = [event for event in scenario["events"][: len(outputs)] if "pipe" in event]
        last = [[raw_record(scenario, events.pop())]]
    else:
        last = []
    records = [raw_record(scenario, event) for event in events]
    if _order_is_lost(plan, fed_topics(scenario)):
        return [[record] for record in records] + last
    runs = groupby(records, lambda record: record.topic)
    if all(len(_all_incoming(part, plan, records)) < 2 for part in plan.subtopologies):
        return [records, *last] if records else last
    return [list(run) for _, run in runs] + last


def prefixed(scenario: Json, prefix: str) -> Json:
    """The scenario with other topic names, so that it can share a broker."""
    copy = json.loads(json.dumps(scenario))
    copy["topics"] = {prefix + name: types for name, types in copy["topics"].items()}
    for step in copy["topology"]:
        for name in ("topic", "pattern"):
            if step.get(name):
                step[name] = prefix + step[name]
        if step.get("topics"):
            step["topics"] = [prefix + topic for topic in step["topics"]]
        if step.get("extractor"):
            step["extractor"] = ["prefixed", prefix, step["extractor"]]
    for event in copy.get("events", []):
        if "pipe" in event:
            event["pipe"] = prefix + event["pipe"]
    for output in copy["expect"].get("outputs", []):
        for record in output if isinstance(output, list) else []:
            record["topic"] = prefix + record["topic"]
    return dict(copy)


def _cannot_be_sent(event: Json) -> bool:
    # One client cannot send a time of 0, the other cannot send these nulls.
    if event.get("ts") != 0:
        return False
    headers = event.get("headers", [])
    return event["key"] is event["value"] is None or any(value is None for _, value in headers)


def _schedules(step: Json) -> bool:
    spec = step.get("processor")
    return (spec[0] if isinstance(spec, list) else spec) in SCHEDULING


def _all_incoming(part: SubTopology, plan: Plan, records: list[RawRecord]) -> set[str]:
    fed = {record.topic for record in records if incoming(part, record.topic)}
    return fed | internal(part, plan)


def _order_is_lost(plan: Plan, fed: set[str]) -> bool:
    """Whether records of one batch may meet in another order than they were sent in."""
    writers = [topic for part in plan.subtopologies for topic in part.sink_topics]
    if len(writers) > len(set(writers)):
        return True
    return any(
        internal(part, plan) and len(internal(part, plan) | _fed(part, fed)) > 1
        for part in plan.subtopologies
    )


def _fed(part: SubTopology, fed: set[str]) -> set[str]:
    return {topic for topic in fed if incoming(part, topic)}
