"""Savepoints of the test driver: a start from one, and its own state as one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from typing_extensions import Self

from millstream.core.config import StreamsConfig
from millstream.core.engine import snapshots
from millstream.core.engine.task import Task
from millstream.core.errors import IllegalStateException
from millstream.core.plan import Plan
from millstream.testing.driver_host import DriverHost
from millstream.testing.driver_stores import DriverStores
from millstream.topology.given_topology import check_topology
from millstream.topology.savepoints.manifest import SavepointManifest, StoreManifest

if TYPE_CHECKING:
    from millstream.testing.saved_state import SavedState
    from millstream.topology.topology import Topology

APPLICATION_ID = StreamsConfig.APPLICATION_ID_CONFIG
STORE_FORMAT = "dsl.store.format"


class DriverSavepoints(DriverStores):
    """The part of the test driver that knows savepoints."""

    _task: Task
    _global_tasks: list[Task]
    _host: DriverHost
    _config: StreamsConfig
    _topology: Topology
    _application_id: str
    _offsets: dict[str, int]

    @classmethod
    def fromSavepoint(
        cls,
        topology: Topology,
        config: Any,
        directory: str | os.PathLike[str],
        initialWallClockTime: Any = None,
        *,
        partition: int | None = None,
        real_stores: bool = False,
    ) -> Self:
        """Return a driver with the state of a savepoint: yesterday's state in a unit test.

        Stores have the entries of all partitions, stream time is the largest of all tasks, and
        punctuations are due when the first task's are. Topics go on at the savepoint's offsets.

        Args:
            topology: The topology that the savepoint was made with, or one that has changed as an
                application may change: stores go on by name, or by what they are.
            config: As for the driver; ``application.id`` and ``dsl.store.format`` are those of the
                savepoint unless given.
            directory: The savepoint, on this machine.
            initialWallClockTime: As for the driver; by default when the savepoint was made.
            partition: Take the state of the tasks of this partition only, which is exact: what
                several tasks have seen need not have been seen by one.
            real_stores: As for the driver.

        Raises:
            StreamsException: There is no savepoint or it is damaged, the topology cannot go on with
                a store, or a key is in several partitions of a store.
            IllegalArgumentException: No task has that partition.
        """
        # Most tests have no savepoint, and need neither Arrow nor Spark.
        from millstream.testing.saved_state import SavedState
        from millstream.topology.savepoints.reader import Savepoint

        check_topology(topology)
        state = SavedState(Savepoint(directory), partition)
        manifest = state.manifest
        given = config.originals() if isinstance(config, StreamsConfig) else dict(config or {})
        saved = {APPLICATION_ID: manifest.application_id, STORE_FORMAT: manifest.store_format}
        if initialWallClockTime is None and manifest.created_ms > 0:
            initialWallClockTime = manifest.created_ms
        make: Any = cls
        driver: Self = make(
            topology, {**saved, **given}, initialWallClockTime, real_stores=real_stores, state=state
        )
        return driver

    def savepoint(self, directory: str | os.PathLike[str]) -> None:
        """Write the driver's state as a savepoint: one task for each sub-topology.

        Args:
            directory: A directory that is empty or does not exist.

        Raises:
            IllegalStateException: Records wait for other inputs (``max.task.idle.ms``).
            StreamsException: The directory is not empty, or cannot be written.
        """
        from millstream.topology.savepoints.writer import SavepointWriter

        if self._task.has_queued():
            raise IllegalStateException(
                "a savepoint cannot have records that wait to be processed",
                detail="They wait for records of other topics (max.task.idle.ms).",
                hint="Pipe in what they wait for, or advance the wall clock.",
            )
        with SavepointWriter(directory) as writer:
            filled = set()
            for store, entries in self._host.contents():
                writer.add(store, 0, entries)
                filled.add(store)
            writer.finish(self._manifest(filled))

    def _begin(self, state: SavedState) -> None:
        """Go on where the savepoint was made."""
        state.resume(self._task, self._application_id)
        for each, task in zip(self._topology.plan().globals, self._global_tasks, strict=True):
            state.resume(task, self._application_id, store=each.store.name)
        for topic, offset in state.offsets(self._application_id):
            row = self._task.sources.by_pattern(topic) or topic
            self._offsets[row] = max(offset, self._offsets.get(row, 0))

    def _manifest(self, filled: set[str]) -> SavepointManifest:
        from millstream.topology.spark.checkpoint.store_notes import notes_of, notes_to_json
        from millstream.topology.spark.evolution.words import words_of

        plan = self._topology.plan()
        notes = notes_to_json(notes_of(plan, self._config))
        homes: dict[str, int | None] = {each.store.name: None for each in plan.globals}
        homes |= {node.name: part.id for part in plan.subtopologies for node in part.stores}
        stores = {
            name: StoreManifest(
                note=notes.get(name, {}), subtopology=homes.get(_owner(name, homes))
            )
            for name in sorted(homes.keys() | filled)
        }
        return SavepointManifest(
            application_id=self._application_id,
            topology=str(self._topology.describe()),
            tasks={part.id: 1 for part in plan.subtopologies},
            stores=stores,
            positions={topic: {0: offset} for topic, offset in self._positions()},
            snapshots=dict(self._snapshots(plan)),
            global_snapshots={
                each.store.name: task.snapshot()
                for each, task in zip(plan.globals, self._global_tasks, strict=True)
            },
            topics=self._matched(),
            store_format=str(self._config.merged().get(STORE_FORMAT) or "DEFAULT").upper(),
            words=tuple(words_of(self._config).texts()),
            created_ms=self._host.now_ms(),
            library=version("millstream"),
        )

    def _positions(self) -> Iterator[tuple[str, int]]:
        for task in (self._task, *self._global_tasks):
            for topic, _ in task.group.queues():
                offset = self._offsets.get(self._task.sources.by_pattern(topic) or topic)
                if offset is not None:
                    yield topic, offset

    def _matched(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for topic, _ in self._task.group.queues():
            source = self._task.sources.by_pattern(topic)
            if source is not None:
                found.setdefault(source, []).append(topic)
        return {source: sorted(topics) for source, topics in found.items()}

    def _snapshots(self, plan: Plan) -> Iterator[tuple[str, bytes]]:
        """Yield the snapshot of each sub-topology, as its own task would have it."""
        saved = snapshots.decode(self._task.snapshot())
        for part in plan.subtopologies:
            names = {node.name for node in part.nodes}
            sources = {source.name for source in part.sources}
            times = {
                at: time
                for at, time in saved.partition_times.items()
                if self._task.source_of(at[0]).name in sources
            }
            yield (
                f"{part.id}_0",
                snapshots.encode(
                    stream_time=saved.stream_time,
                    partition_times=times,
                    stream_punctuations=[p for p in saved.stream_punctuations if p[0] in names],
                    clock_punctuations=[p for p in saved.clock_punctuations if p[0] in names],
                    processors={n: data for n, data in saved.processors.items() if n in names},
                ),
            )


def _owner(store: str, homes: Mapping[str, Any]) -> str:
    """Return the store that a part belongs to; a store's own name."""
    owners = (name for name in homes if store == name or store.startswith(f"{name}-"))
    return max(owners, key=len, default=store)
