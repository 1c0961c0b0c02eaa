"""A scenario while it is being made up."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

Spec = dict[str, Any]

SCALARS = ("string", "long")


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """The result of a step: what it is, and the serdes of its keys and values."""

    id: str
    kind: str
    """`stream`, `table`, `grouped` or `grouped-table`."""
    key: str
    value: str
    versioned: bool = False
    no_lookup: bool = False
    """A table of a windowed cogroup: Kafka Streams does not start if a join looks into it."""
    suffix: str = ""
    """Of a branch: what follows the id of the split."""

    @property
    def name(self) -> str:
        return self.id + self.suffix


@dataclass(slots=True, kw_only=True)
class Draft:
    """Steps, topics and stores so far; says yes or no by the seed's random numbers."""

    random: Random
    naming: float = 0.15
    """How often an operator is named."""
    config: Spec = field(default_factory=dict)
    topics: dict[str, list[str]] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    stores: dict[str, list[str]] = field(default_factory=dict)
    store_kinds: dict[str, str] = field(default_factory=dict)
    steps: list[Spec] = field(default_factory=list)
    edges_ms: list[int] = field(default_factory=list)
    """Distances in time at which something changes: the bounds of windows."""
    before_1970: set[str] = field(default_factory=set)
    """Topics that take records with times below 0."""
    flows: list[Flow] = field(default_factory=list)
    extra: Spec = field(default_factory=dict)
    _count: int = 0

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def number(self) -> int:
        self._count += 1
        return self._count

    def step(self, op: str, *sources: Flow, **fields: Any) -> str:
        """Add a step, without fields that are None; returns its id."""
        made = f"n{self.number()}"
        spec: Spec = {"id": made, "op": op}
        if sources:
            spec["from"] = [source.name for source in sources]
        self.steps.append(spec | {key: value for key, value in fields.items() if value is not None})
        return made

    def end(self, op: str, source: Flow, **fields: Any) -> None:
        """Add a step without result."""
        self.step(op, source, **fields)
        del self.steps[-1]["id"]

    def keep(self, flow: Flow) -> Flow:
        self.flows.append(flow)
        return flow

    def any_flow(self, *kinds: str) -> Flow | None:
        """Return a flow of one of these kinds; later ones are likelier, so that lines get long."""
        found = [flow for flow in self.flows if flow.kind in kinds]
        if not found:
            return None
        return found[-1] if self.chance(0.6) else self.random.choice(found)

    def op_name(self) -> str | None:
        return f"op-{self.number()}" if self.chance(self.naming) else None

    def serde(self, name: str, leave_out: float = 0.3) -> str | None:
        """Return a serde to give, or None where the default of the application would do."""
        return None if name == "string" and self.chance(leave_out) else name

    def topic(self, name: str, key: str, value: str) -> str:
        self.topics[name] = [key, value]
        return name
