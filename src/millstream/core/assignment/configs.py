"""Configuration that task assignors see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.config.keys import CONFIG_KEYS

KEYS = {
    "acceptableRecoveryLag": "acceptable.recovery.lag",
    "maxWarmupReplicas": "max.warmup.replicas",
    "numStandbyReplicas": "num.standby.replicas",
    "probingRebalanceIntervalMs": "probing.rebalance.interval.ms",
    "rackAwareAssignmentTags": "rack.aware.assignment.tags",
    "rackAwareTrafficCost": "rack.aware.assignment.traffic_cost",
    "rackAwareNonOverlapCost": "rack.aware.assignment.non_overlap_cost",
    "rackAwareAssignmentStrategy": "rack.aware.assignment.strategy",
}


class AssignmentConfigs:
    """How many copies, how far behind, how soon again: the settings of assignors.

    Args:
        acceptableRecoveryLag: Entries that a copy may be behind and still take over.
        maxWarmupReplicas: How many extra copies may be built at the same time; at least 1.
        numStandbyReplicas: Copies to keep of each stateful task.
        probingRebalanceIntervalMs: How soon to look again whether copies are ready; at least 60000.
        rackAwareAssignmentTags: Client tags in which the copies of a task should differ.
        rackAwareTrafficCost: Cost of reading a partition from another rack; None for the
            assignor's own choice.
        rackAwareNonOverlapCost: Cost of moving a task; None for the assignor's own choice.
        rackAwareAssignmentStrategy: ``none``, ``min_traffic`` or ``balance_subtopology``.

    Raises:
        ConfigException: A value is out of bounds.

    Source: KIP-924, ``processor.assignment.AssignmentConfigs``.

    Example:
        >>> AssignmentConfigs(10_000, 2, 1, 600_000, []).numStandbyReplicas()
        1
    """

    __slots__ = ("_values",)

    def __init__(
        self,
        acceptableRecoveryLag: int,
        maxWarmupReplicas: int,
        numStandbyReplicas: int,
        probingRebalanceIntervalMs: int,
        rackAwareAssignmentTags: Iterable[str],
        rackAwareTrafficCost: int | None = None,
        rackAwareNonOverlapCost: int | None = None,
        rackAwareAssignmentStrategy: str = StreamsConfig.RACK_AWARE_ASSIGNMENT_STRATEGY_NONE,
    ) -> None:
        given = {
            "acceptableRecoveryLag": acceptableRecoveryLag,
            "maxWarmupReplicas": maxWarmupReplicas,
            "numStandbyReplicas": numStandbyReplicas,
            "probingRebalanceIntervalMs": probingRebalanceIntervalMs,
            "rackAwareAssignmentTags": list(rackAwareAssignmentTags),
            "rackAwareTrafficCost": rackAwareTrafficCost,
            "rackAwareNonOverlapCost": rackAwareNonOverlapCost,
            "rackAwareAssignmentStrategy": rackAwareAssignmentStrategy,
        }
        self._values: dict[str, Any] = {
            name: CONFIG_KEYS[KEYS[name]].parse(value) for name, value in given.items()
        }

    @staticmethod
    def of(configs: StreamsConfig) -> AssignmentConfigs:
        """Return what a configuration says."""
        return AssignmentConfigs(**{name: configs.get(key) for name, key in KEYS.items()})

    def acceptableRecoveryLag(self) -> int:
        """Return how many entries a copy may be behind and still take over."""
        return int(self._values["acceptableRecoveryLag"])

    def maxWarmupReplicas(self) -> int:
        """Return how many extra copies may be built at the same time."""
        return int(self._values["maxWarmupReplicas"])

    def numStandbyReplicas(self) -> int:
        """Return how many copies to keep of each stateful task."""
        return int(self._values["numStandbyReplicas"])

    def probingRebalanceIntervalMs(self) -> int:
        """Return how soon to look again whether copies are ready."""
        return int(self._values["probingRebalanceIntervalMs"])

    def rackAwareAssignmentTags(self) -> list[str]:
        """Return the client tags in which the copies of a task should differ."""
        return list(self._values["rackAwareAssignmentTags"])

    def rackAwareTrafficCost(self) -> int | None:
        """Return the cost of reading a partition from another rack; None if not given."""
        cost: int | None = self._values["rackAwareTrafficCost"]
        return cost

    def rackAwareNonOverlapCost(self) -> int | None:
        """Return the cost of moving a task; None if not given."""
        cost: int | None = self._values["rackAwareNonOverlapCost"]
        return cost

    def rackAwareAssignmentStrategy(self) -> str:
        """Return ``none``, ``min_traffic`` or ``balance_subtopology``."""
        return str(self._values["rackAwareAssignmentStrategy"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AssignmentConfigs) and self._values == other._values

    __hash__ = None  # type: ignore[assignment]  # holds a list

    def __str__(self) -> str:
        values = {
            **self._values,
            "rackAwareAssignmentTags": f"[{', '.join(self._values['rackAwareAssignmentTags'])}]",
            "rackAwareTrafficCost": _optional(self.rackAwareTrafficCost()),
            "rackAwareNonOverlapCost": _optional(self.rackAwareNonOverlapCost()),
        }
        lines = "".join(f"  {name}={value}\n" for name, value in values.items())
        return f"AssignmentConfigs{{\n{lines}}}"

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self._values.items())
        return f"AssignmentConfigs({shown})"


def _optional(value: int | None) -> str:
    return "OptionalInt.empty" if value is None else f"OptionalInt[{value}]"
