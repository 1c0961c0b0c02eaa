"""Stages of a query that the user starts: which checkpoint they work on, and for which program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pyspark import TaskContext

from millstream.core.errors import StreamsException
from millstream.topology.spark.failures import reported
from millstream.topology.spark.job import Job
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.worker.stage import StageProcessor

PROGRAM = "millstream.program"
"""Name under which a manifest has the program's number, among the topics of arrivals."""
_QUERY, _RUN = "sql.streaming.queryId", "spark.jobGroup.id"


def job_of_query(job: Job) -> Job:
    """Return a job with the ids of the query that runs it: one DataFrame may be in several."""
    context = TaskContext.get()
    query = None if context is None else context.getLocalProperty(_QUERY)
    if context is None or query is None:
        return job
    run = context.getLocalProperty(_RUN) or job.run_id
    return replace(job, checkpoint_id=query, run_id=f"{run}-{job.run_id}")


class FrameStage(StageProcessor):
    """Stage of a query that the user starts, with any checkpoint.

    Each task's manifest names the program that wrote it, and the number of its partitions.
    """

    def __init__(self, job: Job, stage: int, program: int = 0) -> None:
        super().__init__(job, stage)
        self._program = program
        self._asked = False

    def use(self, manifest: Any, segments: Any) -> None:
        """Work on state that has been declared."""
        super().use(MarkedManifest(manifest, self._program), segments)

    def _run(self, partition: int, rows: Iterable[Any]) -> list[dict[str, Any]]:
        if not self._asked:
            self._job, self._asked = job_of_query(self._job), True
        return super()._run(partition, rows)


class MarkedManifest:
    """A task's manifest in Spark's state, refused if another program wrote it.

    Args:
        state: Spark's state.
        program: The program's number.
    """

    def __init__(self, state: Any, program: int) -> None:
        self._state = state
        self._program = program

    def get(self) -> Any:
        """Return what is saved; None if nothing is.

        Raises:
            StreamsException: It is of another program.
        """
        saved = self._state.get()
        if saved is not None:
            found = Manifest.decode(saved[0]).arrivals.get(PROGRAM)
            if found != self._program:
                with reported():
                    raise StreamsException(
                        "the checkpoint of this query is of another program",
                        detail="Its topology, the serdes or types of its stores, or its numbers of "
                        "partitions were others when the state was written.",
                        hint="Go back to that program, or write with a new checkpointLocation: its "
                        "stores begin empty.",
                    )
        return saved

    def update(self, row: tuple[bytes]) -> None:
        """Save a manifest."""
        manifest = Manifest.decode(row[0])
        if PROGRAM not in manifest.arrivals:
            arrivals = {**manifest.arrivals, PROGRAM: self._program}
            manifest = replace(manifest, arrivals=arrivals)
            row = (manifest.encode(),)
        self._state.update(row)
