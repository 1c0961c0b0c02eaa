"""Generations of one checkpoint: the current one, and the switch to the next."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from pyspark.sql import SparkSession

from millstream.topology.spark.checkpoint.descriptor import FILE, SEGMENTS, Checkpoint, local_path
from millstream.topology.spark.checkpoint.files import Files
from millstream.topology.spark.checkpoint.log import SPARKS, CheckpointLog
from millstream.topology.spark.checkpoint.origin import (
    BACKFILL,
    ORIGIN,
    RESCALING,
    SEED,
    Origin,
    read_origin,
)
from millstream.topology.spark.evolution.outcome import Comparison
from millstream.topology.spark.generations.image import Image
from millstream.topology.spark.generations.pointer import (
    Pointer,
    directory_of,
    location_of,
    read_pointer,
    write_pointer,
)
from millstream.topology.spark.generations.seed import Program, write_seed

log = logging.getLogger(__name__)


class Generations:
    """The generations of one checkpoint.

    Args:
        root: The checkpoint's location.
        files: Its files.
        open_files: Returns the files at a location.
    """

    def __init__(self, root: str, files: Files, open_files: Callable[[str], Files]) -> None:
        self._root = root
        self._files = files
        self.open = open_files
        self._pointer = read_pointer(files, root)
        self.files = open_files(self.location)
        """Files of the current generation."""

    @property
    def location(self) -> str:
        """Location of the current generation."""
        return location_of(self._root, self._pointer.number)

    @property
    def root_files(self) -> Files:
        """Files of the whole checkpoint, which all generations share."""
        return self._files

    @property
    def abandoned(self) -> tuple[str, ...]:
        """Ids of later generations that were left again."""
        return self._pointer.abandoned

    @property
    def seed(self) -> str:
        """Location of the seed for the current generation's first batch; else empty."""
        if CheckpointLog(self.files, self.location).committed() or not self.files.has(SEED):
            return ""
        return f"{self.location}/{SEED}"

    @property
    def origin(self) -> Origin | None:
        """Origin of the state of a generation that has ended no batch; else None."""
        if CheckpointLog(self.files, self.location).committed():
            return None
        return read_origin(self.files, self.location)

    def is_rescaling(self, location: str) -> bool:
        """Return whether a location is below the directory in which the checkpoint is rescaled."""
        root, path = local_path(self._root), local_path(location)
        return root is not None and path is not None and (root / RESCALING) in path.parents

    def can_go_back(self) -> bool:
        """Return whether the current generation has ended no batch, and a former one is there."""
        origin = self.origin if self._pointer.number else None
        return origin is not None and self._former(origin) is not None

    def go_back(self, note: Checkpoint) -> None:
        """Make the generation that the current one began with the current one again.

        Args:
            note: Description of the current one.
        """
        origin = read_origin(self.files, self.location)
        former = None if origin is None else self._former(origin)
        assert former is not None
        log.info("checkpoint goes back to the generation before location=%s", self.location)
        self._point(
            replace(self._pointer, number=former, abandoned=(*self._pointer.abandoned, note.id))
        )

    def prune(self) -> list[str]:
        """Delete the state of former generations, and the seed of the current one.

        Returns:
            What has been deleted, relative to the checkpoint; nothing before the current
            generation has ended a batch, because until then it may go back.
        """
        if not CheckpointLog(self.files, self.location).committed():
            return []
        number = self._pointer.number
        gone = [directory_of(each) for each in range(1, self._pointer.highest + 1)]
        gone = [each for each in gone if each != directory_of(number)]
        if number:
            # The first generation's own files stay: they tell that there is a checkpoint.
            gone += [*SPARKS, SEGMENTS, SEED, ORIGIN, BACKFILL]
        gone += [f"{directory_of(number)}/{SEED}" if number else SEED, RESCALING]
        found = [each for each in dict.fromkeys(gone) if self._files.has(each)]
        for each in found:
            self._files.remove(each)
        return found

    def begin(
        self,
        session: SparkSession,
        image: Image,
        comparison: Comparison,
        program: Program,
        note: Checkpoint,
        origin: Origin,
        *,
        at_root: bool = False,
    ) -> None:
        """Write a new generation and make it the current one; killed before, nothing has changed.

        Args:
            session: A session with the settings of queries.
            image: The state to go on with.
            comparison: Where each part of it belongs.
            program: The program that goes on.
            note: Description of the new generation.
            origin: Where the state is from.
            at_root: Use the location itself, if it has had no generation yet.
        """
        # Where a start has emptied a later generation, the pointer still says its number.
        number = 0 if at_root and not self._pointer.highest else self._pointer.highest + 1
        location = location_of(self._root, number)
        if number:
            # What an interrupted switch has left.
            self._files.remove(directory_of(number))
        files = self.open(location)
        write_seed(session, image, comparison, program, f"{location}/{SEED}")
        files.write(ORIGIN, origin.to_json())
        # The descriptor comes last: without it there is no checkpoint.
        files.write(FILE, note.to_json())
        if number:
            self._point(
                replace(self._pointer, number=number, highest=number, abandoned=self._own_ids())
            )
        else:
            self.files = files
        log.info("new generation of the checkpoint location=%s", location)

    def _own_ids(self) -> tuple[str, ...]:
        """Return ids whose claims and marks are those of the next generation, too.

        The current generation may have been killed before it claimed the output: then the claim
        still names the one that it began with.
        """
        origin, known = self.origin, self._pointer.abandoned
        if origin is None or origin.checkpoint in ("", *known):
            return known
        return (*known, origin.checkpoint)

    def _former(self, origin: Origin) -> int | None:
        """Return the number of the generation that a generation began with; None if it is gone."""
        for number in range(self._pointer.number - 1, -1, -1):
            location = location_of(self._root, number)
            if _is_same(location, origin.location) and self.open(location).has(FILE):
                return number
        return None

    def _point(self, pointer: Pointer) -> None:
        write_pointer(self._files, pointer)
        self._pointer = pointer
        self.files = self.open(self.location)


def _is_same(one: str, other: str) -> bool:
    """Return whether two locations are one; earlier versions noted a path as it was given."""
    here, there = local_path(one), local_path(other)
    if here is None or there is None:
        return one == other
    return here.absolute() == there.absolute()
