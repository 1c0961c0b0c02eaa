"""Creation and deletion of topics, with a wait until the whole cluster knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import ConfigResource
from confluent_kafka.admin._listoffsets import OffsetSpec
from confluent_kafka.admin._resource import ResourceType
from confluent_kafka.cimpl import NewTopic

from millstream.core.durations import to_millis
from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.wording import a_kind
from millstream.testing.broker.errors import BrokerError, TopicMismatchError, WaitTimeoutError
from millstream.testing.broker.waiting import Deadline, wait_for
from millstream.topology.spark.clients.connecting import all_topics

Settings = Mapping[str, Any]

ANY_TIME: Mapping[str, object] = {
    "retention.ms": -1,
    "message.timestamp.after.max.ms": 2**63 - 1,
}
"""Settings of a topic that takes and keeps records of any time.

Tests have records of 1970 and of the year 3000: with Kafka's own settings the broker deletes the
former at its next clean-up and refuses the latter.
"""

_ANSWER_S = 30.0


@dataclass(frozen=True)
class Wanted:
    """Topics as they should be."""

    names: Sequence[str]
    partitions: int
    replication_factor: int
    config: Mapping[str, object]

    def __post_init__(self) -> None:
        _check_names(self.names)
        for name, number in (
            ("partitions", self.partitions),
            ("replication_factor", self.replication_factor),
        ):
            if not isinstance(number, int) or isinstance(number, bool):
                raise ClassCastException(f"{name} cannot be {a_kind(number)}")
            if number < 1:
                raise IllegalArgumentException(f"{name} is {number}; it must be at least 1")

    def settings(self) -> dict[str, str]:
        """Return the settings of a new topic."""
        merged = {**ANY_TIME, **self.config}
        return {name: _text(value) for name, value in merged.items() if value is not None}


def create_topics(settings: Settings, wanted: Wanted, limit: Deadline) -> None:
    """Create topics, and wait until each partition's leader answers."""
    names = list(dict.fromkeys(wanted.names))
    if not names:
        return
    present = _found(settings, limit)
    admin = AdminClient(dict(settings))
    missing = [
        NewTopic(
            name,
            num_partitions=wanted.partitions,
            replication_factor=wanted.replication_factor,
            config=wanted.settings(),
        )
        for name in names
        if name not in present
    ]
    existing = [name for name in names if name in present]
    for name, created in admin.create_topics(missing).items() if missing else ():
        if _result(created, f'cannot create topic "{name}"') is KafkaError.TOPIC_ALREADY_EXISTS:
            existing.append(name)
    _wait(lambda: _are_led(settings, admin, names, limit), limit, f"topics are ready: {names}")
    _check_existing(admin, _found(settings, limit), existing, wanted)


def delete_topics(settings: Settings, names: Sequence[str], limit: Deadline) -> None:
    """Delete topics, and wait until no broker lists them."""
    _check_names(names)
    present = [name for name in dict.fromkeys(names) if name in _found(settings, limit)]
    if not present:
        return
    admin = AdminClient(dict(settings))  # alive until all answers are there
    for name, deleted in admin.delete_topics(present).items():
        _result(deleted, f'cannot delete topic "{name}"')
    _wait(
        lambda: not _found(settings, limit).keys() & set(present),
        limit,
        f"topics are deleted: {present}",
    )


def partition_counts(settings: Settings, limit: Deadline) -> dict[str, int]:
    """Return the number of partitions of each topic of users."""
    return {
        name: len(topic.partitions)
        for name, topic in sorted(_found(settings, limit).items())
        if not name.startswith("__")
    }


def _found(settings: Settings, limit: Deadline) -> Mapping[str, Any]:
    return all_topics(settings, limit.left_s())


def _are_led(settings: Settings, admin: AdminClient, names: Sequence[str], limit: Deadline) -> bool:
    topics = _found(settings, limit)
    places: dict[TopicPartition, Any] = {}
    for name in names:
        parts = topics[name].partitions if name in topics else {}
        if not parts or any(each.leader < 0 for each in parts.values()):
            return False
        # The stubs leave it untyped.
        latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]
        places |= {TopicPartition(name, number): latest for number in parts}
    try:
        # A leader that metadata name may not know of it yet.
        for answer in admin.list_offsets(places).values():
            answer.result(_ANSWER_S)
    except KafkaException:
        return False
    return True


def _check_existing(
    admin: AdminClient, topics: Mapping[str, Any], names: Sequence[str], wanted: Wanted
) -> None:
    for name in names:
        count = len(topics[name].partitions)
        if count != wanted.partitions:
            raise TopicMismatchError(
                f'topic "{name}" exists with {count} partitions, not {wanted.partitions}',
                hint="Delete it, or name another topic.",
            )
    asked = {name: _text(value) for name, value in wanted.config.items() if value is not None}
    if not asked or not names:
        return
    resources = [ConfigResource(ResourceType.TOPIC, name) for name in names]
    for resource, answer in admin.describe_configs(resources).items():
        entries = answer.result(_ANSWER_S)
        for setting, value in asked.items():
            present = entries[setting].value if setting in entries else None
            if present != value:
                raise TopicMismatchError(
                    f'topic "{resource.name}" exists with {setting}={present}, not {value}',
                    hint="Delete it, or name another topic.",
                )


def _wait(condition: Callable[[], bool], limit: Deadline, message: str) -> None:
    try:
        wait_for(condition, limit.left_s(), message)
    except WaitTimeoutError as error:
        raise BrokerError(
            f"waited {limit.text} in vain until {message}",
            detail="The broker accepted the request.",
        ) from error


def _result(answer: Any, problem: str) -> int | None:
    try:
        answer.result(_ANSWER_S)
    except KafkaException as error:
        reason = error.args[0]
        if reason.code() == KafkaError.TOPIC_ALREADY_EXISTS:
            return KafkaError.TOPIC_ALREADY_EXISTS
        if reason.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            return None
        raise BrokerError(problem, detail=reason.str()) from error
    return None


def _check_names(names: Sequence[Any]) -> None:
    for name in names:
        if not isinstance(name, str):
            hint = "Write create_topics(*names)." if isinstance(name, (list, tuple)) else ""
            raise ClassCastException(f"a topic's name cannot be {a_kind(name)}", hint=hint)


def _text(value: object) -> str:
    if isinstance(value, timedelta):
        return str(to_millis(value, "a duration"))
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
