"""Subscriptions and assignments of a group, by consumer, for assignors that want to see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class GroupAssignment:
    """What each consumer of the group was told.

    Source: ``ConsumerPartitionAssignor.GroupAssignment``.
    """

    _assignments: Mapping[str, Any]

    def groupAssignment(self) -> Mapping[str, Any]:
        """Return what was told, by the consumer's name."""
        return self._assignments


@dataclass(frozen=True, slots=True)
class GroupSubscription:
    """What each consumer of the group had said of itself.

    Source: ``ConsumerPartitionAssignor.GroupSubscription``.
    """

    _subscriptions: Mapping[str, Any]

    def groupSubscription(self) -> Mapping[str, Any]:
        """Return what was said, by the consumer's name."""
        return self._subscriptions
