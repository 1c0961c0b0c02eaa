"""Writing of a task's mirror while another executor keeps a copy of the task."""

from __future__ import annotations

import logging

from millstream.core.processor import TaskId
from millstream.topology.spark.state.changelog import SegmentLog
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state.mirror import MirrorWriter
from millstream.topology.spark.state.standby_files import StandbyFiles

log = logging.getLogger(__name__)


class Mirroring:
    """The mirror of one task, for as long as the plan has a copy of the task.

    A mirror that cannot be written does not fail the batch.

    Args:
        files: The files about standby copies.
        instance: The application's instance, whose plan counts.
        task: The task.
    """

    def __init__(self, files: StandbyFiles, instance: str, task: TaskId) -> None:
        self._files = files
        self._instance = instance
        self._task = task
        self._writer: MirrorWriter | None = None
        self._failed = False

    def log_for(
        self, manifest: Manifest, encoded: bytes | None, segments: SegmentLog, *, own: bool
    ) -> SegmentLog:
        """Mirror what is committed; return the log to which the batch writes its segments.

        Args:
            manifest: The manifest of the batch before.
            encoded: Its bytes; None before the first batch.
            segments: The task's segments.
            own: Whether this worker ran that batch.
        """
        plan = self._files.plan()
        if plan.instance != self._instance or not plan.has(repr(self._task)):
            if self._writer is not None:
                self._files.mirror(self._task).discard()
                self._writer = None
            return segments
        if self._writer is None:
            self._writer, own = MirrorWriter(self._files.mirror_directory(self._task)), False
        if encoded is not None:
            try:
                self._writer.publish(manifest, encoded, segments, own=own)
                self._failed = False
            except OSError as error:
                if not self._failed:
                    log.warning("mirror not written task=%s error=%s", self._task, error)
                self._failed, self._writer = True, None
                return segments
        return self._writer.over(segments)
