"""The streaming source of a run over history: exact ends, batches cut by time.

Its positions in Spark's offset log are those of Spark's Kafka source, in the same order of sources.
So a live query goes on where it stopped, and it goes on where a live query stopped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

from millstream.core.typed_json import read_json
from millstream.topology.spark.backfill.rounds import Positions, Rounds, flat, nested
from millstream.topology.spark.backfill.slices import Cut, Place, Slice, between, next_slice
from millstream.topology.spark.backfill.sorted_files import SortedFile
from millstream.topology.spark.backfill.staged import StagedPartition
from millstream.topology.spark.backfill.topics import TopicClient, clipped
from millstream.topology.spark.checkpoint.log import FILE
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.failures import reported
from millstream.topology.spark.progress import HISTORY
from millstream.topology.spark.worker.pack import PACKED_SCHEMA, packer

STAGE, FACTS = "stage", "secretfacts"
"""Options of the source. Spark hides the values of options whose names say that they are secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What the sources of one query know: bounds, positions, the way to the broker."""

    run: str
    """Id of this start of the application."""
    layout: Layout
    begin: Positions
    """Where the run begins; of feedback topics too."""
    ends: Positions
    """Where it ends; feedback topics are left out: they are read to their ends."""
    records_per_batch: int
    rounds: str
    """The file in which the sources agree."""
    consumer: Mapping[str, Any] = field(repr=False)
    """Settings of consumers."""
    patience_s: float = 300.0
    files: Mapping[str, Mapping[int, StagedPartition]] = field(default_factory=dict)
    """Topic -> partition -> the file that stands for it. Positions in files are under the topic's
    name after FILE; positions of the topic itself stay where the live application goes on."""

    @property
    def readers(self) -> int:
        """Number of sources of the query."""
        return sum(1 for stage in self.layout.stages if stage.topics)

    def agreement(self) -> Rounds:
        """Return what the sources share."""
        return Rounds(Path(self.rounds), self.readers)

    def encoded(self) -> str:
        """Return this as text; it is no pickle, which whoever changes it could make run code."""
        return msgspec.json.encode(self).decode()

    @staticmethod
    def decoded(text: str) -> History:
        """Return what ``encoded`` wrote.

        Raises:
            ValueError: The text is something else.
        """
        return read_json(text, History)


class HistorySource(DataSource):
    """Spark's entry to the source of one stage."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return HISTORY

    def schema(self) -> str:
        """Return the columns: rows of chunks."""
        return PACKED_SCHEMA

    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        """Return the reader of the stage that the options name."""
        del schema
        return HistoryReader(History.decoded(self.options[FACTS]), int(self.options[STAGE]))


@dataclass(frozen=True, slots=True)
class Range(InputPartition):
    """A part of one partition that one task of Spark reads."""

    place: Place
    start: int
    stop: int


class HistoryReader(DataSourceStreamReader):
    """Reads the topics of one stage.

    Args:
        history: What the sources of the query know.
        stage: Index of the stage.
    """

    def __init__(self, history: History, stage: int) -> None:
        self._history = history
        self._stage = stage
        topics = list(history.layout.stages[stage].topics)
        topics += [FILE + topic for topic in topics if topic in history.files]
        feedback = history.layout.feedback
        self._own = [topic for topic in topics if topic not in feedback]
        self._begin = flat({topic: history.begin[topic] for topic in topics})
        self._feedback = [place for place in self._begin if place[0] in feedback]
        self._ends = flat({topic: history.ends[topic] for topic in self._own})
        self._files = {place: end for place, end in self._ends.items() if place[0].startswith(FILE)}

    def initialOffset(self) -> dict[str, dict[str, int]]:
        """Return the beginning of a run that has no checkpoint yet."""
        return nested(self._begin)

    def latestOffset(self, start: dict[str, Any], limit: Any) -> dict[str, Any]:
        """Return the end of the next batch."""
        del limit
        with reported():
            at = self._at(start)
            fed, drained = self._fed(at)
            rounds = self._history.agreement()
            ends = flat(self._history.ends)
            cut = rounds.ask(self._stage, ends, self._following, drained)
            # A source that was ahead, as Spark's own may be, waits for the others.
            found = between(at, {p: cut[p] for p in self._ends}, self._far(at)) | fed
            if all(found[place] >= end for place, end in self._files.items()):
                # A position without files is one that the live application knows.
                found = {place: at for place, at in found.items() if place not in self._files}
        return nested(found)

    def reportLatestOffset(self) -> dict[str, Any]:
        """Return where the run ends: Spark's progress shows what is left."""
        return nested(self._ends)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        """Return the ranges of a batch that have an offset."""
        first, stops = self._at(start), self._files | flat(end)
        return [
            Range(place, first.get(place, 0), stop)
            for place, stop in sorted(stops.items())
            if stop > first.get(place, 0)
        ]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the records of a range, packed into rows of chunks."""
        assert isinstance(partition, Range)
        history = self._history
        pack = packer(history.layout, self._stage)
        with reported():
            place, start, stop = partition.place, partition.start, partition.stop
            if place in self._files:
                place = (place[0].removeprefix(FILE), place[1])
                records = SortedFile(history.files[place[0]][place[1]].path).records
            else:
                records = _client(history).records
            yield from pack(records(place, start, stop))

    def stop(self) -> None:
        """Close the client of this process."""
        _forget()

    def _following(self, last: Slice) -> Slice:
        history = self._history
        ends, client = flat(history.ends), _client(history)

        left = [place for place, end in ends.items() if last.cut[place] < end]
        topics = [place for place in left if not place[0].startswith(FILE)]
        sorted_files = {
            place: _sorted_file(history, place) for place in left if place not in topics
        }

        def find(time_ms: int) -> Cut:
            found = client.at_time(topics, time_ms) if topics else {}
            found |= {place: each.at_time(time_ms) for place, each in sorted_files.items()}
            return clipped(found, ends)

        return next_slice(last, ends, history.records_per_batch, find)

    def _at(self, start: Mapping[str, Any]) -> dict[Place, int]:
        """Return where a batch begins; files without a position are read to their ends."""
        return self._begin | self._files | flat(start)

    def _far(self, at: Cut) -> Cut:
        return {place: max(end, at.get(place, 0)) for place, end in self._ends.items()}

    def _fed(self, at: Cut) -> tuple[dict[Place, int], bool]:
        """Return where to read the feedback topics to, and whether they are read to the end."""
        if not self._feedback:
            return {}, True
        history, client = self._history, _client(self._history)
        share = max(1, history.records_per_batch // len(self._feedback))
        bounds = client.bounds(self._feedback)
        stops = {
            place: min(max(at[place], end), max(at[place], oldest) + share)
            for place, (oldest, end) in bounds.items()
        }
        waiting = any(stop > at[place] for place, stop in stops.items())
        return stops, not waiting and not client.has_open_records(stops)


_clients: dict[str, TopicClient] = {}
"""The client of this process for the current run."""


def _client(history: History) -> TopicClient:
    if history.run not in _clients:
        _forget()
        _clients[history.run] = TopicClient(history.consumer, history.patience_s)
    return _clients[history.run]


def _sorted_file(history: History, place: Place) -> SortedFile:
    topic, partition = place[0].removeprefix(FILE), place[1]
    return SortedFile(history.files[topic][partition].path)


def _forget() -> None:
    while _clients:
        _clients.popitem()[1].close()
