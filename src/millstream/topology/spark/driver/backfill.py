"""A run over history, on the driver: its bounds as offsets, its sources, its end."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import RECORDS_PER_BATCH
from millstream.core.errors import IllegalArgumentException, StreamsException, TopologyException
from millstream.topology.spark.backfill.bounds import Bound, check_topics
from millstream.topology.spark.backfill.history import History
from millstream.topology.spark.backfill.inputs import Inputs, check_inputs
from millstream.topology.spark.backfill.rounds import Positions, flat, nested
from millstream.topology.spark.backfill.slices import Place
from millstream.topology.spark.backfill.staged import Staged, StagedPartition
from millstream.topology.spark.backfill.staging import remove_data, stage, staged
from millstream.topology.spark.backfill.topics import TopicClient
from millstream.topology.spark.checkpoint.files import Files
from millstream.topology.spark.checkpoint.log import FILE, SOURCES, CheckpointLog
from millstream.topology.spark.clients.settings import connector_settings, consumer_settings
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.driver.brokers import LATEST

log = logging.getLogger(__name__)

_BEGINNING = f"{SOURCES}/history/0"
"""Beside the files in which Spark's Kafka sources note where they began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartingApplication:
    """An application that is about to start, as far as a run over history needs it."""

    config: StreamsConfig
    layout: Layout
    read: Mapping[str, int]
    """The topics that are read, with their partition counts."""
    offsets: Mapping[str, Mapping[int, int]]
    """Where the application starts: an offset, EARLIEST or LATEST."""
    positions: Mapping[str, Mapping[int, int]] | None
    """The checkpoint's positions, in files too; None if the application begins."""
    directory: Path
    """For files of this run, on this machine."""
    files: Files
    """The checkpoint."""
    run: str
    """The id of this start."""
    commit: Callable[[Mapping[Place, int]], None]
    """Commits positions at the end of the run."""
    session: SparkSession
    """The session of the query."""
    location: str
    """The checkpoint's location."""

    @property
    def goes_on(self) -> bool:
        """Whether there is a checkpoint to go on from."""
        return self.positions is not None


class Backfill:
    """One run over history, from the call of ``runToEnd`` to its end.

    Args:
        start: Where it begins, if the application has no checkpoint.
        end: Where it ends at the latest.
        files: Files that stand for topics.
    """

    def __init__(self, start: Bound, end: Bound, files: Inputs) -> None:
        self._start = start
        self._end = end
        self._inputs = files
        self.history: History | None = None
        """Facts for the query's sources; None before the start."""
        self._log: CheckpointLog | None = None
        self._before = -1
        self.batches = 0
        """How many batches have ended, at the end of the run."""
        self._files: Files | None = None
        self._commit: Callable[[Mapping[Place, int]], None] | None = None
        self.settled = False
        """Whether everything has been read and committed."""

    def prepare(self, starting: StartingApplication) -> History:
        """Find out where to begin and to end; return the facts for the query's sources.

        Raises:
            IllegalArgumentException: A bound names a topic or a partition that is not read.
            StreamsException: The checkpoint is before the start, or the broker does not answer.
        """
        layout, config = starting.layout, starting.config
        if not any(stage.topics for stage in layout.stages):
            raise TopologyException(
                "the topology reads no topics but those of global tables",
                detail="They have no end: their stores are filled before everything else.",
            )
        own = {topic: n for topic, n in starting.read.items() if topic not in layout.feedback}
        check_topics((self._start, self._end), own)
        check_inputs(self._inputs, own)
        self._commit = starting.commit
        files = self._staged(starting)
        consumer = consumer_settings(config, config.getString("application.id"))
        level = connector_settings(config).get("kafka.isolation.level", "read_uncommitted")
        consumer["isolation.level"] = level
        patience_s = config.getLong("task.timeout.ms") / 1000
        client = TopicClient(consumer, patience_s)
        try:
            begin, ends = self._bounds(starting, files, client)
        finally:
            client.close()
        self._log = CheckpointLog(starting.files, str(starting.directory))
        if not self._log.batches():
            starting.files.write(_BEGINNING, f"v1\n{json.dumps(nested(begin))}")
        bounded = {place: end for place, end in ends.items() if place[0] not in layout.feedback}
        self._before = max(self._log.committed(), default=-1)
        self.history = history = History(
            run=starting.run,
            layout=layout,
            begin=_by_topic(begin),
            ends=_by_topic(bounded),
            records_per_batch=config.getInt(RECORDS_PER_BATCH),
            rounds=str(starting.directory / "history.json"),
            consumer=consumer,
            patience_s=patience_s,
            files=files,
        )
        history.agreement().begin({place: begin[place] for place in bounded})
        return history

    def over(self) -> bool:
        """Return whether everything has been read and committed."""
        return self.history is not None and self.history.agreement().over()

    def settle(self) -> None:
        """Commit the positions at the end of the run, and note that it is reached.

        Raises:
            StreamsException: The broker refuses or does not answer.
        """
        assert self._log is not None
        assert self._commit is not None
        self._commit(flat(self.positions))
        self.batches = max(self._log.committed(), default=-1) - self._before
        if self.history is not None and self.history.files and self._files is not None:
            remove_data(self._files)
        self.settled = True

    @property
    def has_files(self) -> bool:
        """Whether files stand for topics."""
        return bool(self._inputs)

    @property
    def positions(self) -> Positions:
        """Where the live application goes on."""
        assert self.history is not None
        return {t: own for t, own in self.history.ends.items() if not t.startswith(FILE)}

    def passed(self) -> int:
        """Return how many offsets are between the beginning and the end."""
        assert self.history is not None
        begin = flat(self.history.begin)
        return sum(end - begin[place] for place, end in flat(self.history.ends).items())

    def _staged(self, starting: StartingApplication) -> Staged:
        """Return the sorted files, made now unless an earlier run has begun with them."""
        if not self._inputs:
            return {}
        self._files = starting.files
        if not starting.goes_on:
            bounds = (self._start, self._end)
            return stage(
                starting.session,
                starting.files,
                starting.location,
                self._inputs,
                starting.read,
                bounds,
            )
        found = staged(starting.files, self._inputs)
        if found is None:
            raise IllegalArgumentException(
                "files come before the topics, and the application has a checkpoint already",
                detail=f"It is in {starting.location}.",
                hint="Give files at the first run only, or begin with another checkpoint.",
            )
        return found

    def _bounds(
        self, starting: StartingApplication, files: Staged, client: TopicClient
    ) -> tuple[dict[Place, int], dict[Place, int]]:
        places = [(topic, n) for topic, count in starting.read.items() for n in range(count)]
        known = client.bounds(places)
        own = [place for place in places if place[0] not in starting.layout.feedback]
        first = self._found(self._start, own, known, client)
        last = self._found(self._end, own, known, client)
        begin, ends = {}, {}
        for place in places:
            topic, partition = place
            oldest, newest = known[place]
            at = starting.offsets.get(topic, {}).get(partition, oldest)
            at = newest if at == LATEST else max(at, oldest) if at < 0 else at
            if topic in files:
                pass
            elif place in first and not starting.goes_on:
                at = max(oldest, first[place])
            elif first.get(place, 0) > max(at, oldest):
                raise _behind(place, at, first[place])
            begin[place] = at
            ends[place] = max(at, min(newest, last.get(place, newest)))
            if topic in files:
                own_file = files[topic][partition]
                if not starting.goes_on:
                    at = _after_file(place, own_file, last.get(place), newest, at)
                begin[place] = ends[place] = at
                place = (FILE + topic, partition)
                read = (starting.positions or {}).get(place[0], {}).get(partition)
                begin[place] = read or 0
                if read is None and starting.goes_on:
                    begin[place] = own_file.records
                ends[place] = own_file.records
        # Others end before an open transaction anyway.
        whole = {place: known[place][1] for place in own if place[0] not in files}
        whole = {place: end for place, end in whole.items() if ends[place] >= end}
        _tell_of_open_records(starting.config.getString("application.id"), whole, client)
        return begin, ends

    def _found(
        self,
        bound: Bound,
        places: list[Place],
        known: Mapping[Place, tuple[int, int]],
        client: TopicClient,
    ) -> dict[Place, int]:
        """Return a bound as offsets; places without a bound are left out."""
        found: dict[Place, int] = {}
        by_time: dict[int, list[Place]] = {}
        for place in places:
            own = bound.of(place[0])
            if isinstance(own, int):
                by_time.setdefault(own, []).append(place)
            elif own is not None and place[1] in own:
                found[place] = min(own[place[1]], known[place][1])
        for time_ms, asked in by_time.items():
            at = client.at_time(asked, time_ms)
            found |= {place: at.get(place, known[place][1]) for place in asked}
        return found


