"""Moves that a rescaling makes: for each store how many rows, and what keeps it from moving."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from millstream.core.errors import MillstreamError
from millstream.topology.savepoints.notes import note_of, owner_of
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.rehash import Rehash
from millstream.topology.savepoints.rescale import Rescaling


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
    for name, store in sorted(manifest.stores.items()):
        part, owner = store.subtopology, owner_of(manifest, name)
        if part is None or part not in rescaling.tasks:
            if owner in unplaced and rescaling.tasks:
                count = manifest.tasks.get(part or 0, 1)
                found.append(
                    StoreMove(store=name, before=count, after=count, refused=unplaced[owner])
                )
            continue
        before, after = manifest.tasks.get(part, 1), rescaling.tasks[part]
        place, why = rescaling.places.get(owner), unplaced.get(owner, "")
        if why and place is None:
            found.append(StoreMove(store=name, before=before, after=after, refused=why))
            continue
        try:
            rehash = Rehash(name, note_of(manifest, name), after, place)
        except MillstreamError as error:
            why = f"{error.problem}. {error.detail}".strip()
            found.append(StoreMove(store=name, before=before, after=after, refused=why))
            continue
        rows, moving = _counted(savepoint, name, rehash)
        found.append(StoreMove(store=name, before=before, after=after, rows=rows, moving=moving))
    return found


def _counted(savepoint: Savepoint, store: str, rehash: Rehash) -> tuple[int, int]:
    rows = moving = 0
    for number in savepoint.manifest.stores[store].partitions:
        for keys, values in savepoint.columns(store, number):
            for target, columns in rehash.split(keys, values).items():
                rows += len(columns[0])
                moving += 0 if target == number else len(columns[0])
    return rows, moving
