"""Rolling rewrite of a task's state, so that old segments of its changelog can be deleted.

A slice holds entries of the byte stores as they are at the version a batch starts from, and is
written before that batch's changes. When a round of slices has covered every store, the segments
since its start rebuild everything: what a slice holds and did not change since comes from it, what
changed or went comes from the changes. So no slice ever has to say what is absent.

A round takes each store from its last key down. Keys of window stores grow with time: going up, it
would chase the new ones, which the changes hold anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from millstream.core.store import ByteStore
from millstream.topology.spark.state.manifest import Round
from millstream.topology.spark.state.segments import SLICE, Section

_SLACK = 1 << 18


def wants_round(live: int, state: int) -> bool:
    """Tell whether the live segments have outgrown the state enough to rewrite it."""
    return live > 2 * state + _SLACK


def next_slice(
    stores: Mapping[str, ByteStore], round_: Round, budget: int
) -> tuple[list[Section], Round, bool]:
    """Return sections of about ``budget`` bytes, the round as it is after them, and if it is over.

    Stores are taken in the order of their names.
    """
    sections: list[Section] = []
    names = [name for name in sorted(stores) if name >= round_.store]
    before = round_.before
    for name in names:
        if name != round_.store:
            before = None
        section, used, complete = _slice_of(name, stores[name], before, budget)
        if section.keys:
            sections.append(section)
            before = section.keys[-1]
        if not complete:
            return sections, replace(round_, store=name, before=before), False
        budget -= used
    return sections, round_, True


def _slice_of(
    name: str, store: ByteStore, before: bytes | None, budget: int
) -> tuple[Section, int, bool]:
    keys: list[bytes] = []
    values: list[bytes | None] = []
    used, complete = 0, True
    for key, value in store.scan(None, before, reverse=True):
        if used >= budget:
            complete = False
            break
        keys.append(key)
        values.append(value)
        used += len(key) + len(value) + 8
    return Section(store=name, kind=SLICE, keys=keys, values=values), used, complete
