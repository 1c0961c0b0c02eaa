"""Functions for operators, by the types that they work on."""

from __future__ import annotations

from typing import Any

from compat_tests.oracle.generate.draft import Draft

Function = Any


def predicate(draft: Draft, key: str, value: str) -> Function:
    """A predicate that lets through some records and not others."""
    choices: list[Function] = ["notNull", "true", "isNull", "keyNotNull"]
    if value == "long":
        choices += 2 * [["gt", 2], ["lt", 6], "even", ["is", 4]]
    else:
        choices += 2 * [["contains", "A"], ["contains", "1"], ["lenGt", 2]]
    if key == "string":
        choices.append(["keyIs", "b"])
    chosen = draft.random.choice(choices)
    return ["not", chosen] if draft.chance(0.4) else chosen


def value_function(draft: Draft, value: str) -> tuple[Function, str, bool]:
    """A function of values, the type of its result, whether it needs the key."""
    if draft.chance(0.15):
        return draft.pick("kv", "keyStr"), "string", True
    if value == "long":
        chosen = draft.pick(["add", 10], ["mul", -2], ["nullIf", 5], ["nullTo", 1], "toString")
        return chosen, "string" if chosen == "toString" else "long", False
    chosen = draft.pick("upper", ["append", "!"], ["nullIf", "B2"], ["nullTo", "N"], "length")
    return chosen, "long" if chosen == "length" else "string", False


def key_function(draft: Draft, key: str, value: str) -> tuple[Function, str]:
    """A function to a new key, and the type of its result; it may give null."""
    choices: list[tuple[Function, str]] = [("keyStr", "string"), (["const", "all"], "string")]
    if key.startswith(("tw:", "sw:")):
        choices += 3 * [("windowKey", "string")] + [("windowStart", "long"), ("windowEnd", "long")]
    else:
        choices.append((["keyPrefix", 1], "string"))
    if value == "long":
        choices += [(["mod", 3], "string"), ("v", "long")]
    else:
        choices += [("first", "string"), ("length", "long")]
    return draft.random.choice(choices)


def combine(draft: Draft, value: str) -> tuple[Any, Function, str, str]:
    """An aggregation of values: initial value, aggregator, type of the result, session merger."""
    if value == "long" and draft.chance(0.7):
        choices: list[tuple[Any, Function, str]] = [(None, "max", "max"), (None, "min", "min")]
        choices += [(0, "sum", "sum"), (0, "count", "sum"), (0, ["nullIf", 3, "sum"], "sum")]
        start, add, merge = draft.random.choice(choices)
        return start, add, "long", merge
    add = draft.pick("concat", "keyConcat", "plus", "last", ["nullIf", "A1", "concat"])
    return draft.pick("", "", "s"), add, "string", "concat"


def reducer(draft: Draft, value: str) -> Function:
    if value == "long":
        return draft.pick("sum", "sub", "max", "min", "first", ["nullIf", 3, "sum"])
    return draft.pick("concat", "plus", "last", "first", ["nullIf", "B2", "concat"])


def undoing(draft: Draft, value: str) -> tuple[Any, Function, Function, str]:
    """An aggregation that can take values back: start, adder, subtractor, type of the result."""
    if value == "long" and draft.chance(0.7):
        return draft.pick(0, 100), draft.pick("sum", ["nullIf", 3, "sum"]), "sub", "long"
    return draft.pick("", "0"), "plus", "minus", "string"
