"""Unread records that the broker has deleted before the start: told, or refused."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.errors import StreamsException
from millstream.core.plan import Plan
from millstream.topology.spark.admission.group import At, Group
from millstream.topology.spark.checkpoint.descriptor import local_files
from millstream.topology.spark.checkpoint.files import RemoteFiles
from millstream.topology.spark.checkpoint.log import CheckpointLog
from millstream.topology.spark.driver.offsets import reset_policies
from millstream.topology.spark.gone_records import NO_RESET

log = logging.getLogger(__name__)

_SHOWN = 3


def check_unread(
    plan: Plan, config: StreamsConfig, offsets: Mapping[str, Mapping[int, int]]
) -> None:
    """Tell how many unread records are gone, as by retention while the application was down.

    The application goes on with the oldest records that are left.

    Args:
        plan: The topology.
        config: The application's configuration.
        offsets: Topic -> partition -> where the application begins to read; EARLIEST and LATEST
            are below 0.

    Raises:
        StreamsException: The reset policy of the topic is ``none``; or the broker does not answer.
    """
    starts = {
        (topic, partition): offset
        for topic, partitions in offsets.items()
        for partition, offset in partitions.items()
        if offset >= 0
    }
    begins = Group(config).begins(list(starts))
    gone = {at: begins[at] - start for at, start in starts.items() if begins[at] > start}
    policies = reset_policies(plan, {topic for topic, _ in gone}, config) if gone else {}
    refused = {at: count for at, count in gone.items() if policies[at[0]][0] == "none"}
    if refused:
        raise StreamsException(
            "the broker has deleted records that the application has not read",
            detail=f"{_listed(refused, begins)} The reset policy of the topic is none.",
            hint=NO_RESET,
        )
    if gone:
        log.warning(
            "%s: the broker has deleted records that the application has not read (retention); "
            "it goes on with the oldest that are left. %s",
            config.getString("application.id"),
            _listed(gone, begins),
        )


def without_reset(plan: Plan, topics: Iterable[str], config: StreamsConfig) -> frozenset[str]:
    """Return the topics whose reset policy is ``none``."""
    policies = reset_policies(plan, topics, config)
    return frozenset(topic for topic, (policy, _) in policies.items() if policy == "none")


def read_to(
    location: str, session: SparkSession, begun: Mapping[str, Mapping[int, int]]
) -> dict[str, dict[int, int]]:
    """Return where the next batch of a checkpoint begins to read.

    Args:
        location: The checkpoint's.
        session: A session that reads it, if it is not on this machine.
        begun: Where its first batch in this process began.
    """
    files = local_files(location) or RemoteFiles(session, location)
    done = CheckpointLog(files, location).progress().done_to
    return {topic: {**places, **done.get(topic, {})} for topic, places in begun.items()}


def _listed(gone: Mapping[At, int], begins: Mapping[At, int]) -> str:
    places = sorted(gone)
    lines = [
        f'Partition {at[1]} of topic "{at[0]}" begins at offset {begins[at]}: up to '
        f"{_many(gone[at])} not read."
        for at in places[:_SHOWN]
    ]
    if len(places) > _SHOWN:
        rest = sum(gone[at] for at in places[_SHOWN:])
        lines.append(f"And {len(places) - _SHOWN} more partitions, with up to {_many(rest)}.")
    return " ".join(lines)


def _many(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"
