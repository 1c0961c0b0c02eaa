"""State of the last committed batch, read from a checkpoint while the query runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from millstream.core.processor import TaskId
from millstream.topology.spark.checkpoint.descriptor import local_files, segments_of
from millstream.topology.spark.checkpoint.files import RemoteFiles
from millstream.topology.spark.checkpoint.log import COMMITS, CheckpointLog, Positions
from millstream.topology.spark.compile import Stage
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state.segment_files import SegmentFiles
from millstream.topology.spark.state_location import state_location


class CommittedState:
    """Reads manifests and segments of a batch through Spark's reader of state.

    Args:
        session: A session with the query's settings.
        location: The checkpoint.
        stages: Number of stages.
        reported: Returns the last batch that the running query has reported as committed, None if
            it has not reported any; asked in place of a remote file system, which takes longer.
    """

    def __init__(
        self,
        session: SparkSession,
        location: str,
        stages: int,
        reported: Callable[[], int | None] = lambda: None,
    ) -> None:
        self._session = session
        self._location = location
        self._stages = stages
        local = local_files(location)
        self._files = local or RemoteFiles(session, location)
        self._reported = reported if local is None else lambda: None
        self._log = CheckpointLog(self._files, location)

    def last_batch(self, known: int | None = None) -> int | None:
        """Return the number of the last committed batch; None before the first.

        On a remote file system it may be the last but one, for the milliseconds until Spark reports
        the last.

        Args:
            known: A committed batch; if it is still the last, no directory is listed.
        """
        reported = self._reported()
        if reported is not None and (known is None or reported >= known):
            return reported
        # Spark deletes old files: the next one is not written yet only if the known one exists.
        if (
            known is not None
            and not self._files.has(f"{COMMITS}/{known + 1}")
            and self._files.has(f"{COMMITS}/{known}")
        ):
            return known
        return max(self._log.committed(), default=None)

    def consumed(self, batch: int) -> Positions:
        """Return the end offsets of a batch."""
        return self._log.consumed(batch)

    def manifests(self, stage: Stage, batch: int) -> dict[int, Manifest]:
        """Return the manifest of each task that has one, by partition."""
        rows = self._state(stage, batch, "manifest").select("partition_id", "value.blob").collect()
        return {row.partition_id: Manifest.decode(row.blob) for row in rows}

    def segments(
        self, stage: Stage, batch: int, first: Mapping[int, int]
    ) -> dict[int, dict[int, bytes]]:
        """Return segments by partition and number.

        Args:
            stage: The stage.
            batch: The batch.
            first: Partition -> number of the first segment to return.
        """
        found: dict[int, dict[int, bytes]] = {partition: {} for partition in first}
        wanted = (_from(partition, number) for partition, number in first.items())
        state = self._state(stage, batch, "segments").where(reduce(Column.__or__, wanted))
        rows = state.select("partition_id", "user_map_key.seq", "user_map_value.blob").collect()
        root = segments_of(self._location)
        for row in rows:
            files = SegmentFiles.of(root, TaskId(stage.subtopology, row.partition_id))
            found[row.partition_id][row.seq] = files.resolved(row.seq, bytes(row.blob))
        return found

    def _state(self, stage: Stage, batch: int, variable: str) -> DataFrame:
        # Spark numbers the operators from the end of the line.
        return (
            self._session.read.format("statestore")
            .option("operatorId", self._stages - 1 - stage.index)
            .option("stateVarName", variable)
            .option("batchId", batch)
            .load(state_location(self._location))
        )


def _from(partition: int, number: int) -> Column:
    return (F.col("partition_id") == partition) & (F.col("user_map_key.seq") >= number)
