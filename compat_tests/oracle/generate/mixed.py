"""Steps for scenarios in which everything may meet everything: topics read twice, odd sources."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from compat_tests.oracle.generate import (
    aggregations,
    joins,
    stateful,
    streams,
    suppressions,
    tables,
)
from compat_tests.oracle.generate.draft import Draft, Flow
from compat_tests.oracle.generate.windows import materialized

CONTINUE = "org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler"
DEAD_LETTERS = "errors.dead.letter.queue.topic.name"
ANY_WINDOW = ("tumbling", "hopping", "sliding", "session", "unlimited", "slots")


def source(draft: Draft) -> Flow:
    """A stream whose keys may be numbers and whose times may come from an extractor."""
    flow = streams.source(draft)
    step = next(step for step in draft.steps if step.get("id") == flow.id)
    if "topics" in step and draft.chance(0.2):
        flow = _of_numbers(draft, flow, step["topics"], step)
    if draft.chance(0.25):
        choices = ["usePartitionTime", "logAndSkip", "failOnInvalid"]
        step["ts"] = draft.pick(*choices, *(["valueTs"] if flow.value == "long" else []))
        if step["ts"] in ("usePartitionTime", "logAndSkip"):
            # The real driver has one partition time for all topics of a pattern.
            draft.before_1970 |= set(step.get("topics", []))
    return flow


def _of_numbers(draft: Draft, flow: Flow, topics: list[str], step: dict[str, Any]) -> Flow:
    for topic in topics:
        draft.topics[topic] = ["long", flow.value]
    step["key"] = "long"
    draft.flows.remove(flow)
    return draft.keep(replace(flow, key="long"))


def read_again(draft: Draft) -> None:
    """One more stream or table of a topic that is read already."""
    topics = [topic for topic in draft.inputs if "-" not in topic and "g" not in topic]
    if not topics:
        return
    topic = draft.random.choice(topics)
    key, value = draft.topics[topic]
    fields = {"key": key, "value": value, "name": draft.op_name()}
    if draft.chance(0.85 if topic.startswith("in") else 0.15):
        made = draft.step("stream", topics=[topic], **fields)
        draft.keep(Flow(id=made, kind="stream", key=key, value=value))
        return
    store = materialized(draft, key, value)
    made = draft.step("table", topic=topic, materialized=store, **fields)
    draft.keep(Flow(id=made, kind="table", key=key, value=value))


def through(draft: Draft) -> None:
    """A topic of the application's own between two steps: written, and read as what it is not."""
    flow = draft.any_flow("stream")
    if flow is None or flow.key.startswith(("tw:", "sw:")):
        return
    topic = draft.topic(f"mid{draft.number()}", flow.key, flow.value)
    serdes = {"key": flow.key, "value": flow.value}
    draft.end("to", flow, topic=topic, name=draft.op_name(), **serdes)
    fields = {"name": draft.op_name(), **serdes}
    if draft.chance(0.5):
        made = draft.step("stream", topics=[topic], **fields)
        draft.keep(replace(flow, id=made, suffix=""))
        return
    kind = draft.pick("table", "table", "globalTable")
    store = materialized(draft, flow.key, flow.value, named=kind == "globalTable")
    made = draft.step(kind, topic=topic, materialized=store, **fields)
    kept = "global" if kind == "globalTable" else "table"
    draft.keep(Flow(id=made, kind=kept, key=flow.key, value=flow.value))


def self_join(draft: Draft) -> None:
    """A table with itself, or with what was made of it."""
    flow = draft.any_flow("table")
    if flow is None:
        return
    kept = draft.flows
    draft.flows = [flow, flow]
    (joins.table_table if draft.chance(0.6) else joins.foreign_key)(draft)
    draft.flows = kept + [made for made in draft.flows if made not in kept]


def failing(draft: Draft) -> None:
    """A function that fails for one value, mostly with a handler that goes on."""
    flow = draft.any_flow("stream")
    if flow is None:
        return
    if draft.chance(0.85):
        draft.config["processing.exception.handler"] = CONTINUE
        if draft.chance(0.4):
            draft.config[DEAD_LETTERS] = "dead"
    bad = ["throwIf", 4 if flow.value == "long" else "A1"]
    made = draft.step("mapValues", flow, fn=bad, name=draft.op_name())
    draft.keep(replace(flow, id=made, suffix=""))


SOURCES: dict[Callable[[Draft], Any], int] = {source: 3, tables.source: 2, joins.global_table: 1}
STEPS: dict[Callable[[Draft], Any], int] = {
    streams.stateless: 7,
    streams.merge: 2,
    streams.split: 1,
    source: 1,
    read_again: 1,
    through: 1,
    failing: 1,
    tables.operator: 3,
    tables.to_stream: 2,
    tables.to_table: 2,
    tables.regroup: 3,
    tables.source: 1,
    suppressions.suppress: 3,
    stateful.process: 3,
    stateful.transform: 1,
    stateful.global_store: 1,
    partial(aggregations.aggregate, windows=ANY_WINDOW): 5,
    aggregations.cogroup: 2,
    joins.global_table: 1,
    joins.stream_stream: 3,
    joins.stream_table: 3,
    joins.stream_global: 2,
    joins.table_table: 3,
    joins.foreign_key: 3,
    self_join: 1,
}


def settle(draft: Draft) -> None:
    """Settings and recordings that any scenario may have."""
    if draft.chance(0.12):
        draft.config["dsl.store.format"] = "headers"
    if draft.chance(0.25):
        draft.extra["captureInternal"] = draft.pick(True, "headers")
    if draft.chance(0.1):
        draft.extra["wrapped"] = True
    if draft.chance(0.2):
        draft.extra["wallClock"] = draft.pick(7, 1000)
    draft.extra["metrics"] = True
