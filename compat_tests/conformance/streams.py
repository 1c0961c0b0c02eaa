"""Sources, stateless operations and sinks of the DSL."""

from __future__ import annotations

import re
from typing import Any

from compat_tests.conformance import options
from compat_tests.conformance.api import call, public
from compat_tests.conformance.extractors import TopicExtractor
from compat_tests.conformance.functions import flat_pairs, flat_values, fn, pred
from compat_tests.conformance.options import Step
from compat_tests.conformance.processors import NamedValueTransformer
from compat_tests.conformance.scene import Scene, key_value_function


def stream(scene: Scene, step: Step) -> Any:
    where = re.compile(step["pattern"]) if step.get("pattern") else step["topics"]
    return call(scene.builder, "stream", where, options.consumed(step))


def table(scene: Scene, step: Step) -> Any:
    settings = (options.consumed(step), options.materialized(step))
    return call(scene.builder, step["op"], step["topic"], *settings)


def store(scene: Scene, step: Step) -> None:
    call(scene.builder, "addStateStore", options.store_builder(step["store"]))


def global_store(scene: Scene, step: Step) -> None:
    builder = options.store_builder(step["store"])
    settings = (options.consumed(step), scene.supplier(step))
    call(scene.builder, "addGlobalStore", builder, step["topic"], *settings)


def filter_(scene: Scene, step: Step) -> Any:
    settings = (options.named(step), options.materialized(step))
    return call(scene.source(step), step["op"], pred(step["pred"]), *settings)


def map_values(scene: Scene, step: Step) -> Any:
    function = fn(step["fn"])
    settings = (options.named(step), options.materialized(step))
    if step.get("withKey"):
        return call(scene.source(step), "mapValues", lambda k, v: function(k, v), *settings)
    return call(scene.source(step), "mapValues", lambda v: function(None, v), *settings)


def map_(scene: Scene, step: Step) -> Any:
    function = key_value_function(step["keyFn"], step["valueFn"])
    return call(scene.source(step), "map", function, options.named(step))


def select_key(scene: Scene, step: Step) -> Any:
    return call(scene.source(step), "selectKey", fn(step["fn"]), options.named(step))


def flat_map(scene: Scene, step: Step) -> Any:
    function, pair = flat_pairs(step["fn"]), public("KeyValue").pair
    return call(
        scene.source(step),
        "flatMap",
        lambda k, v: [pair(new_key, new_value) for new_key, new_value in function(k, v)],
        options.named(step),
    )


def flat_map_values(scene: Scene, step: Step) -> Any:
    function, name = flat_values(step["fn"]), options.named(step)
    if step.get("withKey"):
        return call(scene.source(step), "flatMapValues", lambda k, v: function(k, v), name)
    return call(scene.source(step), "flatMapValues", lambda v: function(None, v), name)


def peek(scene: Scene, step: Step) -> Any:
    return call(scene.source(step), step["op"], lambda key, value: None, options.named(step))


def merge(scene: Scene, step: Step) -> Any:
    return call(scene.source(step), "merge", scene.source(step, 1), options.named(step))


def split(scene: Scene, step: Step) -> None:
    branches = call(scene.source(step), "split", options.named(step))
    suffixes = []
    for index, branch in enumerate(step["branches"], 1):
        branches = call(branches, "branch", pred(branch["pred"]), _branched(branch))
        suffixes.append((str(index - 1), branch.get("name") or str(index)))
    if "default" in step:
        streams = call(branches, "defaultBranch", _branched(step["default"] or {}))
        suffixes.append(("default", (step["default"] or {}).get("name") or "0"))
    else:
        streams = call(branches, "noDefaultBranch")
    for own, suffix in suffixes:
        scene.results[f"{step['id']}.{own}"] = _branch(streams, step.get("name"), suffix)


def _branched(branch: Step) -> Any:
    return public("Branched").as_(branch["name"]) if branch.get("name") else None


def _branch(streams: dict[str, Any], name: str | None, suffix: str) -> Any:
    if name:
        return streams[name + suffix]
    generated = re.compile(r"KSTREAM-BRANCH-\d{10}" + re.escape(suffix))
    return next(stream for key, stream in streams.items() if generated.fullmatch(key))


def repartition(scene: Scene, step: Step) -> Any:
    return call(scene.source(step), "repartition", options.repartitioned(step))


def to_table(scene: Scene, step: Step) -> Any:
    settings = (options.named(step), options.materialized(step))
    return call(scene.source(step), "toTable", *settings)


def to_stream(scene: Scene, step: Step) -> Any:
    function = fn(step["fn"]) if step.get("fn") else None
    return call(scene.source(step), "toStream", function, options.named(step))


def to(scene: Scene, step: Step) -> None:
    where = TopicExtractor(step["extractor"]) if step.get("extractor") else step["topic"]
    call(scene.source(step), "to", where, options.produced(step))


def process(scene: Scene, step: Step) -> Any:
    names = step.get("stores", [])
    return call(scene.source(step), step["op"], scene.supplier(step), options.named(step), *names)


def transform_values(scene: Scene, step: Step) -> Any:
    spec, settings = step["transformer"], (options.materialized(step), options.named(step))
    supplier = _TransformerSupplier(spec)
    names = step.get("stores", [])
    return call(scene.source(step), "transformValues", supplier, *settings, *names)


class _TransformerSupplier:
    def __init__(self, spec: Any) -> None:
        self.spec = spec

    def get(self) -> NamedValueTransformer:
        return NamedValueTransformer(self.spec)

    def stores(self) -> None:
        return None


OPERATIONS = {
    "stream": stream,
    "table": table,
    "globalTable": table,
    "store": store,
    "globalStore": global_store,
    "filter": filter_,
    "filterNot": filter_,
    "mapValues": map_values,
    "map": map_,
    "selectKey": select_key,
    "flatMap": flat_map,
    "flatMapValues": flat_map_values,
    "peek": peek,
    "foreach": peek,
    "merge": merge,
    "split": split,
    "repartition": repartition,
    "toTable": to_table,
    "toStream": to_stream,
    "to": to,
    "process": process,
    "processValues": process,
    "transformValues": transform_values,
}