def _tell_of_open_records(name: str, ends: Mapping[Place, int], client: TopicClient) -> None:
    """Warn of records that a run leaves out because they are behind an open transaction."""
    found = client.open_ends(ends)
    # What has been written since the ends were read is not told.
    stable = client.bounds(found)
    for (topic, partition), end in found.items():
        if stable[topic, partition][1] >= end:
            continue
        log.warning(
            '%s: partition %d of topic "%s" is read to offset %d, and ends at %d: a transaction '
            "of a producer is open there; the next run goes on behind it",
            *(name, partition, topic, ends[topic, partition], end),
        )


def _after_file(
    place: Place, file: StagedPartition, end: int | None, newest: int, begin: int
) -> int:
    """Return where the live application reads a topic for which a file has stood.

    At the end that the user gives; else after the file's last record, if its records have offsets;
    else where a first start would begin.
    """
    if end is not None or file.following is None:
        return begin if end is None else end
    if file.following > newest:
        raise StreamsException(
            f'the file for topic "{place[0]}" is not of this topic',
            detail=f"In partition {place[1]} it ends at offset {file.following}, and the topic at "
            f"{newest}.",
            hint="Give the end of the run for this topic: there the live application goes on.",
        )
    return file.following


def check_finished(
    positions: Mapping[str, Any] | None, backfill: Backfill | None, *, changed: bool
) -> None:
    """Check that no run over files has been left before its end, unless it goes on now.

    Args:
        positions: The checkpoint's positions; None without a checkpoint.
        backfill: The run that is to start; None for a live one.
        changed: Whether the program has changed.

    Raises:
        StreamsException: A run over files is not finished.
    """
    unread = sorted(t.removeprefix(FILE) for t in positions or () if t.startswith(FILE))
    if unread and (changed or backfill is None or not backfill.has_files):
        raise StreamsException(
            f"a run over files is not finished: {', '.join(unread)}",
            detail="The checkpoint is in the middle of them.",
            hint="Call runToEnd with the same files and the same program first.",
        )


def _by_topic(places: Mapping[Place, int]) -> dict[str, dict[int, int]]:
    found: dict[str, dict[int, int]] = {}
    for (topic, partition), offset in places.items():
        found.setdefault(topic, {})[partition] = offset
    return found


def _behind(place: Place, at: int, start: int) -> StreamsException:
    topic, partition = place
    return StreamsException(
        "the start of the run is after the application's position",
        detail=f'Partition {partition} of topic "{topic}" is read up to offset {at}, and the run '
        f"is to begin at {start}: the records between would be left out.",
        hint="Leave the start out, to go on where the checkpoint is.",
    )
