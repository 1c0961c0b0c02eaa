"""Sides of joins of streams: which stores a join has, and joins whose sides have changed places.

``a.join(b)`` and ``b.join(a)`` have stores of the same names, serdes and sizes, where what was the
left side's is the right side's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from millstream.topology.spark.checkpoint.store_notes import StoreNote
from millstream.topology.spark.evolution.differences import (
    ONE_SIDE,
    TURNED,
    NoteDifference,
    differences,
    free,
)
from millstream.topology.spark.evolution.facts import Facts, StoreFacts
from millstream.topology.spark.evolution.names import is_generated, join_part_of, kind_of
from millstream.topology.spark.evolution.paths import Digests, Paths

_LEFT = ("KSTREAM-JOINTHIS-#-store", "KSTREAM-OUTERTHIS-#-store")
_LEFT_OF_NAME = ("-outer-this-join-store", "-this-join-store")
_BOTH_ALONE = ("KSTREAM-OUTERTHIS-#", "-outer-this-join")
"""Ends of the names of a left side's operator, where both sides give results without partner."""
_UNMATCHED = "unmatched records"
_OTHER = {"left": "right", "right": "left"}


@dataclass(frozen=True, slots=True)
class _Join:
    """The stores of a join, and what lies above its sides."""

    name: str
    """The user's; empty if the join has none."""
    left: StoreFacts
    right: StoreFacts
    unmatched: StoreFacts | None
    above: tuple[Digests, Digests]

    def is_turned(self, new: _Join) -> bool:
        return self.name == new.name and self.above == new.above[::-1] != new.above

    def is_same(self, new: _Join) -> bool:
        return self.name == new.name and self.above == new.above


def turned_sides(
    before: Facts, after: Facts, before_paths: Paths, after_paths: Paths
) -> Iterator[tuple[str, str]]:
    """Yield new and old store of each join whose sides have changed places."""
    olds, news = list(_joins(before, before_paths)), list(_joins(after, after_paths))
    for new in news:
        fits = [old for old in olds if old.is_turned(new)]
        if len(fits) != 1 or any(old.is_same(new) for old in olds):
            continue
        (old,) = fits
        if any(old.is_same(other) for other in news) or sum(map(old.is_turned, news)) != 1:
            continue
        pairs = [(new.left, old.right), (new.right, old.left)]
        if new.unmatched is not None and old.unmatched is not None:
            pairs.append((new.unmatched, old.unmatched))
        # The user's name tells which join it was: what else differs is told of each store.
        if new.name or all(free(differences(turned(was.note), now.note)) for now, was in pairs):
            yield from ((now.name, was.name) for now, was in pairs)


def turned(note: StoreNote | None) -> StoreNote | None:
    """Return what a note says where left records are right ones, and the other way round."""
    if note is None or note.type != _UNMATCHED:
        return note
    serdes = {_OTHER.get(role, role): serde for role, serde in note.serdes.items()}
    return replace(note, serdes=serdes)


def of_unmatched(
    old: StoreFacts, new: StoreFacts, before: Facts, after: Facts, paths: tuple[Paths, Paths]
) -> list[NoteDifference]:
    """Return what differs of a store of records without partner, because of its join's sides."""
    if old.note is None or new.note is None or new.note.type != _UNMATCHED != old.note.type:
        return []
    found = []
    was, now = (
        _above_sides(s, f, p) for s, f, p in zip((old, new), (before, after), paths, strict=True)
    )
    if was == now[::-1] != now:
        found.append(
            NoteDifference(
                text="the sides of its join have changed places",
                conversion=TURNED,
                how="records of the left side are of the right one, and the other way round",
            )
        )
    if not _both_alone(new) and (found or _both_alone(old)):
        found.append(
            NoteDifference(
                text="records of its right side gave results without partner, and give none",
                conversion=ONE_SIDE,
                how="records of the right side are left out, as a left join has no results of them",
            )
        )
    return found


def _joins(facts: Facts, paths: Paths) -> Iterator[_Join]:
    for store in facts.stores.values():
        name = _name_of(store.name)
        if name is None or (other := paths.other_side(store)) is None:
            continue
        above = (paths.above(store, exact=False), paths.above(other, exact=False))
        yield _Join(name, store, other, _unmatched(store, facts), above)


def _unmatched(side: StoreFacts, facts: Facts) -> StoreFacts | None:
    """Return the store of records without partner of the join that looks into a side's store."""
    for store in facts.stores.values():
        of_records = store.note is not None and store.note.type == _UNMATCHED
        if of_records and set(store.users) & set(side.users):
            return store
    return None


def _name_of(left: str) -> str | None:
    """Return the name of a join by that of its left side's store; None for other stores."""
    if is_generated(left):
        return "" if kind_of(left) in _LEFT else None
    for end in _LEFT_OF_NAME:
        if left.endswith(end):
            return left.removesuffix(end)
    return None


def _above_sides(store: StoreFacts, facts: Facts, paths: Paths) -> tuple[Digests, ...]:
    """Return what lies above the left and the right operator of a store's join."""
    return tuple(
        paths.above_nodes([user for user in store.users if join_part_of(user) == part])
        for part in ("this", "other")
    )


def _both_alone(store: StoreFacts) -> bool:
    return any(kind_of(user).endswith(_BOTH_ALONE) for user in store.users)
