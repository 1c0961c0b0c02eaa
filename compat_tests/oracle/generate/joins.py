"""Joins of whatever streams and tables a scenario has so far."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from compat_tests.oracle.generate.draft import SCALARS, Draft, Flow, Spec
from compat_tests.oracle.generate.functions import key_function
from compat_tests.oracle.generate.windows import materialized


def global_table(draft: Draft) -> Flow:
    """A global table of a topic."""
    value = draft.random.choice(SCALARS)
    topic = draft.topic(f"tabg{draft.number()}", "string", value)
    draft.inputs.append(topic)
    store = materialized(draft, "string", value, named=True)
    made = draft.step("globalTable", topic=topic, key="string", value=value, materialized=store)
    return draft.keep(Flow(id=made, kind="global", key="string", value=value))


def stream_stream(draft: Draft) -> None:
    """A windowed join; now and then of a stream with itself."""
    pair = _alike(draft, "stream", "stream")
    if pair is None:
        return
    left, right = pair
    diff: int = draft.pick(0, 3, 5, 10)
    windows: Spec = {"diff": diff}
    if draft.chance(0.7):
        windows["grace"] = draft.pick(0, 2, 5, 20)
    for side in ("before", "after"):
        if draft.chance(0.2):
            windows[side] = draft.pick(0, 2, 8)
    before, after = (int(windows.get(side, diff)) for side in ("before", "after"))
    grace = int(windows.get("grace", 0))
    draft.edges_ms += [max(1, before), max(1, after), before + after + grace + 1]
    fields = _serdes(left, right) | _stores(draft, before + after, grace)
    how = draft.pick("inner", "left", "outer")
    _join(draft, left, right, how, "stream", windows=windows, **fields)


def stream_table(draft: Draft) -> None:
    """A stream looks up a table; with grace if the table keeps versions."""
    pair = _alike(draft, "stream", "table")
    if pair is None:
        return
    grace = draft.pick(None, 0, 3, 10) if pair[1].versioned else None
    if grace:
        draft.edges_ms.append(grace)
    fields = {**_serdes(*pair), "grace": grace}
    _join(draft, *pair, draft.pick("inner", "left"), "stream", **fields)


def stream_global(draft: Draft) -> None:
    """A stream looks up a global table by a key made of the record."""
    stream = draft.any_flow("stream")
    tables = [flow for flow in draft.flows if flow.kind == "global"]
    if stream is None or not tables:
        return
    mapper, key = key_function(draft, stream.key, stream.value)
    if key == "string":
        table = draft.random.choice(tables)
        _join(draft, stream, table, draft.pick("inner", "left"), "stream", mapper=mapper)


def table_table(draft: Draft) -> None:
    """Tables of the same keys."""
    pair = _alike(draft, "table", "table")
    if pair is not None:
        store = materialized(draft, pair[0].key, "string")
        how = draft.pick("inner", "left", "outer")
        _join(draft, *pair, how, "table", with_key=False, materialized=store)


def foreign_key(draft: Draft) -> None:
    """A table whose values name the keys of another."""
    left, right = draft.any_flow("table"), draft.any_flow("table")
    if left is None or right is None or right.key != "string":
        return
    if left.no_lookup or right.no_lookup:
        return
    fields: Spec = {"fk": "first" if left.value == "string" else "toString"}
    if draft.chance(0.3):
        fields = {"fk": draft.pick(fields["fk"], "keyStr"), "fkWithKey": True}
    for field in ("partitioner", "otherPartitioner"):
        if draft.chance(0.15):
            fields[field] = draft.pick(["dropKey", "c"], ["default"])
    fields["materialized"] = materialized(draft, left.key, "string")
    _join(draft, left, right, draft.pick("inner", "left"), "table", with_key=False, **fields)


def _join(
    draft: Draft,
    left: Flow,
    right: Flow,
    how: str,
    kind: str,
    *,
    with_key: bool = True,
    **fields: Any,
) -> None:
    function: Any = draft.pick("pair", "pair", ["nullIfLeft", "A1"])
    if with_key and draft.chance(0.25):
        function, fields["withKey"] = "keyPair", True
    name = draft.op_name()
    made = draft.step("join", left, right, how=how, fn=function, name=name, **fields)
    draft.keep(replace(left, id=made, kind=kind, value="string", versioned=False, suffix=""))


def _alike(draft: Draft, *kinds: str) -> tuple[Flow, Flow] | None:
    """Two flows of these kinds with the same type of key."""
    left = draft.any_flow(kinds[0])
    if left is None:
        return None
    found = [flow for flow in draft.flows if flow.kind == kinds[1] and flow.key == left.key]
    if kinds[1] == "table":
        found = [flow for flow in found if not flow.no_lookup and not left.no_lookup]
    return (left, draft.random.choice(found)) if found else None


def _serdes(left: Flow, right: Flow) -> Spec:
    return {"key": left.key, "value": left.value, "other": right.value}


def _stores(draft: Draft, size: int, grace: int) -> Spec:
    """How a windowed join keeps its records, where that is not left to Kafka."""
    made: Spec = {}
    number = draft.number()
    if draft.chance(0.2):
        made["storeName"] = f"js{number}"
    if draft.chance(0.15):
        made["storeType"] = "in_memory"
    if draft.chance(0.15):
        made["logging"] = draft.chance(0.5)
    for side in ("thisStore", "otherStore"):
        if draft.chance(0.15):
            wrong = 5 if draft.chance(0.1) else 0
            made[side] = {
                "kind": draft.pick("window", "window-inmemory"),
                "name": f"{side}{number}",
                "retention": size + grace + wrong,
                "windowSize": size,
            }
    return made
