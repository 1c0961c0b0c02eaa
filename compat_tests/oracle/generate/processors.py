"""Topologies of scripted processors: named children, shared stores, schedules in odd places."""

from __future__ import annotations

from typing import Any

from compat_tests.oracle.generate.draft import Draft, Spec

Action = list[Any]

CONTINUE = "org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler"
TEXTS = {"key": "string", "value": "string"}


def source(draft: Draft) -> None:
    """A source of one topic or two, and a processor below it."""
    number = draft.number()
    topics = [draft.topic(f"in{number}{letter}", "string", "string") for letter in "ab"]
    topics = topics[: draft.pick(1, 1, 2)]
    draft.inputs += topics
    extractor = draft.pick(None, None, "usePartitionTime", "logAndSkip", ["partitionTimeIfNeg", 1])
    if draft.chance(0.4):
        draft.config["processing.exception.handler"] = CONTINUE
    if draft.chance(0.4):
        draft.extra["wallClock"] = draft.pick(7, 1000)
    _add(draft, "addSource", name=f"source{number}", topics=topics, ts=extractor, **TEXTS)
    _processor(draft, [f"source{number}"])


def processor(draft: Draft) -> None:
    """One more processor below one or two nodes."""
    parents = [step["name"] for step in draft.steps if step["op"] in ("addSource", "addProcessor")]
    _processor(draft, draft.random.sample(parents, min(len(parents), draft.pick(1, 1, 2))))


def _processor(draft: Draft, parents: list[str]) -> None:
    number = draft.number()
    name, sink = f"p{number}", f"sink{number}"
    stores = _stores(draft)
    script: Spec = {"stores": stores} if stores else {}
    if draft.chance(0.4):
        script["init"] = _actions(draft, None, stores, [], 0)
    script["process"] = [*_actions(draft, "record", stores, [sink], 0), ["forward"]]
    _add(draft, "addProcessor", name=name, processor=["script", script], parents=parents)
    for parent in parents:
        _sometimes_to_child(draft, parent, name)
    for store in stores:
        _connect(draft, store, name)
    topic = draft.topic(f"out{number}", "string", "string")
    partitioner = draft.pick(None, None, None, ["dropKey", "b"], ["dropValue", "A1"], ["default"])
    fields = {"topic": topic, "parents": [name], "partitioner": partitioner}
    _add(draft, "addSink", name=sink, **fields, **TEXTS)


def _add(draft: Draft, op: str, **fields: Any) -> None:
    draft.steps.append({"op": op} | {key: part for key, part in fields.items() if part is not None})


def _sometimes_to_child(draft: Draft, parent: str, child: str) -> None:
    for step in draft.steps:
        if step.get("name") == parent and "processor" in step and draft.chance(0.4):
            step["processor"][1]["process"].insert(0, ["forward", child])


def _stores(draft: Draft) -> list[str]:
    """Names of stores to use: new ones, and ones of other processors."""
    known = [name for name in draft.stores if name.startswith("kv")]
    chosen = [name for name in known if draft.chance(0.5)]
    if draft.chance(0.5):
        name = f"kv{draft.number()}"
        draft.stores[name], draft.store_kinds[name] = ["string", "string"], "kv"
        chosen.append(name)
    return chosen


def _connect(draft: Draft, store: str, name: str) -> None:
    if any(
        step["op"] == "addStateStore" and step["store"]["name"] == store for step in draft.steps
    ):
        _add(draft, "connectProcessorAndStateStores", processor=name, stores=[store])
        return
    spec: Spec = {"name": store, "kind": draft.pick("kv", "kv-inmemory"), **TEXTS}
    if draft.chance(0.35):
        spec["caching"] = True
    _add(draft, "addStateStore", store=spec, processors=[name])


def record_actions(draft: Draft, stores: list[str]) -> list[Action]:
    """Some actions on a record, with stores; their child may be named `sink`."""
    return _actions(draft, "record", stores, ["sink"], 0)


def _actions(
    draft: Draft, record: str | None, stores: list[str], children: list[str], depth: int
) -> list[Action]:
    """Some actions; without children there is nothing to forward to, as in `init`."""
    return [
        _action(draft, record, stores, children, depth) for _ in range(draft.random.randint(1, 3))
    ]


def _action(
    draft: Draft, record: str | None, stores: list[str], children: list[str], depth: int
) -> Action:
    kinds = ["cancel", "commit"]
    kinds += ["emit"] * 3 if children else []
    kinds += ["put"] * 3 if stores else []
    kinds += ["dump"] if stores and children else []
    kinds += ["schedule"] * (1 if record else 2) if depth < 2 else []
    kinds += ["forward", "addHeader", "when", "every", "throw"] if record else []
    kind = draft.random.choice(kinds)
    if kind in ("when", "every"):
        condition = draft.pick(["contains", "A"], "isNull", ["keyIs", "a"])
        below = _actions(draft, record, stores, children, depth + 1)
        return [kind, condition if kind == "when" else draft.pick(2, 3), below]
    if kind == "schedule":
        below = _actions(draft, None, stores, children or ["sink"], depth + 1)
        start = draft.pick(None, None, None, 0, 7, 40)
        interval, clock = draft.pick(5, 10, 25), draft.pick("stream", "wall")
        return [kind, draft.pick("s", "w"), interval, clock, start, _to_all(below)]
    text = _text(draft, record, stores)
    simple: dict[str, Action] = {
        "emit": ["emit", draft.pick("x", "{k}" if record else "p", None), text],
        "cancel": ["cancel", draft.pick("s", "w")],
        "commit": ["commit"],
        "forward": ["forward", *children[:1]],
        "addHeader": ["addHeader", draft.pick("h", "p"), "{v}"],
        "throw": ["when", ["contains", "C"], [["throw"]]],
    }
    if stores:
        store = draft.random.choice(stores)
        put = ["put", store, draft.pick("a", "b", "z{n}"), draft.pick(text, text, None)]
        simple |= {"put": put, "dump": ["dump", store]}
    return simple[kind]


def _to_all(actions: list[Action]) -> list[Action]:
    """The actions without named children: a schedule made in `init` knows of none."""
    return [action[:3] if action[0] == "emit" else action for action in actions]


def _text(draft: Draft, record: str | None, stores: list[str]) -> str:
    fields = ["{t}", "{n}", "{meta}", "{task}"]
    fields += ["{k}", "{v}", "{h}", "{v}"] if record else []
    for store in stores:
        # Of a fixed key; and, where there is a record, of its key.
        fields += [f"{{get:{store}:a}}", *([f"{{get:{store}}}"] if record else [])]
    return " ".join(draft.random.sample(fields, draft.random.randint(1, 3)))
