"""Trial run of a topology on the driver: does it schedule punctuations on the wall clock?"""

from __future__ import annotations

import contextlib
import logging
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.core.engine.settings import TaskSettings
from millstream.core.engine.task import Task
from millstream.core.engine.working_copy import WorkingCopy
from millstream.core.headers import Headers
from millstream.core.metrics import Measures
from millstream.core.plan import Plan
from millstream.core.processor import TaskId
from millstream.plugins.registry import store_class

log = logging.getLogger(__name__)


def needs_wall_clock(plan: Plan, config: StreamsConfig) -> bool:
    """Tell whether batches have to run while no records come.

    Each sub-topology is made once with stores in memory, and thrown away. If that fails, for
    instance because a processor wants what only a worker has, the answer is yes.
    """
    settings = TaskSettings.of(config)
    with tempfile.TemporaryDirectory(prefix="millstream-probe-") as directory:
        for part in plan.subtopologies:
            try:
                host = _Nowhere(settings.configs, Path(directory))
                host.add_globals(plan, settings)
                task = Task(plan, [part], TaskId(part.id, 0), settings, host)
                scheduled = task.next_wall_clock_ms() is not None
                with contextlib.suppress(Exception):
                    task.close()
            except Exception as error:  # noqa: BLE001 - a user's init may raise anything
                log.info("probe failed subtopology=%d error=%r", part.id, error)
                return True
            if scheduled:
                return True
    return False


class _Nowhere:
    """A host whose stores are empty and which forgets what is sent."""

    def __init__(self, configs: Mapping[str, Any], directory: Path) -> None:
        self._configs = configs
        self._directory = directory
        self._now_ms = int(time.time() * 1000)
        self._global_stores: dict[str, Any] = {}
        self.measures = Measures()

    def add_globals(self, plan: Plan, settings: TaskSettings) -> None:
        """Make the global stores, empty as the others."""
        for store in plan.globals:
            id_ = TaskId(store.subtopology, 0)
            task = Task(plan, [store.as_subtopology()], id_, settings.for_globals(), self)
            self._global_stores |= task.stores

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        del store, kind
        return WorkingCopy(store_class("memory").open(self._directory, self._configs))

    def send(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        timestamp: int,
        headers: Headers | None,
        partition: int | None,
    ) -> None:
        pass

    def send_chunk(
        self,
        topic: str,
        keys: list[bytes | None],
        values: list[bytes | None],
        timestamps: Sequence[int],
        headers: list[Headers | None] | None,
        partitions: list[int | None] | None = None,
    ) -> None:
        pass

    def partition_count(self, topic: str) -> int:
        del topic
        return 1

    def logs_changes(self, store: str) -> bool:
        del store
        return False

    def log_change(
        self, store: str, key: bytes, value: bytes | None, timestamp: int, headers: Headers | None
    ) -> None:
        pass

    def logged(self, store: str) -> tuple[tuple[bytes, bytes, int], ...]:
        del store
        return ()

    def now_ms(self) -> int:
        return self._now_ms

    def state_dir(self) -> Path:
        return self._directory

    def global_store(self, name: str) -> Any:
        return self._global_stores.get(name)

    def configs(self) -> Mapping[str, Any]:
        return self._configs
