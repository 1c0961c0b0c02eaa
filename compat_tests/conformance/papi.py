"""The operations on a Topology itself."""

from __future__ import annotations

import re

from compat_tests.conformance.api import call
from compat_tests.conformance.extractors import TopicExtractor, timestamp_extractor
from compat_tests.conformance.options import Step, offset_reset, store_builder
from compat_tests.conformance.partitioners import partitioner
from compat_tests.conformance.scene import Scene
from compat_tests.conformance.values import deserializer, serializer


def add_source(scene: Scene, step: Step) -> None:
    where = [re.compile(step["pattern"])] if step.get("pattern") else step["topics"]
    readers = (deserializer(step.get("key")), deserializer(step.get("value")))
    extractor = timestamp_extractor(step.get("ts"))
    # Kafka's overloads take the extractor before the name when there are no deserializers.
    places = [extractor, step["name"]] if readers == (None, None) else [step["name"], extractor]
    call(scene.topology, "addSource", offset_reset(step), *places, *readers, *where)


def add_processor(scene: Scene, step: Step) -> None:
    parents = step.get("parents", [])
    call(scene.topology, "addProcessor", step["name"], scene.supplier(step), *parents)


def add_sink(scene: Scene, step: Step) -> None:
    where = TopicExtractor(step["extractor"]) if step.get("extractor") else step["topic"]
    writers = (serializer(step.get("key")), serializer(step.get("value")))
    chosen = partitioner(step.get("partitioner"))
    call(scene.topology, "addSink", step["name"], where, *writers, chosen, *step.get("parents", []))


def add_state_store(scene: Scene, step: Step) -> None:
    names = step.get("processors", [])
    call(scene.topology, "addStateStore", store_builder(step["store"]), *names)


def connect(scene: Scene, step: Step) -> None:
    call(
        scene.topology, "connectProcessorAndStateStores", step["processor"], *step.get("stores", [])
    )


def add_fed_store(scene: Scene, step: Step) -> None:
    """A global or a read-only store: a source, a processor and a store in one call."""
    call(
        scene.topology,
        step["op"],
        store_builder(step["store"]),
        step["source"],
        deserializer(step["key"]),
        deserializer(step["value"]),
        step["topic"],
        step["name"],
        scene.supplier(step),
    )


OPERATIONS = {
    "addSource": add_source,
    "addProcessor": add_processor,
    "addSink": add_sink,
    "addStateStore": add_state_store,
    "connectProcessorAndStateStores": connect,
    "addGlobalStore": add_fed_store,
    "addReadOnlyStateStore": add_fed_store,
}
