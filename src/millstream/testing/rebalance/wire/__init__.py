"""The bytes in which members of a Kafka Streams group say what they have and are told what to do.

``SubscriptionInfo`` goes from each member to the leader, ``AssignmentInfo`` from the leader to each
member. Versions 1 to 11 are the bytes of Kafka Streams 4.3.
"""

from __future__ import annotations

from millstream.testing.rebalance.wire.assignment_info import AssignmentInfo as AssignmentInfo
from millstream.testing.rebalance.wire.negotiation import AssignorError as AssignorError
from millstream.testing.rebalance.wire.negotiation import GroupVersions as GroupVersions
from millstream.testing.rebalance.wire.negotiation import MemberVersions as MemberVersions
from millstream.testing.rebalance.wire.negotiation import group_versions as group_versions
from millstream.testing.rebalance.wire.subscription_info import SubscriptionInfo as SubscriptionInfo
from millstream.testing.rebalance.wire.versions import LATEST_OFFSET as LATEST_OFFSET
from millstream.testing.rebalance.wire.versions import LATEST_VERSION as LATEST_VERSION
from millstream.testing.rebalance.wire.versions import UNKNOWN_OFFSET_SUM as UNKNOWN_OFFSET_SUM
from millstream.testing.rebalance.wire.versions import UNKNOWN_VERSION as UNKNOWN_VERSION
