"""Processors and transformers of a user's own between operators, with stores and schedules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from compat_tests.oracle.generate.draft import Draft, Flow, Spec
from compat_tests.oracle.generate.processors import Action, record_actions

KV_KINDS = ("kv", "kv-inmemory", "plain over hkv", "plain over tkv")
STAMPED_KINDS = ("tkv", "tkv-inmemory", "timestamped over hkv", "timestamped over kv")


def process(draft: Draft) -> None:
    """A processor that looks at its context, keeps something, or has a schedule."""
    flow = draft.any_flow("stream")
    if flow is None or flow.key.startswith(("tw:", "sw:")):
        return
    makers = [_meta, _headers, _tick, _tick, _counter, _last_seen, _dedup, _buffer]
    if (flow.key, flow.value) == ("string", "string"):
        makers += [_window_count, _script, _script]
    else:
        makers.append(_window_count)
    processor, stores, key, value = draft.random.choice(makers)(draft, flow)
    fixed = processor[0] in ("counter", "dedup", "meta", "addHeader") and draft.chance(0.4)
    op = "processValues" if fixed else "process"
    fields: Spec = {"processor": processor, "name": draft.op_name(), **_given(draft, stores)}
    made = draft.step(op, flow, **fields)
    draft.keep(replace(flow, id=made, suffix="", key=key, value=value))


Made = tuple[Any, list[Spec], str, str]


def _meta(draft: Draft, flow: Flow) -> Made:
    return "meta", [], flow.key, "string"


def _headers(draft: Draft, flow: Flow) -> Made:
    processor = draft.pick(["addHeader", "p", "1"], ["removeHeader", "h"], "showHeaders")
    return processor, [], flow.key, "string" if processor == "showHeaders" else flow.value


def _tick(draft: Draft, flow: Flow) -> Made:
    interval, clock = draft.pick(1, 5, 10, 25), draft.pick("stream", "stream", "wall")
    start = draft.pick(None, None, 0, 7, 40)
    arguments = [interval, clock, *([] if start is None else [start])]
    if flow.key != "string" or flow.value != "string":
        # What is forwarded has texts.
        return "pass", [], flow.key, flow.value
    kind: list[Any] = ["cancelAfter", draft.pick(1, 2)] if draft.chance(0.4) else ["tick"]
    return [*kind, *arguments], [], flow.key, flow.value


def _counter(draft: Draft, flow: Flow) -> Made:
    store = _store(draft, draft.random.choice(KV_KINDS), flow.key, "long")
    return ["counter", store["name"]], [store], flow.key, "long"


def _last_seen(draft: Draft, flow: Flow) -> Made:
    store = _store(draft, draft.random.choice(STAMPED_KINDS), flow.key, flow.value)
    return ["lastSeen", store["name"]], [store], flow.key, "string"


def _dedup(draft: Draft, flow: Flow) -> Made:
    kind = draft.random.choice((*KV_KINDS, "kv-lru"))
    store = _store(draft, kind, flow.key, flow.value)
    return ["dedup", store["name"]], [store], flow.key, flow.value


def _buffer(draft: Draft, flow: Flow) -> Made:
    store = _store(draft, draft.random.choice(KV_KINDS), flow.key, flow.value)
    clock = draft.pick("stream", "wall")
    return ["buffer", store["name"], draft.pick(5, 10, 30), clock], [store], flow.key, flow.value


def _window_count(draft: Draft, flow: Flow) -> Made:
    size: int = draft.pick(5, 10)
    kind = draft.pick("window", "window-inmemory", "plain over hwindow")
    store = _store(draft, kind, flow.key, "long")
    store |= {"retention": draft.pick(size, 30, 100_000), "windowSize": size}
    draft.edges_ms += [size, store["retention"]]
    draft.store_kinds[store["name"]] = "window"
    return ["windowCount", store["name"], size], [store], flow.key, "string"


def _script(draft: Draft, flow: Flow) -> Made:
    store = _store(draft, draft.pick("kv", "kv-inmemory"), "string", "string")
    actions = _to_all(record_actions(draft, [store["name"]]))
    script: Spec = {"stores": [store["name"]], "process": [*actions, ["forward"]]}
    return ["script", script], [store], flow.key, flow.value


def _to_all(actions: list[Action]) -> list[Action]:
    """The actions without named children: the DSL names those."""
    made: list[Action] = []
    for action in actions:
        if action[0] == "forward":
            made.append(["forward"])
        elif isinstance(action[-1], list) and action[0] in ("when", "every", "schedule"):
            made.append([*action[:-1], _to_all(action[-1])])
        else:
            made.append(action)
    return made


def _store(draft: Draft, kind: str, key: str, value: str) -> Spec:
    name = f"own{draft.number()}"
    store: Spec = {"name": name, "kind": kind, "key": key, "value": value}
    if kind == "kv-lru":
        store["size"] = draft.pick(1, 2)
    if draft.chance(0.4):
        store["caching"] = draft.chance(0.7)
    if draft.chance(0.15):
        store["logging"] = False
    draft.stores[name], draft.store_kinds[name] = [key, value], "kv"
    return store


def _given(draft: Draft, stores: list[Spec]) -> Spec:
    """The stores of a processor: with its supplier, or added before and connected by name."""
    if not stores:
        return {}
    if draft.chance(0.4):
        return {"supplierStores": stores}
    for store in stores:
        draft.steps.append({"op": "store", "store": store})
    return {"stores": [store["name"] for store in stores]}


def transform(draft: Draft) -> None:
    """A transformer of a table's values that keeps a count in a store."""
    flow = draft.any_flow("table")
    if flow is None or flow.key.startswith(("tw:", "sw:")):
        return
    store = _store(draft, draft.random.choice(KV_KINDS), flow.key, "long")
    given = _given(draft, [store])
    if "supplierStores" in given:
        draft.steps.append({"op": "store", "store": store})
    fields: Spec = {"transformer": ["countCalls", store["name"]], "stores": [store["name"]]}
    made = draft.step("transformValues", flow, name=draft.op_name(), **fields)
    draft.keep(replace(flow, id=made, value="string", versioned=False))


def global_store(draft: Draft) -> None:
    """A global store with a processor that fills it, and a processor that looks into it."""
    flow = draft.any_flow("stream")
    if flow is None or flow.value != "string":
        return
    kind = draft.random.choice((*KV_KINDS, *STAMPED_KINDS))
    store = _store(draft, kind, "string", "string") | {"logging": False}
    store.pop("caching", None)
    topic = draft.topic(f"tabgs{draft.number()}", "string", "string")
    draft.inputs.append(topic)
    filler = ["globalPut", store["name"]]
    serdes = {"key": "string", "value": "string"}
    draft.steps.append(
        {"op": "globalStore", "store": store, "topic": topic, "processor": filler, **serdes}
    )
    lookup = ["globalLookup", store["name"]]
    made = draft.step("process", flow, processor=lookup, name=draft.op_name())
    draft.keep(replace(flow, id=made, suffix=""))
