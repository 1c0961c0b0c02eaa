"""Steps that group streams and aggregate them, by window or not."""

from __future__ import annotations

from typing import Any

from compat_tests.oracle.generate.draft import Draft, Flow, Spec
from compat_tests.oracle.generate.functions import combine, key_function, reducer
from compat_tests.oracle.generate.windows import KINDS, materialized, window, windowed_key


def group(draft: Draft, flow: Flow) -> Flow:
    """Group a stream by its key, or by another."""
    serdes = {"value": draft.serde(flow.value), "name": draft.op_name()}
    if draft.chance(0.5):
        made = draft.step("groupByKey", flow, key=draft.serde(flow.key), **serdes)
        return Flow(id=made, kind="grouped", key=flow.key, value=flow.value)
    function, key = key_function(draft, flow.key, flow.value)
    made = draft.step("groupBy", flow, fn=function, key=draft.serde(key), **serdes)
    return Flow(id=made, kind="grouped", key=key, value=flow.value)


def aggregate(
    draft: Draft,
    windows: tuple[str, ...] = (),
    *,
    plain: float = 0.5,
    on_close: float = 0.15,
) -> None:
    """Aggregate a stream, possibly by window; a grouping may be used by two aggregations."""
    flow = draft.any_flow("stream")
    if flow is None:
        return
    grouped = group(draft, flow)
    for _ in range(2 if draft.chance(0.15) else 1):
        spec = None
        if not draft.chance(plain) and not grouped.key.startswith(("tw:", "sw:")):
            spec = window(draft, windows or KINDS)
        _aggregate(draft, grouped, spec, on_close)


def _aggregate(draft: Draft, grouped: Flow, spec: Spec | None, on_close: float) -> None:
    op = draft.pick("count", "reduce", "aggregate")
    fields: Spec = {}
    result = grouped.value
    if op == "count":
        result = "long"
    elif op == "reduce":
        fields["agg"] = reducer(draft, grouped.value)
    else:
        start, add, result, merge = combine(draft, grouped.value)
        fields |= {"agg": add}
        if spec and spec["type"] == "session":
            fields["merger"] = merge
    if spec is not None:
        fields["window"] = spec
        if draft.chance(on_close):
            fields["emit"] = draft.pick("close", "close", "update")
    store = materialized(draft, grouped.key, result, spec)
    name = _name(draft, op, spec, store)
    made = draft.step(op, grouped, name=name, materialized=store, **fields)
    if op == "aggregate":
        draft.steps[-1]["init"] = start
    key = grouped.key if spec is None else windowed_key(spec, grouped.key)
    draft.keep(Flow(id=made, kind="table", key=key, value=result))


def _name(draft: Draft, op: str, spec: Spec | None, store: Any) -> str | None:
    # Without windows and options, only count() takes a name.
    return draft.op_name() if store is not None or spec is not None or op == "count" else None


def cogroup(draft: Draft) -> None:
    """Aggregate two or three streams into one table."""
    streams = [flow for flow in draft.flows if flow.kind == "stream"]
    if not streams:
        return
    groups = [group(draft, draft.random.choice(streams)) for _ in range(draft.pick(2, 3))]
    groups = [grouped for grouped in groups if grouped.key == groups[0].key]
    numbers = all(grouped.value == "long" for grouped in groups) and draft.chance(0.7)
    result, merge = ("long", "sum") if numbers else ("string", "concat")
    choices = ["sum", "max", "count"] if numbers else ["concat", "plus", "keyConcat"]
    adds = [draft.random.choice(choices) for _ in groups]
    spec = None
    if draft.chance(0.6) and not groups[0].key.startswith(("tw:", "sw:")):
        spec = window(draft)
    store = materialized(draft, groups[0].key, result, spec)
    merger = merge if spec and spec["type"] == "session" else None
    fields: Spec = {"aggs": adds, "init": 0 if numbers else "", "window": spec, "merger": merger}
    made = draft.step("cogroup", *groups, name=draft.op_name(), materialized=store, **fields)
    key = groups[0].key if spec is None else windowed_key(spec, groups[0].key)
    windowed = spec is not None
    draft.keep(Flow(id=made, kind="table", key=key, value=result, no_lookup=windowed))
