"""What programs rarely do, added to a scenario that has been made up.

Results of any operator in a versioned, bounded or given store; partitioners that drop records or
fail; topics by key or header; foreign keys that are null; functions of tables that fail; tiny
caches.
"""

from __future__ import annotations

from typing import Any

from compat_tests.oracle.generate.draft import Draft, Flow, Spec

CONTINUE = "org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler"
WINDOWED = ("tw:", "sw:")
TABLES = {"filter", "filterNot", "mapValues", "join", "toTable", "table"}
AGGREGATES = {"count", "reduce", "aggregate", "cogroup"}


def vary(draft: Draft) -> None:
    """Change some of the steps."""
    results = {flow.id: flow for flow in draft.flows if not flow.suffix}
    for step in draft.steps:
        found = results.get(step.get("id", ""))
        if found is not None and found.kind == "table":
            _other_store(draft, step, found)
            _failing(draft, step, found, results)
        _failing_key(draft, step, results)
        if step["op"] in ("flatMap", "flatMapValues") and draft.chance(0.1):
            step["fn"] = "none"
        if step["op"] in ("to", "repartition"):
            _partitioner(draft, step)
        if step["op"] == "to" and "topic" in step and draft.chance(0.1):
            _by_record(draft, step)
        if "fk" in step and draft.chance(0.4):
            step["fk"] = draft.pick(["field", 1], ["nullIf", "B2"], ["nullIf", 4], "null", "k")
    if draft.chance(0.3):
        draft.config["statestore.cache.max.bytes"] = draft.pick(1, 60, 90, 250, 300)


def _other_store(draft: Draft, step: Spec, flow: Flow) -> None:
    plain = "window" not in step and not flow.key.startswith(WINDOWED)
    if not plain or step["op"] not in TABLES | AGGREGATES or not draft.chance(0.3):
        return
    given: Spec = step.get("materialized") or {}
    name = given.get("store") or f"rare{draft.number()}"
    if "materialized" not in step and step["op"] in AGGREGATES:
        step.pop("name", None)
    made: Spec = {"store": name, "key": flow.key, "value": flow.value}
    if draft.chance(0.5):
        made["historyRetention"] = draft.pick(0, 5, 10, 50, 100_000)
        draft.edges_ms.append(max(1, made["historyRetention"]))
    elif draft.chance(0.5):
        made["supplier"] = "in_memory"
    else:
        made |= {"supplier": "lru", "size": draft.pick(1, 2, 3)}
    if draft.chance(0.3):
        made["caching"] = draft.chance(0.6)
    if draft.chance(0.15):
        made["logging"] = False
    step["materialized"] = made
    draft.stores[name] = [flow.key, flow.value]
    draft.store_kinds.pop(name, None)


def _failing(draft: Draft, step: Spec, flow: Flow, results: dict[str, Flow]) -> None:
    """A function of a table that fails for one value; before it came the type of its argument."""
    above = results.get(step.get("from", [""])[0])
    same = above is not None and above.value == flow.value and not step.get("withKey")
    if step["op"] != "mapValues" or not same or not draft.chance(0.3):
        return
    step["fn"] = ["throwIf", 4 if flow.value == "long" else "A1"]
    if draft.chance(0.85):
        draft.config["processing.exception.handler"] = CONTINUE


def _failing_key(draft: Draft, step: Spec, results: dict[str, Flow]) -> None:
    """A function to a key that fails for one value, and gives the others themselves."""
    above = results.get(step.get("from", [""])[0])
    result = results.get(step.get("id", ""))
    key = step.get("key", "string") if step["op"] == "groupBy" else result and result.key
    if above is None or above.value != key or not draft.chance(0.4):
        return
    field = "mapper" if "mapper" in step else "fn"
    if step["op"] in ("groupBy", "selectKey") or field == "mapper":
        step[field] = ["throwIf", 4 if key == "long" else "A1"]
        if draft.chance(0.85):
            draft.config["processing.exception.handler"] = CONTINUE
        if draft.chance(0.3):
            draft.config["errors.dead.letter.queue.topic.name"] = "dead"


def _partitioner(draft: Draft, step: Spec) -> None:
    if draft.chance(0.2):
        choices: list[Any] = [["dropKey", "b"], ["dropValue", "A1"], ["default"], ["dropKey", "a"]]
        step["partitioner"] = draft.pick(*choices, ["throwKey", "c"])


def _by_record(draft: Draft, step: Spec) -> None:
    """Let each record choose its topic."""
    key, value = draft.topics.pop(step.pop("topic"))
    prefix = f"rdyn{draft.number()}-"
    if key == "string":
        step["extractor"] = draft.pick(["key", prefix], ["header", "h", prefix + "none"])
    else:
        step["extractor"] = ["parity", prefix]
    draft.topic(prefix + "*", key, value)
    if step["extractor"][0] == "header":
        # The values of headers in these scenarios are v and the time.
        draft.topic("v*", key, value)
