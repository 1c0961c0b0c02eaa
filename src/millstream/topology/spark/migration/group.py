"""Consumer group of a Java application: members, committed offsets and their metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from confluent_kafka import ConsumerGroupState, TopicPartition
from confluent_kafka import KafkaException as ClientException
from confluent_kafka.admin import AdminClient

from millstream.core.config import StreamsConfig
from millstream.topology.spark.clients.consumers import all_committed, connected, offsets_only
from millstream.topology.spark.clients.settings import (
    client_settings,
    raise_kafka_error,
    with_coordinator,
)
from millstream.topology.spark.migration.offset_metadata import OffsetMetadata, metadata_of
from millstream.topology.spark.ownership import Claim, claim_of, owner_topic

TIMEOUT_S = 30.0
_UNKNOWN_GROUP = "GROUP_ID_NOT_FOUND"

Place = tuple[str, int]
"""A topic and a partition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaGroup:
    """What a group has committed, and who is in it."""

    members: tuple[str, ...]
    offsets: Mapping[Place, int]
    metadata: Mapping[Place, OffsetMetadata]
    claim: Claim | None
    """The claim of an application of this package; None if there is none."""


class GroupClient:
    """Requests about the group of an application.

    Args:
        config: The configuration; its ``application.id`` is the group.
    """

    def __init__(self, config: StreamsConfig) -> None:
        self.group: str = config.getString("application.id")
        self._client = client_settings(config)
        self._admin = AdminClient(self._client)

    def state(self) -> JavaGroup:
        """Return members and committed offsets.

        Raises:
            StreamsException: The broker refuses or does not answer; or a transaction of a producer
                that was killed is still open.
        """
        found = self._committed()
        own = owner_topic(self.group)
        claims = [each for each in found if each.topic == own]
        places = {(each.topic, each.partition): each for each in found if each.topic != own}
        return JavaGroup(
            members=tuple(self._members()),
            offsets={place: each.offset for place, each in places.items()},
            metadata={place: metadata_of(each) for place, each in places.items()},
            claim=claim_of(claims[0]) if claims else None,
        )

    def _committed(self) -> list[TopicPartition]:
        problem = f'cannot read the committed offsets of group "{self.group}"'
        own = offsets_only(self.group, stable=True)
        with connected(self._client | own, problem) as consumer:
            return all_committed(consumer, TIMEOUT_S)

    def _members(self) -> list[str]:
        def ask() -> Any:
            (answer,) = self._admin.describe_consumer_groups(
                [self.group], request_timeout=TIMEOUT_S
            ).values()
            return answer.result()

        try:
            found = with_coordinator(ask, TIMEOUT_S)
        except ClientException as error:
            # Kafka 4 answers so for a group that does not exist.
            if error.args[0].name() == _UNKNOWN_GROUP:
                return []
            raise_kafka_error(f'cannot describe group "{self.group}"', error)
        if found.state == ConsumerGroupState.DEAD:
            return []
        return [f"{member.client_id} on {member.host}" for member in found.members]
