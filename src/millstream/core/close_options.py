"""Options of ``KafkaStreams.close``."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import ClassVar

from millstream.core.durations import DurationLike, to_millis
from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.wording import a_kind


class GroupMembershipOperation(enum.Enum):
    """Choice whether a closing instance leaves its consumer group."""

    DEFAULT = "default"
    LEAVE_GROUP = "leave group"
    REMAIN_IN_GROUP = "remain in group"


Membership = GroupMembershipOperation


@dataclass(frozen=True, slots=True)
class CloseOptions:
    """Timeout and group membership of ``KafkaStreams.close``.

    Example:
        >>> CloseOptions.timeout(500).timeout_ms
        500

    Source: KIP-1153, ``org.apache.kafka.streams.CloseOptions``.
    """

    GroupMembershipOperation: ClassVar = GroupMembershipOperation

    timeout_ms: int | None = None
    """None: no limit."""
    membership: Membership = Membership.REMAIN_IN_GROUP

    @staticmethod
    def timeout(timeout: DurationLike | None) -> CloseOptions:
        """Return options with a timeout; None for no limit. ``close`` checks it."""
        return CloseOptions().withTimeout(timeout)

    @staticmethod
    def groupMembershipOperation(operation: Membership) -> CloseOptions:
        """Return options with a choice of group membership."""
        return CloseOptions().withGroupMembershipOperation(operation)

    def withTimeout(self, timeout: DurationLike | None) -> CloseOptions:
        """Return a copy with a timeout; None for no limit. ``close`` checks it."""
        timeout_ms = None if timeout is None else to_millis(timeout, "timeout")
        return replace(self, timeout_ms=timeout_ms)

    def withGroupMembershipOperation(self, operation: Membership) -> CloseOptions:
        """Return a copy with a choice of group membership."""
        if operation is None:
            raise NullPointerException("operation should not be null")
        if not isinstance(operation, Membership):
            raise ClassCastException(
                f"operation cannot be {a_kind(operation)}",
                hint="Give a CloseOptions.GroupMembershipOperation, such as LEAVE_GROUP.",
            )
        return replace(self, membership=operation)
