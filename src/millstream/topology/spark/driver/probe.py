"""Trial run of a topology on the driver: it finds wall-clock punctuations and missing serdes."""

from __future__ import annotations

import contextlib
import logging
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.engine.global_context import GLOBAL_TASK
from millstream.core.engine.host import TaskHost
from millstream.core.engine.output import Sent, SentChunk
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.plan import Plan, SubTopology
from millstream.core.processor import TaskId
from millstream.core.serdes.checks import lacks_serde
from millstream.core.working_copy import WorkingCopy
from millstream.plugins.registry import store_class

log = logging.getLogger(__name__)


def needs_wall_clock(plan: Plan, config: StreamsConfig) -> bool:
    """Return whether batches have to run while no records arrive.

    Each sub-topology is initialized once with stores in memory, and discarded. If that fails, for
    instance because a processor needs a resource of the workers, the result is True.

    Raises:
        StreamsException: A node or a store has no serde. In a worker it would fail as well, after
            Spark's session has started and the task has been tried four times.
    """
    settings = TaskSettings.of(config)
    with tempfile.TemporaryDirectory(prefix="millstream-probe-") as directory:
        # All of them, so that each serde that is missing is found.
        found = [_schedules(plan, part, settings, Path(directory)) for part in plan.subtopologies]
    return any(found)


def _schedules(plan: Plan, part: SubTopology, settings: TaskSettings, directory: Path) -> bool:
    try:
        host = _TrialHost(settings.configs, directory)
        host.add_globals(plan, settings)
        task = Task(plan, [part], TaskId(part.id, 0), settings, host)
        scheduled = task.punctuations.clocks.next_ms() is not None
        with contextlib.suppress(Exception):
            task.close()
    except Exception as error:
        # A user's init may raise anything.
        if lacks_serde(error):
            raise
        log.info("probe failed subtopology=%d error=%r", part.id, error)
        return True
    return scheduled


class _TrialHost(TaskHost):
    """Host of a trial task: empty stores in memory; sent records are discarded."""

    def __init__(self, configs: Mapping[str, Any], directory: Path) -> None:
        super().__init__()
        self._configs = configs
        self._directory = directory
        self._now_ms = int(time.time() * 1000)

    def add_globals(self, plan: Plan, settings: TaskSettings) -> None:
        """Create the global stores, empty as the others."""
        for store in plan.globals:
            part = [store.as_subtopology()]
            task = Task(plan, part, GLOBAL_TASK, settings.for_globals(), self)
            self.global_stores |= task.stores

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        del store, kind
        return WorkingCopy(store_class("memory").open(self._directory, self._configs))

    def send(self, record: Sent) -> None:
        pass

    def send_chunk(self, chunk: SentChunk) -> None:
        pass

    def now_ms(self) -> int:
        return self._now_ms

    def state_dir(self) -> Path:
        return self._directory
