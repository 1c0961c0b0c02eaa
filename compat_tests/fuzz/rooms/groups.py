"""What members of a group of Kafka Streams send each other, in every version."""

from __future__ import annotations

from uuid import UUID

from compat_tests.fuzz.decoder import Decoder, Maker
from millstream.core.kafka import TopicPartition
from millstream.core.metadata import HostInfo
from millstream.core.processor import TaskId
from millstream.testing.rebalance.wire import versions
from millstream.testing.rebalance.wire.assignment_info import AssignmentInfo
from millstream.testing.rebalance.wire.subscription_info import SubscriptionInfo

VERSIONS = range(1, versions.LATEST_VERSION + 1)
PART = TopicPartition("in", 1)


def subscriptions() -> Decoder:
    """Metadata from a member to the leader."""
    samples = [
        SubscriptionInfo(
            version=version,
            process_id=UUID(int=7),
            user_end_point="host:1" if version >= versions.FIRST_WITH_ENDPOINT else None,
            task_offset_sums={TaskId(0, 1): -2, TaskId(1, 0): -3},
        ).encode()
        for version in VERSIONS
    ]
    return Decoder(samples, SubscriptionInfo.decode)


def assignments() -> Decoder:
    """Metadata from the leader to a member."""
    samples = [
        AssignmentInfo(
            version=version,
            active_tasks=(TaskId(0, 1),),
            standby_tasks={TaskId(0, 2): (PART,)},
            partitions_by_host={HostInfo("host", 1): (PART,)},
        ).encode()
        for version in VERSIONS
    ]
    return Decoder(samples, AssignmentInfo.decode)


DECODERS: dict[str, Maker] = {
    "group-subscription": subscriptions,
    "group-assignment": assignments,
}
