"""Steps on streams: sources, stateless operators, branches, sinks."""

from __future__ import annotations

from dataclasses import replace

from compat_tests.oracle.generate.draft import SCALARS, Draft, Flow, Spec
from compat_tests.oracle.generate.functions import key_function, predicate, value_function


def source(draft: Draft) -> Flow:
    """A stream of one topic, of several, or of all that match a pattern."""
    key, value = "string", draft.random.choice(SCALARS)
    fields = {"key": draft.serde(key), "value": draft.serde(value), "name": draft.op_name()}
    number = draft.number()
    if draft.chance(0.1):
        topics = [draft.topic(f"p{number}-{letter}", key, value) for letter in "xy"]
        made = draft.step("stream", pattern=f"p{number}-.*", **fields)
    else:
        count = 2 if draft.chance(0.2) else 1
        topics = [draft.topic(f"in{number + i * 100}", key, value) for i in range(count)]
        made = draft.step("stream", topics=topics, **fields)
    draft.inputs += topics
    return draft.keep(Flow(id=made, kind="stream", key=key, value=value))


def stateless(draft: Draft) -> None:
    """An operator that looks at one record at a time."""
    flow = draft.any_flow("stream")
    if flow is None:
        return
    name = draft.op_name()
    draft.keep(replace(draft.pick(*_STATELESS)(draft, flow, name), suffix=""))


def _filter(draft: Draft, flow: Flow, name: str | None) -> Flow:
    op = draft.pick("filter", "filterNot")
    pred = predicate(draft, flow.key, flow.value)
    return replace(flow, id=draft.step(op, flow, pred=pred, name=name))


def _map_values(draft: Draft, flow: Flow, name: str | None) -> Flow:
    function, value, with_key = value_function(draft, flow.value)
    with_key = with_key or draft.chance(0.2)
    made = draft.step("mapValues", flow, fn=function, withKey=with_key or None, name=name)
    return replace(flow, id=made, value=value)


def _flat_map_values(draft: Draft, flow: Flow, name: str | None) -> Flow:
    function = draft.pick("chars", "words", ["each", ["toString", ["append", "+"]]])
    made = draft.step("flatMapValues", flow, fn=function, name=name)
    return replace(flow, id=made, value="string")


def _map(draft: Draft, flow: Flow, name: str | None) -> Flow:
    to_key, key = key_function(draft, flow.key, flow.value)
    to_value, value, _ = value_function(draft, flow.value)
    made = draft.step("map", flow, keyFn=to_key, valueFn=to_value, name=name)
    return replace(flow, id=made, key=key, value=value)


def _select_key(draft: Draft, flow: Flow, name: str | None) -> Flow:
    function, key = key_function(draft, flow.key, flow.value)
    return replace(flow, id=draft.step("selectKey", flow, fn=function, name=name), key=key)


def _flat_map(draft: Draft, flow: Flow, name: str | None) -> Flow:
    pairs = draft.pick([["keyStr", "v"], [["const", "w"], "v"]], [["keyStr", "v"]])
    made = draft.step("flatMap", flow, fn=["pairs", pairs], name=name)
    return replace(flow, id=made, key="string")


def _peek(draft: Draft, flow: Flow, name: str | None) -> Flow:
    return replace(flow, id=draft.step("peek", flow, name=name))


def _process(draft: Draft, flow: Flow, name: str | None) -> Flow:
    op = draft.pick("process", "processValues")
    processors = ["pass", ["tsShift", 3], ["twice", 4]]
    if op == "process":
        processors.append(["setHeaders", "p", "1"])
    processor = draft.random.choice(processors)
    return replace(flow, id=draft.step(op, flow, processor=processor, name=name))


def _repartition(draft: Draft, flow: Flow, name: str | None) -> Flow:
    partitions = 3 if draft.chance(0.1) else None
    serdes = {"key": draft.serde(flow.key), "value": draft.serde(flow.value)}
    made = draft.step("repartition", flow, name=name, partitions=partitions, **serdes)
    return replace(flow, id=made)


_STATELESS = (
    *(_filter, _map_values, _map_values, _flat_map_values, _map, _select_key, _select_key),
    *(_flat_map, _peek, _process, _repartition),
)


def merge(draft: Draft) -> None:
    """Two streams of the same types become one; often both from one parent."""
    left = draft.any_flow("stream")
    if left is None:
        return
    alike = [flow for flow in draft.flows if flow.kind == "stream"]
    alike = [flow for flow in alike if (flow.key, flow.value) == (left.key, left.value)]
    right = draft.random.choice(alike)
    if right == left:
        right = replace(_select_key(draft, left, draft.op_name()), suffix="")
        if right.key != left.key:
            right = replace(_filter(draft, left, draft.op_name()), suffix="")
    made = draft.step("merge", left, right, name=draft.op_name())
    draft.keep(replace(left, id=made, suffix=""))


def split(draft: Draft) -> None:
    """Branches, some of which may be branched again by a later step."""
    flow = draft.any_flow("stream")
    if flow is None:
        return
    branches: list[Spec] = []
    for index in range(draft.pick(1, 2, 3)):
        branch: Spec = {"pred": predicate(draft, flow.key, flow.value)}
        if draft.chance(0.4):
            branch["name"] = f"-b{index}"
        branches.append(branch)
    fields: Spec = {}
    if draft.chance(0.6):
        fields["default"] = {"name": "-rest"} if draft.chance(0.4) else {}
    made = draft.step("split", flow, branches=branches, name=draft.op_name(), **fields)
    suffixes = [f".{index}" for index in range(len(branches))]
    for suffix in [*suffixes, ".default"] if fields else suffixes:
        draft.keep(replace(flow, id=made, suffix=suffix))


def sink(draft: Draft, flow: Flow) -> None:
    """Write a stream to a topic of its own, or to topics chosen by record."""
    number = draft.number()
    fields = {"key": draft.serde(flow.key), "value": draft.serde(flow.value)}
    name = draft.op_name()
    if draft.chance(0.12):
        prefix = f"dyn{number}-"
        extractor = draft.pick(["valueFirst", prefix], ["parity", prefix], ["sourceTopic", prefix])
        draft.topic(prefix + "*", flow.key, flow.value)
        draft.end("to", flow, extractor=extractor, name=name, **fields)
    elif draft.chance(0.05):
        draft.end("foreach", flow, name=name)
    else:
        topic = draft.topic(f"out{number}", flow.key, flow.value)
        draft.end("to", flow, topic=topic, name=name, **fields)
