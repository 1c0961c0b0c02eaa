"""Subscriptions and assignments of a group by consumer, for ``onAssignmentComputed``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class GroupAssignment:
    """The assignment of each consumer of the group.

    Source: ``ConsumerPartitionAssignor.GroupAssignment``.
    """

    _assignments: Mapping[str, Any]

    def groupAssignment(self) -> Mapping[str, Any]:
        """Return the assignments by consumer."""
        return self._assignments


@dataclass(frozen=True, slots=True)
class GroupSubscription:
    """The subscription of each consumer of the group.

    Source: ``ConsumerPartitionAssignor.GroupSubscription``.
    """

    _subscriptions: Mapping[str, Any]

    def groupSubscription(self) -> Mapping[str, Any]:
        """Return the subscriptions by consumer."""
        return self._subscriptions
