"""Unread records that the broker has deleted, before the start or since: told, or refused."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

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
from millstream.topology.spark.progress import gone_of

log = logging.getLogger(__name__)

_SHOWN = 3
_LOOK_S = 0.5
_TELL_S = 30.0
_GOES_ON = "it goes on with the oldest that are left"


class Gone(NamedTuple):
    """Records of a partition that are gone, and were not told yet."""

    topic: str
    partition: int
    begin: int
    end: int
    """The offset after the last one."""
    records: int


class DeletedRecords:
    """Unread records of one application that the broker has deleted: told once, and counted.

    Args:
        config: The application's configuration.
        clock: Monotonic clock in seconds.
    """

    def __init__(self, config: StreamsConfig, clock: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._clock = clock
        self._due = 0.0
        self._last: object = None
        """The last report of Spark's that was looked at."""
        self._told: dict[At, int] = {}
        """Partition -> the offset before which everything is told."""
        self._untold: dict[At, Gone] = {}
        """Partition -> what is to be told; only once in a while, as one batch after another may."""
        self._tell_at = 0.0
        self.count = 0
        """How many there were, at most: an offset may be of no record."""

    def check(self, plan: Plan, offsets: Mapping[str, Mapping[int, int]]) -> None:
        """Tell of those before a start; see ``check_unread``."""
        for at, gone in check_unread(plan, self._config, offsets).items():
            self._new(at, *gone)

    def look(
        self,
        report: Callable[[], object],
        progress: Callable[[], Mapping[str, Any] | None],
        *,
        at_once: bool = False,
    ) -> None:
        """Tell of those that batches have noticed since the last look.

        The reset policy is not ``none``: Spark has gone on with the oldest that are left.

        Args:
            report: Returns what tells Spark's last report from the one before; cheap.
            progress: Returns Spark's progress of the last batch.
            at_once: Look also soon after the last look.
        """
        now = self._clock()
        if now < self._due and not at_once:
            return
        self._due = now + _LOOK_S
        if (last := report()) != self._last:
            self._last = last
            for topic, partition, begin, end in gone_of(progress() or {}):
                at = topic, partition
                if new := self._new(at, begin, end):
                    before = self._untold.get(at, Gone(*at, end - new, end, 0))
                    self._untold[at] = before._replace(end=end, records=before.records + new)
        if self._untold and (at_once or now >= self._tell_at):
            self._tell_at = now + _TELL_S
            _warn(self._config, f" while it runs; {_GOES_ON}", _skipped(self._untold.values()))
            self._untold.clear()

    def _new(self, at: At, begin: int, end: int) -> int:
        """Count what is new of a range, and return that."""
        new = max(0, end - max(begin, self._told.get(at, begin)))
        self._told[at] = max(end, self._told.get(at, end))
        self.count += new
        return new


def check_unread(
    plan: Plan, config: StreamsConfig, offsets: Mapping[str, Mapping[int, int]]
) -> dict[At, tuple[int, int]]:
    """Tell how many unread records are gone, as by retention while the application was down.

    The application goes on with the oldest records that are left.

    Args:
        plan: The topology.
        config: The application's configuration.
        offsets: Topic -> partition -> where the application begins to read; EARLIEST and LATEST
            are below 0.

    Returns:
        Partition -> the first offset that is gone, and the first that is not.

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
        _warn(config, f"; {_GOES_ON}", _listed(gone, begins))
    return {at: (starts[at], begins[at]) for at in gone}


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


def _warn(config: StreamsConfig, how: str, places: str) -> None:
    log.warning(
        "%s: the broker has deleted records that the application has not read (retention)%s. %s",
        config.getString("application.id"),
        how,
        places,
    )


def _skipped(gone: Iterable[Gone]) -> str:
    places = sorted(gone)
    lines = [
        f'Partition {each.partition} of topic "{each.topic}", offsets {each.begin} to '
        f"{each.end - 1}: up to {_many(each.records)} not read."
        for each in places[:_SHOWN]
    ]
    return " ".join([*lines, *_more([each.records for each in places[_SHOWN:]])])


def _listed(gone: Mapping[At, int], begins: Mapping[At, int]) -> str:
    places = sorted(gone)
    lines = [
        f'Partition {at[1]} of topic "{at[0]}" begins at offset {begins[at]}: up to '
        f"{_many(gone[at])} not read."
        for at in places[:_SHOWN]
    ]
    return " ".join([*lines, *_more([gone[at] for at in places[_SHOWN:]])])


def _more(counts: Sequence[int]) -> list[str]:
    places = "1 more place" if len(counts) == 1 else f"{len(counts)} more places"
    return [f"And {places}, with up to {_many(sum(counts))}."] if counts else []


def _many(count: int) -> str:
    return "1 record" if count == 1 else f"{count:,} records"
