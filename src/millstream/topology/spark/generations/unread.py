"""Internal topics on the broker whose records have not been processed yet."""

from __future__ import annotations

from collections.abc import Collection, Container

from millstream.core.config import StreamsConfig
from millstream.core.errors import StreamsException
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.checkpoint.log import Positions, flat


def check_feedback_read(
    config: StreamsConfig, positions: Positions, topics: Collection[str]
) -> None:
    """Check that internal topics on the broker, which get more partitions, have been read.

    Raises:
        StreamsException: One has unread records, which are in partitions of the former number.
    """
    for topic, count in unread_of(config, positions, set(topics)).items():
        if count:
            raise StreamsException(
                f'internal topic "{topic}" has {count} records that have not been read',
                detail="They are in the partitions of the former number of tasks.",
                hint="Start the former program once more and close it when it has read them "
                "(millstream run APP --until-idle), before its input topics get more partitions.",
            )


def check_over_broker_read(config: StreamsConfig, positions: Positions, gone: set[str]) -> None:
    """Check that repartition topics which do not go over the broker any more have been read.

    Raises:
        StreamsException: One has unread records.
    """
    for topic, count in unread_of(config, positions, gone & positions.keys()).items():
        if count:
            raise StreamsException(
                f'repartition topic "{topic}" has {count} records that have not been read',
                detail="They are from Kafka Streams, and the new program does not read the topic.",
                hint="Start the former program once more and close it when it has read them "
                "(millstream run APP --until-idle), then this one.",
            )


def unread_topics(
    positions: Positions, read: Container[str], config: StreamsConfig
) -> dict[str, int]:
    """Return the internal topics that are not read any more -> their unread records."""
    prefix = f"{config.getString('application.id')}-"
    gone = {topic for topic in positions if topic.startswith(prefix) and topic not in read}
    # One that was deleted has none.
    return unread_of(config, positions, Group(config).topic_ids(gone)) if gone else {}


def unread_of(config: StreamsConfig, positions: Positions, gone: Collection[str]) -> dict[str, int]:
    """Return topics -> the number of their records from some positions on."""
    at = {place: offset for place, offset in flat(positions).items() if place[0] in gone}
    if not at:
        return {}
    ends = Group(config).ends(list(at))
    unread = dict.fromkeys(gone, 0)
    for (topic, partition), offset in at.items():
        unread[topic] += max(0, ends[topic, partition] - offset)
    return unread
