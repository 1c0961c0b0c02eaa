"""Rescaling of a stopped application's checkpoint in one step."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from millstream.cli.settings import streams_config
from millstream.cli.state_rescale import PlannedRescaling
from millstream.cli.target import LoadedTarget
from millstream.core.config import StreamsConfig
from millstream.core.errors import (
    ConfigException,
    IllegalStateException,
    UnsupportedOperationException,
)
from millstream.core.partitioning import default_partition
from millstream.topology.savepoints.subscriptions import PartitionOf
from millstream.topology.savepoints.task_counts import known_sizes, tasks_with, topics_matched
from millstream.topology.spark.checkpoint.descriptor import local_path
from millstream.topology.spark.checkpoint.origin import RESCALING
from millstream.topology.spark.driver.brokers import Brokers
from millstream.topology.spark.driver.runner import Runner
from millstream.topology.spark.driver.savepoints import checkpoint_root, reading_session
from millstream.topology.spark.driver.state_reading import StateReader
from millstream.topology.spark.driver.unread import GrownTopic, UnreadRecords, unread_records

Show = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class InPlace:
    """A rescaling of the checkpoint that a program has, to the partitions that its topics have."""

    target: LoadedTarget
    sizes: Mapping[str, int]
    """Topic -> number of partitions, where it is not that of the broker."""
    places: Iterable[str] = field(default_factory=tuple)
    """As for ``PlannedRescaling``."""
    allow_unread: bool = False

    def plan(self, show: Show) -> None:
        """Show what would be done; the application may run.

        Raises:
            IllegalStateException: A store cannot be moved, or records are unread.
        """
        with (
            TemporaryDirectory(prefix="millstream-rescale-") as directory,
            reading_session(self._config, logs=Path(directory)) as session,
        ):
            reader = StateReader(session, self._config, self._root)
            if not self._is_done(reader, show):
                self._planned(reader, Path(directory), show)

    def make(self, show: Show) -> str | None:
        """Rescale; return the location of the new generation, or None if nothing was to do.

        Killed at any moment it can be repeated: the switch is one write at the end.

        Raises:
            LockException: The application runs.
            IllegalStateException: A store cannot be moved, or records are unread.
            UnsupportedOperationException: The checkpoint is not on a local file system.
        """
        # Of its own: another rescaling may have the lock, and is not to lose what it works with.
        directory = self._directory() / uuid.uuid4().hex
        self._check_sizes()
        with reading_session(self._config) as session:
            reader = StateReader(session, self._config, self._root)
            runner = Runner(self.target.topology, self._config, session)

            def rescaled() -> str | None:
                # What a rescaling has left that was killed.
                shutil.rmtree(directory.parent, ignore_errors=True)
                if self._is_done(reader, show):
                    return None
                plan = self._planned(reader, directory / "before", show)
                if not plan.moves and not plan.rescaling.tasks:
                    return None
                plan.write(str(directory / "after"))
                return str(directory / "after")

            try:
                return runner.checkpoint_location if runner.replace(rescaled) else None
            finally:
                shutil.rmtree(directory, ignore_errors=True)
                with suppress(OSError):
                    directory.parent.rmdir()

    def _planned(self, reader: StateReader, directory: Path, show: Show) -> PlannedRescaling:
        point = reader.copied(directory)
        known = known_sizes(self.target.topology.plan(), point.manifest)
        read = known.keys() | topics_matched(self.target.topology.plan(), self._there)
        there = {topic: n for topic, n in self._there.items() if topic in read}
        sizes = {**there, **self.sizes}
        plan = PlannedRescaling(self.target, point, sizes, self.places)
        unread = self._unread(plan, known)
        show({**plan.facts(), "unread": [asdict(each) for each in unread]})
        plan.check()
        if not self.allow_unread:
            _check_read(unread)
        return plan

    def _is_done(self, reader: StateReader, show: Show) -> bool:
        """Tell whether the state has been rescaled already, and not run since."""
        note = reader.described()
        if note is None:
            raise IllegalStateException(
                f'there is no checkpoint in "{self._root}"',
                hint="Check application.id, state.dir and millstream.checkpoint.location.",
            )
        if not reader.is_seeded():
            return False
        sizes = {**self._there, **self.sizes}
        wanted = tasks_with(self.target.topology.plan(), self._name, sizes)
        if wanted != {int(part): count for part, count in note.tasks.items()}:
            return False
        show({"tasks": {}, "stores": [], "unread": []})
        return True

    def _unread(self, plan: PlannedRescaling, known: Mapping[str, int]) -> list[UnreadRecords]:
        manifest, grown = plan.savepoint.manifest, []
        for part in self.target.topology.plan().subtopologies:
            stores = [n for n, each in manifest.stores.items() if each.subtopology == part.id]
            given = [plan.rescaling.places[n] for n in stores if n in plan.rescaling.places]
            place: PartitionOf = given[0] if given else default_partition
            for topic in part.source_topics if stores else ():
                now = plan.rescaling.topics.get(topic)
                positions = manifest.positions.get(topic)
                if topic in self._there and positions and now != known[topic]:
                    grown.append(
                        GrownTopic(
                            topic=topic, partitions=now or 1, positions=positions, place=place
                        )
                    )
        return unread_records(self._config, grown)

    def _check_sizes(self) -> None:
        for topic, count in self.sizes.items():
            there = self._there.get(topic)
            if there is not None and there != count:
                raise IllegalStateException(
                    f'topic "{topic}" has {there} partitions on the broker, not {count}',
                    hint="Give it more partitions first (kafka-topics --alter --topic "
                    f"{topic} --partitions {count}); --dry-run plans with other numbers.",
                )

    def _directory(self) -> Path:
        path = local_path(self._root)
        if path is None:
            raise UnsupportedOperationException(
                f'the checkpoint "{self._root}" cannot be rescaled in one step',
                detail="It is not on this machine's file system.",
                hint="Take a savepoint into a local directory, rescale that, copy it back and "
                "restore it: millstream savepoint, millstream state rescale APP SAVEPOINT --to "
                "NEW, millstream state restore.",
            )
        return path / RESCALING

    @cached_property
    def _config(self) -> StreamsConfig:
        given = self.target.config
        name = str(given.get("application.id") or "")
        if not name:
            raise ConfigException(
                f'"{self.target.name}" has no application.id',
                hint="Add --set application.id=..., or --config app.toml with it.",
            )
        return streams_config(given, name)

    @cached_property
    def _there(self) -> dict[str, int]:
        """The partitions of all topics on the broker."""
        return Brokers(self._config).topic_sizes(self.target.topology.plan())

    @property
    def _name(self) -> str:
        return str(self._config.getString("application.id"))

    @property
    def _root(self) -> str:
        return checkpoint_root(self._config)


def _check_read(unread: Iterable[UnreadRecords]) -> None:
    for each in unread:
        if each.misplaced:
            raise IllegalStateException(
                f'topic "{each.topic}" has {each.misplaced} unread records in partitions where '
                "their keys do not belong any more",
                detail=f"{each.records} records are unread. Those were written before the topic "
                "had its partitions, or with another partitioner; they would come to a task that "
                "does not have their key's state.",
                hint="Write these records once more and leave them out, or accept that they are "
                "processed without the state of their keys: --allow-unread. Next time let the "
                "application read everything before the topic grows.",
            )
