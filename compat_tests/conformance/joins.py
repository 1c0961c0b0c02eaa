"""Joins: which of Kafka's five a step means follows from what it joins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from compat_tests.conformance import options
from compat_tests.conformance.api import call
from compat_tests.conformance.functions import fn, joiner
from compat_tests.conformance.options import Step
from compat_tests.conformance.scene import Scene, is_a

METHODS = {"inner": "join", "left": "leftJoin", "outer": "outerJoin"}


def join(scene: Scene, step: Step) -> Any:
    left, right = scene.source(step), scene.source(step, 1)
    method, function = METHODS[step["how"]], _joiner(step)
    if step.get("windows") is not None:
        settings = (options.join_windows(step["windows"]), options.stream_joined(step))
        return call(left, method, right, function, *settings)
    if step.get("mapper") is not None:
        return call(left, method, right, fn(step["mapper"]), function, options.named(step))
    if is_a(left, "KStream"):
        return call(left, method, right, function, options.joined(step))
    store = options.materialized(step)
    if step.get("fk") is not None:
        foreign_key = _foreign_key(step)
        return call(left, method, right, foreign_key, function, options.table_joined(step), store)
    return call(left, method, right, function, options.named(step), store)


def _joiner(step: Step) -> Callable[..., Any]:
    function = joiner(step["fn"])
    if step.get("withKey"):
        return lambda key, left, right: function(key, left, right)
    return lambda left, right: function(None, left, right)


def _foreign_key(step: Step) -> Callable[..., Any]:
    function = fn(step["fk"])
    if step.get("fkWithKey"):
        return lambda key, value: function(key, value)
    return lambda value: function(None, value)


OPERATIONS = {"join": join}
