"""Random steps that keep nothing: what maps, filters, splits, merges and repartitions streams."""

from __future__ import annotations

from typing import Any

from compat_tests.properties.program import Flow, Program, Step

PREDICATES: dict[str, list[Any]] = {
    "string": ["notNull", ["lenGt", 1], ["keyIs", "a"], ["contains", "b"], "isNull", "false"],
    "long": ["even", ["gt", 0], ["keyIs", "a"], "notNull", ["not", "even"]],
}
FUNCTIONS: dict[tuple[str, str], list[Any]] = {
    ("string", "string"): ["upper", ["append", "x"], "first", "kv", ["nullIf", "a"], "null",
                           ["nullTo", "n"], ["throwIf", "b"], ["field", 1]],
    ("long", "long"): [["add", 1], ["mul", 2], ["nullIf", 2], ["throwIf", 0], ["nullTo", 5]],
    ("string", "long"): ["length", ["const", 1]],
    ("long", "string"): ["toString", ["mod", 2], "kv"],
}  # fmt: skip
KEY_FUNCTIONS: dict[str, list[Any]] = {
    "string": ["first", "v", ["keyPrefix", 1], "null", ["field", 1], ["const", "k"]],
    "long": [["mod", 2], "keyStr", "toString", ["const", "k"]],
}


def predicate(program: Program, flow: Flow) -> Any:
    return program.choose(PREDICATES[flow.value])


def function(program: Program, flow: Flow) -> tuple[str, Any]:
    """Return a function of the flow's records, and the type of its result."""
    value = program.choose([flow.value, flow.value, "long", "string"])
    return value, program.choose(FUNCTIONS[flow.value, value])


def key_function(program: Program, flow: Flow) -> Any:
    return program.choose(KEY_FUNCTIONS[flow.value])


def filtered(program: Program) -> None:
    flow = program.stream()
    op = program.choose(["filter", "filterNot"])
    program.flow("stream", flow.value, op, flow, pred=predicate(program, flow))


def map_values(program: Program) -> None:
    flow = program.stream()
    value, fn = function(program, flow)
    with_key = program.choose([None, True])
    program.flow("stream", value, "mapValues", flow, fn=fn, withKey=with_key)


def map_pairs(program: Program) -> None:
    flow = program.stream()
    value, fn = function(program, flow)
    keys = key_function(program, flow)
    program.flow("stream", value, "map", flow, keyFn=keys, valueFn=fn)


def select_key(program: Program) -> None:
    flow = program.stream()
    program.flow("stream", flow.value, "selectKey", flow, fn=key_function(program, flow))


def flat_map_values(program: Program) -> None:
    flow = program.stream()
    each = ["each", [function_to(program, flow, flow.value) for _ in range(2)]]
    choices = ["words", "chars", "none", each] if flow.value == "string" else [each]
    fn = program.choose(choices)
    program.flow("stream", flow.value, "flatMapValues", flow, fn=fn)


def flat_map(program: Program) -> None:
    flow = program.stream()
    pairs = [
        [key_function(program, flow), function_to(program, flow, flow.value)] for _ in range(2)
    ]
    choices: list[Any] = [["pairs", pairs], "none"]
    if flow.value == "string":
        choices.append("wordsAsKeys")
    program.flow("stream", flow.value, "flatMap", flow, fn=program.choose(choices))


def function_to(program: Program, flow: Flow, value: str) -> Any:
    return program.choose(FUNCTIONS[flow.value, value])


def peek(program: Program) -> None:
    flow = program.stream()
    program.flow("stream", flow.value, "peek", flow)


def merge(program: Program) -> None:
    flow = program.stream()
    other = program.stream(flow.value)
    if other.id != flow.id:
        program.flow("stream", flow.value, "merge", flow, other)


def split(program: Program) -> None:
    flow = program.stream()
    branches = [{"pred": predicate(program, flow)} for _ in range(program.choose([1, 2]))]
    default: Step = {"default": {}} if program.maybe() else {}
    id_ = program.add("split", flow, branches=branches, **default)
    ends = [str(number) for number in range(len(branches))] + list(default)
    program.flows += [Flow(f"{id_}.{end}", "stream", flow.value) for end in ends]


def repartition(program: Program) -> None:
    flow = program.stream()
    serdes = {"key": "string", "value": flow.value}
    program.flow("stream", flow.value, "repartition", flow, **serdes)


def to_topic(program: Program) -> None:
    """Send a stream that goes on as well."""
    flow = program.stream()
    topic = f"out{len(program.steps)}"
    program.topics[topic] = ["string", flow.value]
    program.add("to", flow, topic=topic, key="string", value=flow.value)


def to_chosen_topic(program: Program) -> None:
    flow = program.stream()
    extractor = program.choose([["key", "dyn-"], ["parity", "dyn-"], ["sourceTopic", "dyn-"]])
    program.topics["dyn-*"] = ["string", flow.value]
    program.add("to", flow, extractor=extractor, key="string", value=flow.value)


STEPS = [
    filtered, map_values, map_pairs, select_key, flat_map_values, flat_map, peek, merge, split,
    repartition, to_topic, to_chosen_topic,
]  # fmt: skip
