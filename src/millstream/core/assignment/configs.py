"""``AssignmentConfigs``: the configuration of task assignors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millstream.core.arguments import of_type, required
from millstream.core.config import StreamsConfig
from millstream.core.config.keys import CONFIG_KEYS
from millstream.core.errors import ClassCastException
from millstream.core.wording import a_kind

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
    """Settings of task assignors.

    Args:
        acceptableRecoveryLag: Lag up to which a standby may become active, in entries.
        maxWarmupReplicas: Maximum number of warm-up replicas at the same time; at least 1.
        numStandbyReplicas: Number of standbys of each stateful task.
        probingRebalanceIntervalMs: Interval of probing rebalances; at least 60000.
        rackAwareAssignmentTags: Client tags in which the standbys of a task should differ.
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
            "rackAwareAssignmentTags": _tags(rackAwareAssignmentTags),
            "rackAwareTrafficCost": rackAwareTrafficCost,
            "rackAwareNonOverlapCost": rackAwareNonOverlapCost,
            "rackAwareAssignmentStrategy": rackAwareAssignmentStrategy,
        }
        self._values: dict[str, Any] = {
            name: CONFIG_KEYS[KEYS[name]].parse(value) for name, value in given.items()
        }

    @staticmethod
    def of(configs: StreamsConfig) -> AssignmentConfigs:
        """Return the settings in a configuration."""
        of_type(required(configs, "configs"), StreamsConfig, "configs", "Give a StreamsConfig.")
        return AssignmentConfigs(**{name: configs.get(key) for name, key in KEYS.items()})

    def acceptableRecoveryLag(self) -> int:
        """Return the lag up to which a standby may become active, in entries."""
        return int(self._values["acceptableRecoveryLag"])

    def maxWarmupReplicas(self) -> int:
        """Return the maximum number of warm-up replicas at the same time."""
        return int(self._values["maxWarmupReplicas"])

    def numStandbyReplicas(self) -> int:
        """Return the number of standbys of each stateful task."""
        return int(self._values["numStandbyReplicas"])

    def probingRebalanceIntervalMs(self) -> int:
        """Return the interval of probing rebalances in milliseconds."""
        return int(self._values["probingRebalanceIntervalMs"])

    def rackAwareAssignmentTags(self) -> list[str]:
        """Return the client tags in which the standbys of a task should differ."""
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


def _tags(given: Any) -> list[str]:
    if isinstance(given, str | bytes) or not isinstance(required(given, "tags"), Iterable):
        raise ClassCastException(
            f"rackAwareAssignmentTags cannot be {a_kind(given)}",
            hint='Give a list, such as ["zone"].',
        )
    return list(given)


def _optional(value: int | None) -> str:
    return "OptionalInt.empty" if value is None else f"OptionalInt[{value}]"
