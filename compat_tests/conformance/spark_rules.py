"""What of a scenario can be compared on Spark, and why not the rest.

The test driver commits after every record, also after those that it passes from one sub-topology
to the next, and has one task for the whole topology. Spark commits after every batch and has a task
for each sub-topology. A scenario's events are therefore batches of their own, and what is left of
the difference is listed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from compat_tests.conformance import hostile
from compat_tests.conformance.hostile import watched
from compat_tests.conformance.replay import topic_types
from millstream.core.plan import Plan, SubTopology

Json = dict[str, Any]

NO_INTERNAL_TOPICS = "internal topics: changelogs and repartitions are not topics on Spark"
NOTHING_OF_A_FAILED_BATCH = "output of the event that failed: a failed batch writes nothing"
LAST_OF_A_BATCH = (
    "all but the last record per key and event: behind a repartition a cache is flushed by batches"
)
ORDER_OF_KEYS = (
    "the order of different keys of an event: several sub-topologies write the topic, or meet"
)

WRITTEN_FROM_OUTSIDE = (
    "what a query that writes answers: without a record in hand, the driver's changelog refuses it"
)
PATTERN_OFFSETS = "offsets on topics matched by a pattern: the driver counts them together"

LATEST_MS = (2**63 - 1) // 1000
SCHEDULING = {"tick", "buffer", "cancelAfter"}
COUNTING = {"script", "cancelAfter"}
WRITING = ("put", "delete", "remove")


def reason_to_skip(scenario: Json, plan: Plan) -> str | None:
    """Why nothing of a scenario can be compared."""
    if scenario.get("note") == "on the test driver only":
        return "it shows what only the test driver does"
    if watched(scenario):
        return "its serdes note what they are called with, and that stays in the worker"
    if scenario.get("serdes") is not None and (reason := hostile.reason_to_skip(scenario)):
        return reason
    if any(event.get("ts", 0) > LATEST_MS for event in scenario["events"]):
        return "Spark's timestamps do not reach as far as its event times"
    if any(_drops_for_named_topics(step) for step in scenario["topology"]):
        return "a topic has to exist on a broker also for records that the partitioner drops"
    written = {topic for part in plan.subtopologies for topic in part.sink_topics}
    if any(not written.isdisjoint(store.source.topics) for store in plan.globals):
        return "what it writes for its global tables reaches them in a batch of its own"
    if len(plan.subtopologies) < 2:
        return None
    shows = " st=" in json.dumps(scenario["expect"]["outputs"])
    if shows or any(_schedules_by_stream_time(step) for step in scenario["topology"]):
        return "its sub-topologies share a stream time on the driver only"
    return None


def _drops_for_named_topics(step: Json) -> bool:
    return "extractor" in step and step.get("partitioner") is not None


def not_compared(scenario: Json, plan: Plan) -> list[str]:
    """What has to be left out when a scenario is compared; none of it for most."""
    found = []
    if scenario.get("captureInternal"):
        found.append(NO_INTERNAL_TOPICS)
    if expected_failure(scenario) is not None:
        found.append(NOTHING_OF_A_FAILED_BATCH)
    behind = any(internal(part, plan) for part in plan.subtopologies)
    if behind and _cache_bytes(scenario) != 0:
        found.append(LAST_OF_A_BATCH)
    if _order_is_lost(plan):
        found.append(ORDER_OF_KEYS)
    if any(_writes(event) for event in scenario["events"]):
        found.append(WRITTEN_FROM_OUTSIDE)
    if any(source.pattern for part in plan.subtopologies for source in part.sources):
        found.append(PATTERN_OFFSETS)
    return found


def may_forget(scenario: Json) -> bool:
    """Whether a worker that loses its caches and processors shows the same as one that does not.

    What is only cached can still be read: expired windows, what a store of bounded size has
    dropped, headers that a store has no room for.
    And some processors count their calls in a field.
    """
    text = json.dumps([scenario["topology"], scenario.get("stores")])
    if any(f'"{word}"' in text for word in COUNTING) or '"caching": true' in text:
        return False
    return _cache_bytes(scenario) == 0 or not re.search(r'window|"tw:|"sw:|"session|"lru"', text)


def compared(scenario: Json, outputs: list[Any], left_out: Iterable[str]) -> list[Any]:
    """Outputs without what is not compared; the same for the expected and for our own."""
    what = set(left_out)
    pairs = zip(scenario["events"], outputs, strict=False)
    return [
        None if WRITTEN_FROM_OUTSIDE in what and _writes(event) else _compared(scenario, each, what)
        for event, each in pairs
    ]


def _compared(scenario: Json, output: Any, left_out: set[str]) -> Any:
    if isinstance(output, dict):
        return {name: value for name, value in output.items() if name != "records"}
    records = output
    if NO_INTERNAL_TOPICS in left_out:
        records = [each for each in records if topic_types(scenario, each["topic"]) is not None]
    if PATTERN_OFFSETS in left_out:
        records = [{**each, "value": _without_offset(each["value"])} for each in records]
    if LAST_OF_A_BATCH in left_out:
        last = {(each["topic"], each["key"]): each for each in records}
        records = [each for each in records if each is last[each["topic"], each["key"]]]
    if LAST_OF_A_BATCH in left_out or ORDER_OF_KEYS in left_out:
        # Records with one key stay in their order.
        records = sorted(records, key=lambda each: (each["topic"], str(each["key"])))
    return records


def _without_offset(value: Any) -> Any:
    """A value without the offset that a record's metadata show in it."""
    return re.sub(r"(\S+/\d+)/\d+ ts=", r"\1 ts=", value) if isinstance(value, str) else value


