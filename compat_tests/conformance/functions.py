"""The function library of the scenarios: a name, or a name with arguments, becomes a callable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from compat_tests.conformance import hostile
from compat_tests.conformance.values import text
from millstream.core.errors import ClassCastException

Spec = Any
Function = Callable[[Any, Any], Any]
Predicate = Callable[[Any, Any], bool]
Aggregator = Callable[[Any, Any, Any], Any]


def split_spec(spec: Spec) -> tuple[str, list[Any]]:
    return (spec, []) if isinstance(spec, str) else (spec[0], list(spec[1:]))


def number(value: Any) -> int:
    value = hostile.unboxed(value)
    if not isinstance(value, int):
        # What Java's cast to Long throws.
        raise ClassCastException(f"not a long: {value!r}")
    return value


def part(value: Any, separator: str, index: int) -> str | None:
    parts = text(value).split(separator)
    return (parts[index] or None) if index < len(parts) else None


def fn(spec: Spec) -> Function:
    """A function of key and value."""
    name, args = split_spec(spec)
    sees_nulls = _function_that_sees_nulls(name, args)
    if sees_nulls is not None:
        return hostile.wrapped(sees_nulls)
    of_value = _function_of_value(name, args)
    return hostile.wrapped(lambda key, value: None if value is None else of_value(value))


def _function_that_sees_nulls(name: str, args: list[Any]) -> Function | None:
    table: dict[str, Function] = {
        "k": lambda key, value: key,
        "v": lambda key, value: value,
        "null": lambda key, value: None,
        "const": lambda key, value: args[0],
        "nullTo": lambda key, value: args[0] if value is None else value,
        "kv": lambda key, value: None if value is None else f"{text(key)}:{text(value)}",
        "keyStr": lambda key, value: text(key),
        "keyField": lambda key, value: part(key, "-", args[0]),
        "keyPrefix": lambda key, value: text(key)[: args[0]],
        "windowKey": lambda key, value: key.key(),
        "windowStart": lambda key, value: key.window().start(),
        "windowEnd": lambda key, value: key.window().end(),
    }
    return table.get(name)


def _function_of_value(name: str, args: list[Any]) -> Callable[[Any], Any]:
    def throw_if(value: Any) -> Any:
        if value == args[0]:
            raise RuntimeError("boom")
        return value

    table: dict[str, Callable[[Any], Any]] = {
        "upper": lambda value: str.upper(hostile.unboxed(value)),
        "append": lambda value: text(value) + args[0],
        "add": lambda value: number(value) + args[0],
        "mul": lambda value: number(value) * args[0],
        "mod": lambda value: f"m{number(value) % args[0]}",
        "length": lambda value: len(text(value)),
        "toString": text,
        "toLong": lambda value: int(text(value)),
        "nullIf": lambda value: None if value == args[0] else value,
        "field": lambda value: part(value, ",", args[0]),
        "first": lambda value: text(value)[:1] or None,
        "throwIf": throw_if,
    }
    return table[name]


def pred(spec: Spec) -> Predicate:
    """A predicate of key and value."""
    name, args = split_spec(spec)
    if name == "not":
        inner = pred(args[0])
        return hostile.predicate(lambda key, value: not inner(key, value))
    of_value: dict[str, Callable[[Any], bool]] = {
        "gt": lambda value: number(value) > args[0],
        "lt": lambda value: number(value) < args[0],
        "even": lambda value: number(value) % 2 == 0,
        "contains": lambda value: args[0] in text(value),
        "lenGt": lambda value: len(text(value)) > args[0],
    }
    if name in of_value:
        test = of_value[name]
        return hostile.predicate(lambda key, value: value is not None and test(value))
    table: dict[str, Predicate] = {
        "true": lambda key, value: True,
        "false": lambda key, value: False,
        "notNull": lambda key, value: value is not None,
        "isNull": lambda key, value: value is None,
        "keyNotNull": lambda key, value: key is not None,
        "is": lambda key, value: value == args[0],
        "keyIs": lambda key, value: key == args[0],
    }
    return hostile.predicate(table[name])


def agg(spec: Spec) -> Aggregator:
    """A function of key, value and aggregate; adders, subtractors, reducers and mergers too."""
    name, args = split_spec(spec)
    if name == "nullIf":
        inner = agg(args[1])
        return lambda key, value, total: None if value == args[0] else inner(key, value, total)
    if name in _IN_PLACE:
        return _IN_PLACE[name]
    return hostile.wrapped(_aggregators()[name])


def _gather(key: Any, value: Any, total: Any) -> Any:
    total.content += text(value)
    return total


def _scatter(key: Any, value: Any, total: Any) -> Any:
    total.content = total.content.replace(text(value), "", 1)
    return total


_IN_PLACE: dict[str, Aggregator] = {"gather": _gather, "scatter": _scatter}


def _aggregators() -> dict[str, Aggregator]:
    return {
        "sum": lambda key, value, total: _or_zero(total) + _or_zero(value),
        "sub": lambda key, value, total: _or_zero(total) - _or_zero(value),
        "max": lambda key, value, total: _extreme(max, value, total),
        "min": lambda key, value, total: _extreme(min, value, total),
        "count": lambda key, value, total: _or_zero(total) + 1,
        "uncount": lambda key, value, total: _or_zero(total) - 1,
        "concat": lambda key, value, total: (total or "") + text(value),
        "plus": lambda key, value, total: (total or "") + "+" + text(value),
        "minus": lambda key, value, total: (total or "") + "-" + text(value),
        "keyConcat": lambda key, value, total: (total or "") + text(key) + text(value) + ";",
        "remove": lambda key, value, total: (total or "").replace(text(value), "", 1),
        "last": lambda key, value, total: value,
        "first": lambda key, value, total: total,
    }


def _or_zero(value: Any) -> int:
    return 0 if value is None else number(value)


def _extreme(choose: Callable[[int, int], int], value: Any, total: Any) -> Any:
    if total is None or value is None:
        return value if total is None else total
    return choose(number(total), number(value))


def joiner(spec: Spec) -> Aggregator:
    """A function of key, left value and right value."""
    name, args = split_spec(spec)
    table: dict[str, Aggregator] = {
        "pair": lambda key, left, right: _pair(left, right),
        "keyPair": lambda key, left, right: text(key) + _pair(left, right),
        "sum": lambda key, left, right: _or_zero(left) + _or_zero(right),
        "left": lambda key, left, right: left,
        "right": lambda key, left, right: right,
        "nullIfLeft": lambda key, left, right: None if left == args[0] else _pair(left, right),
    }
    return hostile.wrapped(table[name])


def _pair(left: Any, right: Any) -> str:
    return f"({text(left)},{text(right)})"


def flat_values(spec: Spec) -> Callable[[Any, Any], list[Any]]:
    """A function from key and value to any number of values."""
    name, args = split_spec(spec)
    if name == "each":
        functions = [fn(inner) for inner in args[0]]
        return lambda key, value: [function(key, value) for function in functions]
    table: dict[str, Callable[[Any], list[Any]]] = {
        "words": lambda value: [word for word in text(value).split(" ") if word],
        "chars": lambda value: list(text(value)),
        "none": lambda value: [],
    }
    of_value = table[name]
    return hostile.each(lambda key, value: [] if value is None else of_value(value))


def flat_pairs(spec: Spec) -> Callable[[Any, Any], list[tuple[Any, Any]]]:
    """A function from key and value to any number of pairs."""
    name, args = split_spec(spec)
    if name == "wordsAsKeys":
        words = flat_values("words")
        return lambda key, value: [(word, value) for word in words(key, value)]
    functions = [(fn(first), fn(second)) for first, second in (args[0] if name == "pairs" else [])]
    return lambda key, value: [
        (first(key, value), second(key, value)) for first, second in functions
    ]
