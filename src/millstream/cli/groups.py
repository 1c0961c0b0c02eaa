"""Committed offsets of an application's group, and the offsets of topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from confluent_kafka import ConsumerGroupState, ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka import KafkaException as ClientException

# Its stubs do not export it.
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]

from millstream.cli.clients import TIMEOUT_S, client_errors
from millstream.cli.reset_notes import note_of, noted_in
from millstream.core.config import StreamsConfig
from millstream.topology.spark.clients.consumers import all_committed, connected, offsets_only
from millstream.topology.spark.clients.settings import client_settings, with_coordinator
from millstream.topology.spark.job import progress_topic
from millstream.topology.spark.ownership import owner_topic

Place = tuple[str, int]
"""A topic and a partition."""


class GroupOffsets:
    """Requests about one application's group, by an admin client.

    Args:
        config: The configuration; its ``application.id`` is the group.
    """

    def __init__(self, config: StreamsConfig) -> None:
        self.group: str = config.getString("application.id")
        self._client = client_settings(config)
        self._admin = AdminClient(self._client)
        self.own_topics = {owner_topic(self.group), progress_topic(self.group)}
        """The internal topics on which claims and tokens are offsets."""

    def committed(self, also: Iterable[Place] = ()) -> dict[Place, int]:
        """Return all committed offsets, those of internal topics included.

        Args:
            also: Partitions of topics that have been deleted: their offsets go a moment later.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        return {(each.topic, each.partition): each.offset for each in self._committed(also)}

    def shifted_from(self) -> dict[Place, int]:
        """Return where offsets were that a reset which has not ended has shifted.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        known = ((each, noted_in(each)) for each in self._committed())
        return {(each.topic, each.partition): at for each, at in known if at is not None}

    def members(self) -> list[str]:
        """Return the hosts of the group's members: programs other than millstream have some.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """

        def ask() -> Any:
            (answer,) = self._admin.describe_consumer_groups(
                [self.group], request_timeout=TIMEOUT_S
            ).values()
            return answer.result()

        with client_errors(f'cannot describe group "{self.group}"'):
            try:
                found = with_coordinator(ask, TIMEOUT_S)
            except ClientException as error:
                # Kafka 4 answers so for a group that does not exist.
                if error.args[0].name() == "GROUP_ID_NOT_FOUND":
                    return []
                raise
        if found.state == ConsumerGroupState.DEAD:
            return []
        return [f"{member.client_id} on {member.host}" for member in found.members]

    def commit(
        self, offsets: Mapping[Place, int], shifted: Mapping[Place, int] | None = None
    ) -> None:
        """Commit offsets for the group, which must have no members.

        Args:
            offsets: The offsets.
            shifted: Where those were before that are shifted, to be noted with them.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        if not offsets:
            return
        notes = {place: note_of(before) for place, before in (shifted or {}).items()}
        wanted = [
            TopicPartition(*place, offset, notes.get(place, ""))
            for place, offset in offsets.items()
        ]

        def ask() -> None:
            (answer,) = self._admin.alter_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(self.group, wanted)], request_timeout=TIMEOUT_S
            ).values()
            for each in answer.result().topic_partitions:
                if each.error is not None:
                    raise ClientException(each.error)

        with client_errors(f'cannot commit the offsets of group "{self.group}"'):
            with_coordinator(ask, TIMEOUT_S)

    def beginnings(self, places: Iterable[Place]) -> dict[Place, int]:
        """Return the offset of the oldest record of each partition."""
        return self._listed(places, OffsetSpec.earliest())  # type: ignore[no-untyped-call]

    def ends(self, places: Iterable[Place]) -> dict[Place, int]:
        """Return the offset after the newest record of each partition."""
        return self._listed(places, OffsetSpec.latest())  # type: ignore[no-untyped-call]

    def at_time(self, places: Iterable[Place], time_ms: int) -> dict[Place, int]:
        """Return the offset of each partition's first record at or after a time; else its end."""
        known = list(places)
        spec = OffsetSpec.for_timestamp(time_ms)
        ends = self.ends(known)
        found = self._listed(known, spec)
        return {place: ends[place] if found[place] < 0 else found[place] for place in known}

    def delete_topics(self, topics: Sequence[str]) -> None:
        """Delete topics; one that is gone already is no error.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        for topic, answer in self._admin.delete_topics(list(topics)).items() if topics else ():
            with client_errors(f'cannot delete topic "{topic}"'):
                try:
                    answer.result(TIMEOUT_S)
                except ClientException as error:
                    if error.args[0].name() != "UNKNOWN_TOPIC_OR_PART":
                        raise

    def _committed(self, also: Iterable[Place] = ()) -> list[TopicPartition]:
        problem = f'cannot read the committed offsets of group "{self.group}"'
        with connected(self._client | offsets_only(self.group), problem) as consumer:
            return all_committed(consumer, TIMEOUT_S, also)

    def _listed(self, places: Iterable[Place], spec: Any) -> dict[Place, int]:
        asked = {TopicPartition(*place): spec for place in places}
        if not asked:
            return {}
        with client_errors("cannot read the offsets of topics"):
            answers = self._admin.list_offsets(asked, request_timeout=TIMEOUT_S)
            return {(p.topic, p.partition): f.result().offset for p, f in answers.items()}