def _writes(event: Json) -> bool:
    return str(event.get("cmd", "")).startswith(WRITING)


def _schedules_by_stream_time(step: Json) -> bool:
    spec = step.get("processor")
    return isinstance(spec, list) and spec[0] in SCHEDULING and "stream" in spec


def expected_failure(scenario: Json) -> Json | None:
    """The error that should end the application, if one should."""
    if "error" in scenario["expect"]:
        return dict(scenario["expect"]["error"])
    outputs = scenario["expect"]["outputs"]
    pairs = zip(scenario["events"], outputs, strict=False)
    return next((o for e, o in pairs if "query" not in e and isinstance(o, dict)), None)


def events_to_replay(scenario: Json, plan: Plan) -> list[Json]:
    """The events up to the one that fails, or that only the test driver refuses."""
    read = {event["pipe"] for event in scenario["events"] if "pipe" in event}
    unread = {topic for topic in read if not _is_read(topic, plan)}
    events = []
    for event, _ in zip(scenario["events"], scenario["expect"]["outputs"], strict=False):
        if event.get("pipe") in unread:
            break
        events.append(event)
    return events


def topics_of(scenario: Json, plan: Plan) -> frozenset[str]:
    """Every topic that the topology may read from or write to on a broker."""
    named = {topic for topic in scenario["topics"] if not topic.endswith("*")}
    named |= {event["pipe"] for event in scenario["events"] if "pipe" in event}
    for output in scenario["expect"].get("outputs", []):
        records = output if isinstance(output, list) else output.get("records", [])
        named |= {record["topic"] for record in records}
    for part in plan.subtopologies:
        named |= {*part.source_topics, *part.sink_topics} - plan.repartition_topics.keys()
    for store in plan.globals:
        named |= set(store.source.topics)
    return frozenset(named)


def _is_read(topic: str, plan: Plan) -> bool:
    return any(incoming(part, topic) for part in plan.subtopologies) or any(
        store.source.reads(topic) for store in plan.globals
    )


def incoming(part: SubTopology, topic: str) -> bool:
    """Whether a sub-topology reads a topic."""
    return any(source.reads(topic) for source in part.sources)


def _cache_bytes(scenario: Json) -> Any:
    return scenario.get("config", {}).get("statestore.cache.max.bytes")


def internal(part: SubTopology, plan: Plan) -> set[str]:
    """The topics that a sub-topology reads and another one, or it itself, writes."""
    written = {topic for other in plan.subtopologies for topic in other.sink_topics}
    return {topic for topic in written if incoming(part, topic)}


def _order_is_lost(plan: Plan) -> bool:
    """Whether records that follow from one event may meet in another order than on the driver."""
    writers = [topic for part in plan.subtopologies for topic in part.sink_topics]
    if len(writers) > len(set(writers)):
        return True
    return any(len(internal(part, plan)) > 1 for part in plan.subtopologies)
