"""Comparison of two states, for `millstream state diff`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from millstream.cli.options import print_json, print_table
from millstream.cli.state_entries import OpenStore, order, texts
from millstream.cli.state_serdes import SerdeChoice, serdes_of
from millstream.core.errors import IllegalArgumentException
from millstream.topology.savepoints.checksums import joined
from millstream.topology.savepoints.notes import owner_of
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.records import StoredRecord, StoreRecords

_HEADINGS = ("store", "same", "changed", "only in A", "only in B")
_LISTS = ("unmatched records", "waiting records")
"""Types of stores that keep several records of one key and time."""
_Place = tuple[Any, ...]
Difference = tuple["StoredRecord | None", "StoredRecord | None"]


def print_differences(
    both: tuple[Savepoint, Savepoint],
    stores: Sequence[str] | None,
    choices: Sequence[SerdeChoice],
    *,
    entries: bool,
    json: bool,
) -> bool:
    """Print in what two states differ; tell whether they are the same.

    Args:
        both: The states.
        stores: The stores to compare; None for all.
        choices: The serdes of each.
        entries: Whether to print the entries, too.
        json: Whether to print JSON.

    Raises:
        IllegalArgumentException: A store that is asked for is in neither.
        StreamsException: A state cannot be read.
    """
    names = [_stores(each) for each in both]
    known = sorted(names[0] | names[1])
    for name in stores or ():
        if name not in known:
            raise IllegalArgumentException(
                f'neither of them has a store "{name}"',
                detail=f"They have: {', '.join(known) or 'none'}.",
            )
    rows = [_compared(both, name, choices, entries=entries) for name in stores or known]
    same = not any(row[heading] for row in rows for heading in _HEADINGS[2:])
    if json:
        print_json({"same": same, "stores": rows})
        return same
    print_table(_HEADINGS, [[row[name] for name in _HEADINGS] for row in rows])
    for row in rows:
        for entry in row.get("entries", ()):
            for mark, name in (("-", "A"), ("+", "B")):
                if entry[name] is not None:
                    print("  ".join([mark, row["store"], *texts(entry[name])]))
    return same


def _stores(savepoint: Savepoint) -> set[str]:
    manifest = savepoint.manifest
    return {name for name in manifest.stores if owner_of(manifest, name) == name}


def _compared(
    both: tuple[Savepoint, Savepoint],
    name: str,
    choices: Sequence[SerdeChoice],
    *,
    entries: bool,
) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(_HEADINGS, 0) | {"store": name}
    if entries:
        row["entries"] = []
    opened = [StoreRecords(each, name) if name in _stores(each) else None for each in both]
    if None not in opened and _equal(*both, name):
        row["same"] = sum(1 for _ in opened[0].all()) if opened[0] is not None else 0
        return row
    for before, after in _pairs(*opened):
        if before is None or after is None:
            row["only in B" if before is None else "only in A"] += 1
        elif _content(before) == _content(after):
            row["same"] += 1
            continue
        else:
            row["changed"] += 1
        if entries:
            a, b = opened
            first, second = _shown(a, before, choices[0]), _shown(b, after, choices[1])
            row["entries"].append({"A": first, "B": second})
    return row


def _equal(first: Savepoint, second: Savepoint, name: str) -> bool:
    """Tell whether two stores have the same bytes in whatever partitions, by their checksums."""
    notes = [each.manifest.stores[name].note for each in (first, second)]
    contents = [
        joined(
            contents
            for part, store in each.manifest.stores.items()
            if owner_of(each.manifest, part) == name
            for contents in store.partitions.values()
        )
        for each in (first, second)
    ]
    return notes[0] == notes[1] and contents[0] == contents[1]


def _pairs(first: StoreRecords | None, second: StoreRecords | None) -> Iterator[Difference]:
    """Yield the entries of both, those of one place together, in order."""
    found: list[dict[_Place, StoredRecord]] = [
        {} if each is None else _placed(each) for each in (first, second)
    ]
    places = {**found[0], **found[1]}
    for place in sorted(places, key=lambda each: order(places[each])):
        yield found[0].get(place), found[1].get(place)


def _placed(store: StoreRecords) -> dict[_Place, StoredRecord]:
    """Return the entries of a store by place; equal ones, which a join keeps, are numbered."""
    found: dict[_Place, StoredRecord] = {}
    counts: Counter[_Place] = Counter()
    for record in store.all():
        place = _place(store, record)
        numbered = (*place, counts[place])
        found[numbered] = record
        counts[place] += 1
    return found


def _place(store: StoreRecords, record: StoredRecord) -> _Place:
    """Return what tells entries apart, besides their partitions."""
    note = store.note
    found: _Place = (record.key, record.window)
    if note.type in ("versioned", *_LISTS):
        found += (record.timestamp,)
    several = note.type in _LISTS or note.layout.get("duplicates")
    return (*found, record.value) if several else found


def _content(record: StoredRecord) -> tuple[Any, ...]:
    return record.value, record.timestamp, record.headers


def _shown(
    store: StoreRecords | None, record: StoredRecord | None, choice: SerdeChoice
) -> dict[str, Any] | None:
    if store is None or record is None:
        return None
    return OpenStore(store, *serdes_of(store.store, store.note, choice)).shown(record)
