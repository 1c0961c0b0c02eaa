"""Places of state on the command line: a savepoint, a checkpoint, or an application."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any, Protocol

from millstream.cli.options import absolute
from millstream.cli.programs import look_here
from millstream.cli.settings import streams_config
from millstream.cli.target import LoadedTarget, load_target
from millstream.core.config import StreamsConfig
from millstream.core.errors import ConfigException, StreamsException
from millstream.topology.savepoints.directory import local_directory
from millstream.topology.savepoints.manifest import FILE as SAVEPOINT
from millstream.topology.savepoints.manifest import SavepointManifest
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.spark.checkpoint.descriptor import FILE as CHECKPOINT
from millstream.topology.spark.checkpoint.descriptor import for_spark, local_path
from millstream.topology.spark.checkpoint.origin import POINTER, root_of

if TYPE_CHECKING:
    from millstream.topology.spark.driver.state_reading import StateReader


class Copies(Protocol):
    """Returns a savepoint with some stores of a state."""

    def __call__(self, stores: Collection[str] | None, partition: int | None = None) -> Savepoint:
        """Return a savepoint; with more than what is asked for if the state is a savepoint.

        Args:
            stores: The stores; None for all.
            partition: The only partition of them; None for all.
        """


@dataclass(frozen=True)
class StatePlace:
    """Where a command finds state.

    A directory with a savepoint or a checkpoint is that; a URL is a checkpoint; anything else is an
    application, as for `millstream describe`, whose configuration says where its checkpoint is.
    """

    text: str
    entries: Mapping[str, Any] = field(default_factory=dict)
    """Configuration entries of the command."""

    @cached_property
    def application(self) -> LoadedTarget | None:
        """The application; None if the place is a directory or URL."""
        return None if self._directory is not None else load_target(self.text, self.entries)

    @property
    def is_savepoint(self) -> bool:
        """Whether it is a savepoint on this machine."""
        found = self._directory
        return isinstance(found, Path) and (found / SAVEPOINT).is_file()

    def listed(self) -> SavepointManifest:
        """Return the manifest with the contents of every store, of which nothing is copied."""
        if self.is_savepoint:
            return Savepoint(self.text).manifest
        with self._reader() as (reader, _):
            return reader.listed()

    @contextmanager
    def opened(self) -> Iterator[Copies]:
        """Give what returns the stores that are asked for as a savepoint.

        Raises:
            StreamsException: There is no state, or it is damaged.
        """
        from millstream.topology.spark.generations.image import Selection

        if self.is_savepoint:
            savepoint = Savepoint(self.text)
            yield lambda stores, partition=None: savepoint
            return
        with self._reader() as (reader, directory):
            yield lambda stores, partition=None: reader.copied(
                Path(mkdtemp(dir=directory)), Selection(stores, partition)
            )

    @contextmanager
    def _reader(self) -> Iterator[tuple[StateReader, Path]]:
        from millstream.topology.spark.driver.state_reading import reading

        config, root = self._config()
        with ExitStack() as stack:
            directory = Path(stack.enter_context(TemporaryDirectory(prefix="millstream-state-")))
            reader = stack.enter_context(reading(config, root, directory))
            yield reader, directory

    def _config(self) -> tuple[StreamsConfig, str]:
        """Return the configuration, and the location of the checkpoint."""
        from millstream.topology.spark.driver.savepoints import checkpoint_root

        if self.application is None:
            root = for_spark(absolute(self.text.rstrip("/")))
            name = str(self.entries.get("application.id") or _application_of(root))
            return streams_config(self.entries, name), root
        given = self.application.config
        name = str(given.get("application.id") or "")
        if not name:
            raise ConfigException(
                f'"{self.text}" has no application.id, so its checkpoint is not known',
                hint="Add --set application.id=..., or --config app.toml with it; or give the "
                "directory of the checkpoint.",
            )
        config = streams_config(given, name)
        return config, checkpoint_root(config)

    @cached_property
    def _directory(self) -> Path | str | None:
        """The directory or URL; None for an application.

        Raises:
            StreamsException: There is neither state nor an application.
        """
        path = local_path(self.text)
        if path is None and "://" in self.text:
            return self.text
        path = local_directory(self.text)
        if any((path / name).is_file() for name in (SAVEPOINT, CHECKPOINT, POINTER)):
            return path
        if _is_program(self.text):
            return None
        inside = [each.parent for each in sorted(path.glob(f"*/{CHECKPOINT}"))]
        raise StreamsException(
            f'there is no savepoint, checkpoint or application "{self.text}"',
            detail=f"The directory has no {SAVEPOINT}, which is written last, and no {CHECKPOINT}."
            if path.is_dir()
            else "There is no such directory, file or module.",
            hint=f"Its checkpoint is {inside[0]}."
            if inside
            else "Give the directory of a savepoint or checkpoint, app.py or package.module.",
        )


def _is_program(text: str) -> bool:
    place = text.partition(":")[0]
    if place.endswith(".py") or os.path.isfile(os.path.expanduser(place)):
        return True
    names = place.split(".")
    if not all(name.isidentifier() for name in names):
        return False
    look_here()
    try:
        return find_spec(names[0]) is not None and not _is_plain_directory(place)
    except (ImportError, ValueError):
        return False


def _is_plain_directory(place: str) -> bool:
    """Tell whether a name is that of a directory without a program."""
    path = Path(place)
    return path.is_dir() and not any(path.glob("*.py"))


def _application_of(root: str) -> str:
    """Return the application that a checkpoint in the usual place is of."""
    parts = root_of(root).split("/")
    return parts[-2] if len(parts) > 1 and parts[-1] == "checkpoint" else "millstream-command"
