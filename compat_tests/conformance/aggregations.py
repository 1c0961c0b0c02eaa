"""Grouping, aggregation, cogroup and suppression."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from compat_tests.conformance import options
from compat_tests.conformance.api import call, public
from compat_tests.conformance.functions import Spec, agg, fn
from compat_tests.conformance.hostile import Box
from compat_tests.conformance.options import Step
from compat_tests.conformance.scene import Scene, is_a, key_value_function


def group_by_key(scene: Scene, step: Step) -> Any:
    return call(scene.source(step), "groupByKey", options.grouped(step))


def group_by(scene: Scene, step: Step) -> Any:
    source = scene.source(step)
    function = fn(step["fn"])
    if is_a(source, "KTable"):
        function = key_value_function(step["fn"], step.get("valueFn", "v"))
    return call(source, "groupBy", function, options.grouped(step))


def aggregate(scene: Scene, step: Step) -> Any:
    source = scene.source(step)
    name, store = options.named(step), options.materialized(step)
    if is_a(source, "KGroupedTable"):
        functions = _table_functions(step)
        if step["op"] != "count" and store is None:
            name = None  # there is no overload with a name alone
        return call(source, step["op"], *functions, name, store)
    functions = _stream_functions(step)
    if step.get("window") is None:
        if step["op"] != "count" and store is None:
            name = None
        return call(source, step["op"], *functions, name, store)
    windowed = call(source, "windowedBy", options.window(step["window"]))
    if step.get("emit"):
        strategy = "onWindowClose" if step["emit"] == "close" else "onWindowUpdate"
        windowed = call(windowed, "emitStrategy", call(public("EmitStrategy"), strategy))
    if step["op"] == "aggregate" and step["window"]["type"] == "session":
        functions.append(_merger(step["merger"]))
    return call(windowed, step["op"], *functions, name, store)


def _table_functions(step: Step) -> list[Any]:
    if step["op"] == "count":
        return []
    if step["op"] == "reduce":
        return [_reducer(step["adder"]), _reducer(step["subtractor"])]
    return [_initializer(step), agg(step["adder"]), agg(step["subtractor"])]


def _stream_functions(step: Step) -> list[Any]:
    if step["op"] == "count":
        return []
    if step["op"] == "reduce":
        return [_reducer(step["agg"])]
    return [_initializer(step), agg(step["agg"])]


def _initializer(step: Step) -> Callable[[], Any]:
    start = step.get("init")
    if isinstance(start, dict):
        return lambda: Box(start["builder"])
    return lambda: start


def _reducer(spec: Spec) -> Callable[[Any, Any], Any]:
    function = agg(spec)
    return lambda total, value: function(None, value, total)


def _merger(spec: Spec) -> Callable[[Any, Any, Any], Any]:
    function = agg(spec)
    return lambda key, first, second: function(key, second, first)


def cogroup(scene: Scene, step: Step) -> Any:
    grouped: Any = None
    for index, spec in enumerate(step["aggs"]):
        source = scene.source(step, index)
        if grouped is None:
            grouped = call(source, "cogroup", agg(spec))
        else:
            grouped = call(grouped, "cogroup", source, agg(spec))
    functions: list[Any] = [_initializer(step)]
    if step.get("window") is not None:
        grouped = call(grouped, "windowedBy", options.window(step["window"]))
        if step["window"]["type"] == "session":
            functions.append(_merger(step["merger"]))
    settings = (options.named(step), options.materialized(step))
    return call(grouped, "aggregate", *functions, *settings)


def suppress(scene: Scene, step: Step) -> Any:
    return call(scene.source(step), "suppress", options.suppressed(step))


OPERATIONS = {
    "groupByKey": group_by_key,
    "groupBy": group_by,
    "count": aggregate,
    "reduce": aggregate,
    "aggregate": aggregate,
    "cogroup": cogroup,
    "suppress": suppress,
}
