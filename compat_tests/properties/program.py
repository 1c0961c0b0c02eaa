"""A random program in the making: a scenario's steps, and the streams and tables they made.

A program is a scenario in the format of ``compat_tests/oracle``, so that one which fails a property
can be saved as a file and shown to the real Kafka Streams.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
Step = dict[str, Any]

VALUES: dict[str, list[Any]] = {
    "string": ["a", "b", "a,b", "b a c", None],
    "long": [1, 2, 0, -3, None],
}
KEYS = ["a", "b", "a", "b", "a", "c", "c", None]
TOPICS = {
    "in": "string",
    "in2": "long",
    "in3": "string",
    "table": "string",
    "table2": "long",
    "table3": "string",
    "global": "string",
}


@dataclass(frozen=True)
class Flow:
    """A stream or table: its step, and what is known of its records."""

    id: str
    kind: str
    value: str
    key: str = "string"
    stored: bool = False
    """A table that knows its serdes."""
    versioned: bool = False


@dataclass
class Program:
    """Steps so far.

    Args:
        draw: Hypothesis' own.
        features: What may be used; see ``programs``.
    """

    draw: Callable[[st.SearchStrategy[Any]], Any]
    features: frozenset[str]
    steps: list[Step] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    topics: dict[str, list[str]] = field(default_factory=dict)
    stores: dict[str, list[str]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    inputs: list[str] = field(default_factory=list)

    def choose(self, options: Sequence[T]) -> T:
        """Draw one; failures shrink towards the first."""
        return options[0] if len(options) == 1 else self.draw(st.sampled_from(options))

    def maybe(self) -> bool:
        """Toss a coin; failures shrink towards tails."""
        return bool(self.draw(st.booleans()))

    def add(self, op: str, /, *sources: Flow, **fields: Any) -> str:
        """Add a step and return its id; fields of None are left out."""
        for source in sources:
            self.used.add(source.id)
        id_ = f"s{len(self.steps)}"
        step = {"id": id_, "op": op, **({"from": [s.id for s in sources]} if sources else {})}
        step |= {name: value for name, value in fields.items() if value is not None}
        self.steps.append(step)
        return id_

    def flow(self, kind: str, value: str, op: str, /, *sources: Flow, **fields: Any) -> Flow:
        """Add a step that makes a stream or table."""
        made = Flow(self.add(op, *sources, **fields), kind, value)
        self.flows.append(made)
        return made

    def change(self, flow: Flow, **known: Any) -> Flow:
        """Say more about the flow made last."""
        self.flows[self.flows.index(flow)] = changed = replace(flow, **known)
        return changed

    def stream(self, value: str | None = None) -> Flow:
        """A stream keyed by text, mostly one that nothing reads yet."""
        return self._any("stream", value)

    def table(self, value: str | None = None, *, stored: bool = False) -> Flow:
        """A table keyed by text."""
        return self._any("table", value, stored=stored)

    def any_table(self) -> Flow:
        """A table of any kind of key."""
        tables = [flow for flow in self.flows if flow.kind == "table"]
        return self.choose(tables[::-1]) if tables else self.table()

    def _any(self, kind: str, value: str | None, *, stored: bool = False) -> Flow:
        found = [
            flow
            for flow in self.flows
            if flow.kind == kind
            and flow.key == "string"
            and value in (None, flow.value)
            and (flow.stored or not stored)
        ]
        fresh = [
            topic
            for topic, own in TOPICS.items()
            if topic.startswith("table" if kind == "table" else "in")
            and topic not in self.inputs
            and value in (None, own)
        ]
        if found and (not fresh or self.draw(st.integers(0, 2)) != 2):
            return self.choose(found[::-1])
        if not fresh:
            made = self._any(kind, None, stored=stored)
            return self._converted(made, str(value))
        return self.source(self.choose(fresh))

    def _converted(self, flow: Flow, value: str) -> Flow:
        fn = "length" if value == "long" else "toString"
        options = self.materialized(value, always=True) if flow.kind == "table" else {}
        made = self.flow(flow.kind, value, "mapValues", flow, fn=fn, **options)
        return self.change(made, stored=flow.kind == "table")

    def versioned_table(self) -> Flow | None:
        """A table that knows old versions; None if no topic is left for one."""
        known = [flow for flow in self.flows if flow.versioned and flow.kind == "table"]
        fresh = [topic for topic in TOPICS if topic[:5] == "table" and topic not in self.inputs]
        if known or not fresh:
            return known[-1] if known else None
        return self.source(fresh[0], versioned=True)

    def source(self, topic: str, *, versioned: bool = False) -> Flow:
        """Read a topic that is not read yet."""
        value = TOPICS[topic]
        self.topics[topic] = ["string", value]
        self.inputs.append(topic)
        serdes = {"key": "string", "value": value}
        if not topic.startswith("table"):
            extractor = self.choose([None, None, None, "logAndSkip", "usePartitionTime"])
            return self.flow("stream", value, "stream", topics=[topic], ts=extractor, **serdes)
        if "versioned" in self.features and not versioned:
            versioned = self.choose([False, False, False, True])
        options: Step = {"materialized": {"store": self.name("rows"), "historyRetention": 60_000}}
        if not versioned:
            options = self.materialized(value)
        made = self.flow("table", value, "table", topic=topic, **serdes, **options)
        return self.change(made, stored=True, versioned=versioned)

    def materialized(self, value: str, *, always: bool = False, window: bool = False) -> Step:
        """The ``materialized`` field of a step, perhaps none."""
        if not always and not self.maybe():
            return {}
        made: Step = {"key": "string", "value": value}
        if self.maybe():
            made["store"] = self.name("store")
        if "cache" in self.features:
            made["caching"] = self.choose([None, False, True])
        made["storeType"] = self.choose([None, "in_memory"])
        if window:
            made["retention"] = self.choose([None, None, 200, 100_000])
        return {"materialized": {name: own for name, own in made.items() if own is not None}}

    def name(self, prefix: str) -> str:
        """Return a name that nothing has yet."""
        name = f"{prefix}{len(self.stores)}"
        self.stores[name] = []
        return name

    def scenario(self, config: Step) -> Step:
        """The scenario without events; what nothing reads yet goes to a topic."""
        for flow in list(self.flows):
            if flow.id not in self.used:
                self._to_topic(flow)
        return {"config": config, "topics": dict(self.topics), "topology": self.steps}

    def _to_topic(self, flow: Flow) -> None:
        if flow.kind == "table":
            mapper = None if flow.key == "string" or self.maybe() else "keyStr"
            own = replace(flow, id=self.add("toStream", flow, fn=mapper), kind="stream")
            flow = replace(own, key="string") if mapper else own
        topic = f"out{len(self.steps)}"
        self.topics[topic] = [flow.key, flow.value]
        self.add("to", flow, topic=topic, key=flow.key, value=flow.value)
