"""Steps on tables: sources, operators, groupings that take values back."""

from __future__ import annotations

from dataclasses import replace

from compat_tests.oracle.generate.draft import SCALARS, Draft, Flow, Spec
from compat_tests.oracle.generate.functions import (
    key_function,
    predicate,
    undoing,
    value_function,
)
from compat_tests.oracle.generate.windows import materialized


def source(draft: Draft) -> Flow:
    """A table of a topic; sometimes one that keeps versions."""
    key, value = "string", draft.random.choice(SCALARS)
    topic = draft.topic(f"tab{draft.number()}", key, value)
    draft.inputs.append(topic)
    versioned = draft.chance(0.2)
    store = _versioned(draft, key, value) if versioned else materialized(draft, key, value)
    serdes = {"key": draft.serde(key), "value": draft.serde(value)}
    name = draft.op_name()
    made = draft.step("table", topic=topic, name=name, materialized=store, **serdes)
    return draft.keep(Flow(id=made, kind="table", key=key, value=value, versioned=versioned))


def operator(draft: Draft) -> None:
    """A filter or a function of values."""
    flow = draft.any_flow("table")
    if flow is None:
        return
    op = draft.pick("filter", "filterNot", "mapValues", "mapValues", "transformValues")
    value, fields = flow.value, {}
    if op in ("filter", "filterNot"):
        fields["pred"] = predicate(draft, flow.key, flow.value)
    else:
        function, value, with_key = value_function(draft, flow.value)
        if op == "transformValues":
            fields["transformer"] = ["mapValue", function]
        else:
            fields |= {"fn": function, "withKey": with_key or None}
    store, versioned = None, flow.versioned
    if draft.chance(0.4):
        versioned = draft.chance(0.1)
        make = _versioned if versioned else materialized
        store = make(draft, flow.key, value)
    _plain_stores_of_windows(draft, flow, store)
    made = draft.step(op, flow, name=draft.op_name(), materialized=store, **fields)
    draft.keep(replace(flow, id=made, value=value, versioned=versioned))


def _versioned(draft: Draft, key: str, value: str) -> Spec:
    retention_ms = draft.pick(0, 10, 50, 100_000)
    draft.edges_ms.append(retention_ms)
    name = f"vs{draft.number()}"
    return {"store": name, "key": key, "value": value, "historyRetention": retention_ms}


def _plain_stores_of_windows(draft: Draft, flow: Flow, store: Spec | None) -> None:
    """Leave a store with windowed keys out of queries: commands cannot name such keys."""
    if store and flow.key.startswith(("tw:", "sw:")):
        draft.store_kinds.pop(store.get("store", ""), None)


def to_stream(draft: Draft) -> None:
    flow = draft.any_flow("table")
    if flow is None:
        return
    function, key = None, flow.key
    if draft.chance(0.3):
        function, key = key_function(draft, flow.key, flow.value)
    made = draft.step("toStream", flow, fn=function, name=draft.op_name())
    draft.keep(replace(flow, id=made, kind="stream", key=key, versioned=False))


def to_table(draft: Draft) -> None:
    flow = draft.any_flow("stream")
    if flow is None:
        return
    store = materialized(draft, flow.key, flow.value)
    _plain_stores_of_windows(draft, flow, store)
    made = draft.step("toTable", flow, name=draft.op_name(), materialized=store)
    draft.keep(replace(flow, id=made, kind="table", suffix=""))


def regroup(draft: Draft) -> None:
    """Group a table by another key and aggregate."""
    flow = draft.any_flow("table")
    if flow is None:
        return
    function, key = key_function(draft, flow.key, flow.value)
    value_fn, value = None, flow.value
    if draft.chance(0.3):
        value_fn, value, _ = value_function(draft, flow.value)
    serdes = {"key": draft.serde(key), "value": draft.serde(value)}
    name = draft.op_name()
    made = draft.step("groupBy", flow, fn=function, valueFn=value_fn, name=name, **serdes)
    grouped = Flow(id=made, kind="grouped-table", key=key, value=value)
    op = draft.pick("count", "reduce", "aggregate")
    fields: Spec = {}
    if op == "count":
        value = "long"
    elif op == "reduce":
        _, fields["adder"], fields["subtractor"], kind = undoing(draft, value)
        if kind != value:
            fields |= {"adder": "last", "subtractor": "first"}
    else:
        start, fields["adder"], fields["subtractor"], value = undoing(draft, value)
        fields["init"] = start
    store = materialized(draft, key, value)
    name = draft.op_name() if store is not None or op == "count" else None
    made = draft.step(op, grouped, name=name, materialized=store, **fields)
    draft.keep(Flow(id=made, kind="table", key=key, value=value))
