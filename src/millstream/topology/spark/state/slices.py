"""Rolling rewrite of a task's state, so that old segments of its changelog can be deleted.

A slice has the entries of a range of a byte store, at the version a batch starts from, and is
written before that batch's changes. When a round of slices has covered every store, the segments
since its start restore everything: unchanged entries come from slices, later changes and deletions
from the changes. So a slice needs no deletions.

A round goes through each store from the last key to the first. Keys of window stores grow with
time: in ascending order the round would follow the new keys, which are in the changes anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from millstream.core.store import ByteStore
from millstream.core.working_copy import store_errors
from millstream.topology.spark.state.manifest import Round
from millstream.topology.spark.state.segments import SLICE, Section

_SLACK = 1 << 18


def wants_round(live: int, state: int) -> bool:
    """Return whether the live segments have outgrown the state enough to rewrite it."""
    return live > 2 * state + _SLACK


def next_slice(
    stores: Mapping[str, ByteStore], round_: Round, budget: int
) -> tuple[list[Section], Round, bool]:
    """Return sections of about ``budget`` bytes, the round after them, and whether it is complete.

    Stores are rewritten in the order of their names.
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
    with store_errors(name, "scan()"):
        for key, value in store.scan(None, before, reverse=True):
            if used >= budget:
                complete = False
                break
            keys.append(key)
            values.append(value)
            used += len(key) + len(value) + 8
    return Section(store=name, kind=SLICE, keys=keys, values=values), used, complete
