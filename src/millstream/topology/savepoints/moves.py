"""Moves that a rescaling makes: for each store how many rows, and what keeps it from moving."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from millstream.core.errors import MillstreamError
from millstream.topology.savepoints.notes import note_of, owner_of
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.rehash import Rehash
from millstream.topology.savepoints.rescale import Rescaling

_MISPLACED = (
    "{misplaced} of its {rows} entries are not in the partition where Kafka's default partitioner "
    "puts their keys, so that the records were written with another one"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreMove:
    """What a rescaling does to a store."""

    store: str
    before: int
    after: int
    """Partitions."""
    rows: int = 0
    moving: int = 0
    """Rows that get into a partition with another number."""
    refused: str = ""
    """Why it cannot be moved."""
    by_function: bool = True
    """Whether it could be with a function that says where its keys belong."""


def moves_of(
    savepoint: Savepoint, rescaling: Rescaling, unplaced: Mapping[str, str]
) -> list[StoreMove]:
    """Return what a rescaling does to each store that gets other partitions.

    Args:
        savepoint: The savepoint.
        rescaling: The new numbers of tasks.
        unplaced: Stores whose keys do not decide the partition, and why.

    Raises:
        StreamsException: The savepoint is damaged, or a function for a store fails.
    """
    manifest, found = savepoint.manifest, []
    for name in sorted(manifest.stores):
        owner = owner_of(manifest, name)
        before, after = rescaling.counts(manifest, name)
        place, why = rescaling.places.get(owner), unplaced.get(owner, "")
        counts = rescaling.stores.get(owner)
        mixed = "" if counts is None else counts.mixed
        if before == after and name not in rescaling.lefts and not mixed:
            continue
        move = StoreMove(store=name, before=before, after=after)
        if mixed:
            found.append(replace(move, refused=mixed, by_function=False))
            continue
        if why and place is None:
            found.append(replace(move, refused=why))
            continue
        try:
            rehash = rescaling.rehash(manifest, name)
        except MillstreamError as error:
            why = f"{error.problem}. {error.detail}".strip()
            found.append(replace(move, refused=why))
            continue
        rows, moving = _counted(savepoint, name, rehash)
        move = replace(move, rows=rows, moving=moving)
        if place is None:
            there = Rehash(name, note_of(manifest, name), before)
            _, misplaced = _counted(savepoint, name, there)
            if misplaced:
                move = replace(move, refused=_MISPLACED.format(misplaced=misplaced, rows=rows))
        found.append(move)
    return found


def _counted(savepoint: Savepoint, store: str, rehash: Rehash) -> tuple[int, int]:
    """Return the number of rows, and of those that a rehash puts into another partition."""
    rows = moving = 0
    for number in savepoint.manifest.stores[store].partitions:
        for keys, values in savepoint.columns(store, number):
            for target, columns in rehash.split(keys, values).items():
                rows += len(columns[0])
                moving += 0 if target == number else len(columns[0])
    return rows, moving
