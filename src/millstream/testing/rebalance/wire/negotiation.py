"""Negotiation of the newest version that all members of a group read, during their upgrade.

A member begins with its own newest version. A leader that does not know it answers with what it
does know; the member comes back with that. When the last old member has gone, the leader's answer
says so, and every member goes up.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace

from millstream.core.errors import TaskAssignmentException
from millstream.testing.rebalance.wire.assignment_info import AssignmentInfo
from millstream.testing.rebalance.wire.subscription_info import SubscriptionInfo
from millstream.testing.rebalance.wire.versions import (
    EARLIEST_PROBEABLE_VERSION,
    LATEST_VERSION,
    UNKNOWN_VERSION,
)


class AssignorError(enum.IntEnum):
    """What an assignment's or a subscription's error code stands for."""

    NONE = 0
    INCOMPLETE_SOURCE_TOPIC_METADATA = 1
    VERSION_PROBING = 2
    ASSIGNMENT_ERROR = 3
    SHUTDOWN_REQUESTED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupVersions:
    """What the leader finds in the subscriptions of one rebalance.

    Args:
        assignment: The version of every assignment: the oldest that a subscription came in.
        commonly_supported: The newest version that every member reads.
        future: The members that sent a version the leader does not know: it cannot tell which
            tasks they had.
    """

    assignment: int
    commonly_supported: int
    future: frozenset[str] = frozenset()


def group_versions(
    subscriptions: Mapping[str, SubscriptionInfo], *, supported: int = LATEST_VERSION
) -> GroupVersions:
    """Return the versions that a leader uses for these members.

    Args:
        subscriptions: By member.
        supported: The newest version that the leader reads.

    Raises:
        TaskAssignmentException: One member sent a version that is not known here, while another
            one is too old to be told.
    """
    future = {name for name, info in subscriptions.items() if info.version > supported}
    known = [info.version for name, info in subscriptions.items() if name not in future]
    readable = [info.latest_supported_version for info in subscriptions.values()]
    oldest = min([supported, *known])
    if future and oldest < EARLIEST_PROBEABLE_VERSION:
        name = min(future)
        raise TaskAssignmentException(
            "cannot assign tasks to instances of releases that far apart",
            detail=f'Member "{name}" sent version {subscriptions[name].version}, another one '
            f"{oldest}, and this leader reads {supported}.",
            hint="Upgrade the oldest instances first.",
        )
    return GroupVersions(
        assignment=oldest,
        commonly_supported=min([supported, *readable]),
        future=frozenset(future),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberVersions:
    """The versions of one member: the newest that it reads, and the one it sends now."""

    supported: int = LATEST_VERSION
    used: int = LATEST_VERSION

    def after(self, assignment: AssignmentInfo) -> MemberVersions:
        """Return the versions for the next subscription; if ``used`` changed, rejoin at once.

        Raises:
            TaskAssignmentException: The leader answered in a version that the member did not use,
                or names one that it does not read.
        """
        got, common = assignment.version, assignment.commonly_supported_version
        if got > self.used:
            raise TaskAssignmentException(
                "cannot use an assignment of a newer version than the subscription",
                detail=f"The subscription was of version {self.used}, the assignment is of {got}.",
            )
        if common > self.supported:
            raise TaskAssignmentException(
                f"cannot go up to metadata of version {common}",
                detail=f"This instance reads up to version {self.supported}.",
            )
        if got < EARLIEST_PROBEABLE_VERSION or common == UNKNOWN_VERSION:
            return self
        if common > self.used or got < self.used:
            return replace(self, used=common)
        return self
