"""Deduplication, which Kafka Streams does not have: for scenarios that no oracle has recorded."""

from __future__ import annotations

from typing import Any

from compat_tests.conformance import options
from compat_tests.conformance.api import call
from compat_tests.conformance.functions import fn
from compat_tests.conformance.options import Step
from compat_tests.conformance.scene import Scene


def by_key(scene: Scene, step: Step) -> Any:
    return call(scene.source(step), step["op"], step["interval"])


def by_id(scene: Scene, step: Step) -> Any:
    return call(scene.source(step), step["op"], fn(step["fn"]), step["interval"])


def distinct(scene: Scene, step: Step) -> Any:
    windowed = call(scene.source(step), "windowedBy", options.window(step["window"]))
    return call(windowed, "distinct", options.named(step), options.materialized(step))


OPERATIONS = {
    "deduplicateByKey": by_key,
    "deduplicateByKeyValue": by_id,
    "deduplicate": by_id,
    "distinct": distinct,
}
