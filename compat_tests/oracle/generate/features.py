"""What is tried together under one name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from compat_tests.oracle.generate import (
    aggregations,
    joins,
    mixed,
    processors,
    rarely,
    streams,
    tables,
)
from compat_tests.oracle.generate.draft import Draft, Spec
from compat_tests.oracle.generate.events import events
from compat_tests.oracle.generate.windows import KINDS

Step = Callable[[Draft], Any]
Weighted = dict[Step, int]

OPTIMIZATIONS = (
    *("all", "all", "none", "merge.repartition.topics", "reuse.ktable.source.topics"),
    "merge.repartition.topics,reuse.ktable.source.topics",
)
CACHE_BYTES = (0, 0, 10_485_760, 150, 400, 1000)


def _windowed(*kinds: str, on_close: float = 0.15) -> Weighted:
    return {partial(aggregations.aggregate, windows=kinds, plain=0, on_close=on_close): 1}


_STREAM: Weighted = {streams.stateless: 6, streams.merge: 1, streams.split: 1}
_TABLE: Weighted = {tables.operator: 5, tables.to_stream: 1, tables.to_table: 1}
_GROUP: Weighted = {partial(aggregations.aggregate, plain=1): 3, streams.stateless: 2}
_EVERYTHING: Weighted = {
    streams.stateless: 5,
    streams.merge: 1,
    streams.split: 1,
    streams.source: 1,
    tables.operator: 3,
    tables.to_stream: 2,
    tables.to_table: 1,
    tables.regroup: 2,
    tables.source: 1,
    aggregations.aggregate: 4,
    aggregations.cogroup: 1,
}

_SOURCES: Weighted = {streams.source: 1, tables.source: 1}
_TABLES: Weighted = {tables.source: 2, tables.operator: 2, tables.regroup: 1}
_SIDES: Weighted = {streams.source: 2, streams.stateless: 3, tables.to_stream: 1}


def _joined(join: Step, others: Weighted) -> Weighted:
    return {join: 4, **others}


FEATURES: dict[str, tuple[Weighted, Weighted, int, Spec]] = {
    # name: (sources, steps, most steps, options)
    "stateless": ({streams.source: 1}, _STREAM, 7, {}),
    "table-ops": ({tables.source: 1}, _TABLE, 5, {}),
    "group-stream": ({streams.source: 1}, _GROUP, 4, {"queries": 0.1}),
    "group-table": ({tables.source: 1}, {tables.regroup: 3, **_TABLE}, 4, {"queries": 0.1}),
    "cogroup": ({streams.source: 1}, {aggregations.cogroup: 2, streams.stateless: 1}, 3, {}),
    "window-time": ({streams.source: 1}, _windowed("tumbling", "hopping"), 2, {"jumps": 0.08}),
    "window-sliding": ({streams.source: 1}, _windowed("sliding"), 2, {"jumps": 0.08}),
    "window-session": ({streams.source: 1}, _windowed("session"), 2, {"jumps": 0.08}),
    "window-unlimited": ({streams.source: 1}, _windowed("unlimited"), 2, {}),
    "emit-final": ({streams.source: 1}, _windowed(*KINDS, on_close=1), 2, {"jumps": 0.1}),
    "cache": ({streams.source: 2, tables.source: 1}, _EVERYTHING, 5, {"queries": 0.15}),
    "naming": ({streams.source: 1, tables.source: 1}, _EVERYTHING, 14, {"naming": 0.3}),
    "chain": ({streams.source: 2, tables.source: 1}, _EVERYTHING, 8, {"queries": 0.05}),
    "wire": ({streams.source: 1, tables.source: 1}, _EVERYTHING, 4, {"internal": True}),
    "join-stream-stream": ({streams.source: 1}, _joined(joins.stream_stream, _SIDES), 6, {}),
    "join-stream-table": (_SOURCES, _joined(joins.stream_table, {**_SIDES, **_TABLES}), 6, {}),
    "join-table-table": ({tables.source: 1}, _joined(joins.table_table, _TABLES), 6, {}),
    "join-fk": ({tables.source: 1}, _joined(joins.foreign_key, _TABLES), 6, {}),
    "join-global": (
        {streams.source: 1, joins.global_table: 1},
        _joined(joins.stream_global, {**_SIDES, joins.global_table: 1}),
        6,
        {},
    ),
    "papi": ({processors.source: 1}, {processors.processor: 1}, 3, {"queries": 0.1}),
    "config": ({streams.source: 1, tables.source: 1}, _EVERYTHING, 5, {"topology_config": 0.6}),
    "mixed": (mixed.SOURCES, mixed.STEPS, 8, {"queries": 0.05, "jumps": 0.05, "settle": True}),
    "rare": (mixed.SOURCES, mixed.STEPS, 8, {"jumps": 0.05, "settle": True, "rare": True}),
}


def scenario(seed: int, feature: str, index: int) -> Spec:
    """Make the scenario of that number; the same numbers make the same scenario."""
    sources, steps, longest, options = FEATURES[feature]
    draft = Draft(random=Random(f"{seed}/{feature}/{index}"))
    draft.naming = options.get("naming", 0.15)
    _configure(draft, feature, options)
    for _ in range(draft.pick(1, 1, 2)):
        _one_of(draft, sources)(draft)
    for _ in range(draft.random.randint(1, longest)):
        _one_of(draft, steps)(draft)
    _write_ends(draft)
    if options.get("rare"):
        rarely.vary(draft)
    _avoid_known_differences(draft)
    count = 6 if feature == "naming" else draft.random.randint(10, 26)
    jumps, queries = options.get("jumps", 0.02), options.get("queries", 0.0)
    return {
        "name": f"{feature}-{seed}-{index:03d}",
        "feature": feature,
        **draft.extra,
        "config": draft.config,
        "topics": draft.topics,
        "stores": draft.stores,
        "topology": draft.steps,
        "events": events(draft, count, jumps=jumps, queries=queries),
    }


def _one_of(draft: Draft, weighted: Weighted) -> Step:
    return draft.random.choices(list(weighted), weights=list(weighted.values()))[0]


def _configure(draft: Draft, feature: str, options: Spec) -> None:
    if draft.chance(0.45):
        draft.config["topology.optimization"] = draft.random.choice(OPTIMIZATIONS)
    if draft.chance(0.9 if feature == "cache" else 0.5):
        draft.config["statestore.cache.max.bytes"] = draft.random.choice(CACHE_BYTES)
    if draft.chance(0.15):
        draft.config["default.dsl.store"] = draft.pick("in_memory", "rocksDB")
    if feature in ("naming", "config") and draft.chance(0.15):
        draft.config["ensure.explicit.internal.resource.naming"] = True
        draft.naming = draft.pick(0.7, 0.95)
    if draft.chance(options.get("topology_config", 0.05)):
        draft.extra["topologyConfig"] = True
    if options.get("internal"):
        draft.extra["captureInternal"] = True
    if options.get("settle"):
        mixed.settle(draft)


def _avoid_known_differences(draft: Draft) -> None:
    """Give the cache room where what a full one drops first is not Kafka's choice."""
    for step in draft.steps:
        kind = step.get("window", {}).get("type")
        reordered = kind in ("sliding", "session") or step.get("emit") == "close"
        if reordered and draft.config.get("statestore.cache.max.bytes"):
            draft.config["statestore.cache.max.bytes"] = max(CACHE_BYTES)
    if mixed.DEAD_LETTERS in draft.config and draft.extra.get("captureInternal"):
        # Their headers have a stack trace of Java.
        del draft.config[mixed.DEAD_LETTERS]
    if any(step.get("mapper") for step in draft.steps):
        # A repartition topic is not moved above a join with a global table.
        draft.config.pop("topology.optimization", None)


def _write_ends(draft: Draft) -> None:
    """Write what no step reads to a topic, and now and then what one does."""
    read = {name for step in draft.steps for name in step.get("from", [])}
    for flow in list(draft.flows):
        if flow.kind == "global" or (flow.name in read and not draft.chance(0.1)):
            continue
        if flow.kind == "table":
            made = draft.step("toStream", flow, name=draft.op_name())
            flow = replace(flow, id=made, kind="stream", suffix="")
        streams.sink(draft, flow)
