"""A scenario's topology while it is being built: its steps so far, by id."""

from __future__ import annotations

from typing import Any

from compat_tests.conformance.api import NotBuiltYetError, public
from compat_tests.conformance.functions import fn
from compat_tests.conformance.options import Step, store_builder
from compat_tests.conformance.processors import StoreTypes, Supplier, make_processor
from compat_tests.conformance.wrapper import noting


class Scene:
    """What the operations of a scenario work on."""

    def __init__(self, scenario: dict[str, Any], config: dict[str, Any]) -> None:
        self.scenario = scenario
        self.config = config
        self.results: dict[str, Any] = {}
        self.shown: list[list[str]] = []
        """What a processor wrapper was shown, if the scenario has one."""
        self._builder: Any = None
        self._topology: Any = None

    @property
    def builder(self) -> Any:
        """The one StreamsBuilder, made when the first DSL step asks for it."""
        if self._builder is None:
            self._builder = public("StreamsBuilder")(*self._topology_config())
        return self._builder

    @property
    def topology(self) -> Any:
        """The Topology: what the builder made, or an empty one if there were no DSL steps."""
        if self._topology is None:
            if self._builder is None:
                self._topology = public("Topology")(*self._topology_config())
            else:
                self._topology = self.builder.build(self.config)
        return self._topology

    def _topology_config(self) -> list[Any]:
        if not (self.scenario.get("topologyConfig") or self.scenario.get("wrapped")):
            return []
        config = dict(self.config)
        if self.scenario.get("wrapped"):
            config |= {"processor.wrapper.class": noting(self.shown)}
        return [public("TopologyConfig")(public("StreamsConfig")(config))]

    @property
    def store_types(self) -> StoreTypes:
        return dict(self.scenario.get("stores", {}))

    def source(self, step: Step, index: int = 0) -> Any:
        return self.results[step["from"][index]]

    def supplier(self, step: Step) -> Supplier:
        """The processor of a step, as the object that Kafka Streams calls a supplier."""
        spec, store_types = step["processor"], self.store_types
        stores = [store_builder(own) for own in step.get("supplierStores", [])]
        return Supplier(lambda: make_processor(spec, store_types), stores)


def is_a(value: Any, type_name: str) -> bool:
    """Whether a step's result is of a public type; never, if that type does not exist yet."""
    try:
        return isinstance(value, public(type_name))
    except NotBuiltYetError:
        return False


def key_value_function(key_spec: Any, value_spec: Any) -> Any:
    """A callable from key and value to a KeyValue."""
    key_of, value_of = fn(key_spec), fn(value_spec)
    pair = public("KeyValue").pair
    return lambda key, value: pair(key_of(key, value), value_of(key, value))
