"""Reports of a batch's changes to the driver, while stores are asked for there."""

from __future__ import annotations

from pyspark import TaskContext

from millstream.topology.spark.compile import Stage
from millstream.topology.spark.job import Job
from millstream.topology.spark.part_times import BATCH_ID
from millstream.topology.spark.state.carried import (
    ASKED,
    CarriedBatch,
    CarriedTask,
    asked_of,
    head_of,
)
from millstream.topology.spark.state.changelog import Changelog
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state.segments import changes_section, encode_segments


def asked_text() -> str:
    """Return what this batch is asked to carry; empty for nothing, and outside of a batch."""
    context = TaskContext.get()
    return "" if context is None else context.getLocalProperty(ASKED) or ""


def batch_id() -> int:
    """Return the number of the batch that runs here."""
    context = TaskContext.get()
    return 0 if context is None else int(context.getLocalProperty(BATCH_ID) or 0)


def asked_of_stage(job: Job, stage: Stage) -> frozenset[str]:
    """Return the stores of a stage whose changes this batch carries to the driver."""
    if job.carried is None:
        return frozenset()
    return asked_of(asked_text()).get(stage.index, frozenset())


def end_batch(job: Job) -> None:
    """Tell the driver that this batch carries changes, if it does."""
    if job.carried is not None and (text := asked_text()):
        job.carried.add([CarriedBatch(run_id=job.run_id, batch=batch_id(), asked=text)])


class Carrier:
    """The changes of one task that the driver asks for, of one batch after the other."""

    def __init__(self) -> None:
        self.asked: frozenset[str] = frozenset()
        """The stores whose changes the next batch carries."""
        self._found: tuple[Manifest, Manifest, tuple[bytes, ...]] | None = None

    def note(self, base: Manifest, after: Manifest, changelog: Changelog) -> None:
        """Keep a batch's changes of the stores that are asked for, for ``report``.

        Args:
            base: The manifest that the batch began with.
            after: The one that it ended with.
            changelog: The task's stores, right after they have written the batch.
        """
        segments, changelog.written, self._found = changelog.written, [], None
        if not self.asked:
            return
        changes = changelog.changes()
        changed = {name for name, each in changes.items() if each}
        if not changed <= self.asked:
            sections = [
                changes_section(name, changes[name]) for name in sorted(changed & self.asked)
            ]
            segments = encode_segments(base.position.id, after.position.id, sections)
        self._found = base, after, tuple(segments)

    def report(self, job: Job, stage: Stage, partition: int, batch: int) -> None:
        """Send what was kept, once."""
        found, self._found = self._found, None
        if found is None:
            return
        base, after, segments = found
        fits = sum(map(len, segments)) <= job.carried_bytes // stage.tasks
        task = CarriedTask(
            run_id=job.run_id,
            batch=batch,
            stage=stage.index,
            partition=partition,
            base=base.position,
            head=head_of(after),
            segments=segments if fits else None,
        )
        job.carried.add([task])
