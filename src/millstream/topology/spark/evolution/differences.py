"""Differences of two notes about one store, and what each of them asks for."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from millstream.core.serdes.identity import same_format
from millstream.topology.spark.checkpoint.store_notes import OWN, StoreNote

HEADERS, TIMES, SEGMENTS, ORDER, WORD = "headers", "times", "segments", "order", "word"
TURNED, ONE_SIDE = "turned", "one side"
"""Conversions of entries: see ``convert.py``."""
_SORTED = "Json(sorted)"
"""Part of the text of a serde that sorts the keys of dicts."""
_TIMED = ("window", "session")
_ADVANCE = "advance"
"""Size that says how often windows begin; where it is a multiple of the former one, every window
was one before."""
_CONVERTED_VALUES = ("key-value", "window", "session")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteDifference:
    """One difference between what a store's bytes were and are to be."""

    text: str
    """A clause: ``its window was 10 ms and is 20 ms``."""
    conversion: str = ""
    """The conversion that settles it; empty for none."""
    how: str = ""
    """What the conversion does."""
    declarable: bool = False
    """``millstream.store.changed.ok`` may declare the bytes readable all the same."""
    by_word: bool = False
    """A converter of the user's can settle it."""
    way: str = ""
    """What else in the program settles it; empty if only what it was does."""


def differences(before: StoreNote | None, now: StoreNote | None) -> list[NoteDifference]:
    """Return what differs, as far as it is known: version 0.1.0 wrote no notes."""
    if now is None:
        return []
    if before is None:
        return list(_since_the_first_version(now))
    if before.type != now.type:
        text = f"its type was {before.type} and is {now.type}"
        return [NoteDifference(text=text, declarable=OWN in (before.type, now.type))]
    return [*_values(before, now), *_layout(before, now), *_meaning(before, now)]


def _since_the_first_version(now: StoreNote) -> Iterator[NoteDifference]:
    """Yield what millstream itself writes otherwise than the version without notes did.

    What the user has changed since is not known.
    """
    if _SORTED in now.serdes.get("key", ""):
        yield NoteDifference(
            text="its keys were JSON as each dict was filled, and are JSON with sorted keys "
            "(keys without dicts have the same bytes)",
            declarable=True,
        )


def free(found: Collection[NoteDifference]) -> bool:
    """Tell whether a store goes on with these differences, and nothing has to be said."""
    return all(each.conversion for each in found)


def _values(before: StoreNote, now: StoreNote) -> Iterator[NoteDifference]:
    if before.values == now.values:
        return
    text = f"its values were {before.values} and are {now.values}"
    change = (before.values, now.values)
    if change == ("timestamped", "headers") or (change == ("plain", "headers")):
        how = "its rows are read as rows without headers"
        yield NoteDifference(text=text, conversion=HEADERS, how=how)
    elif change == ("plain", "timestamped") and _join_side(before, now):
        yield NoteDifference(
            text=text, conversion=TIMES, how="its records get a place for their times"
        )
    elif change == ("timestamped", "plain") and _join_side(before, now):
        yield NoteDifference(
            text=text, conversion=TIMES, how="its records have their times in the keys"
        )
    elif change == ("plain", "timestamped") and before.type != "session":
        how = "the times of its rows are unknown, -1, as in Kafka Streams, until they are updated"
        yield NoteDifference(text=text, conversion=TIMES, how=how)
    else:
        yield NoteDifference(text=text, declarable=before.opaque or now.opaque)


def _join_side(before: StoreNote, now: StoreNote) -> bool:
    """Tell whether a store has the records of one side of a join of streams.

    In memory such a store has places for times, on disk it has none; its reads never look there.
    """
    return bool(before.layout.get("duplicates") and now.layout.get("duplicates"))


def _layout(before: StoreNote, now: StoreNote) -> Iterator[NoteDifference]:
    if before.opaque or now.opaque:
        return
    for name in sorted(before.layout.keys() & now.layout.keys()):
        old, new = before.layout[name], now.layout[name]
        if old == new:
            continue
        text = f"its {name} was {_shown(old)} and is {_shown(new)}"
        if name == "segment interval" and before.type in _TIMED:
            how = f"its keys are written for segments of {new} ms instead of {old} ms"
            yield NoteDifference(text=text, conversion=SEGMENTS, how=how)
        elif name == "order by time" and before.type in _TIMED:
            how = "a second order, by time, is added" if new else "its order by time is left out"
            yield NoteDifference(text=text, conversion=ORDER, how=how)
        elif name == "segment interval":
            # Of a versioned store; a historyRetention chooses it.
            way = f"give the store segmentInterval={old} ms, which goes with any historyRetention"
            yield NoteDifference(text=text, way=way)
        else:
            yield NoteDifference(text=text)


def _shown(setting: Any) -> Any:
    """Return a layout's setting as a user knows it."""
    return "memory or spill" if setting == "rows" else setting


def _meaning(before: StoreNote, now: StoreNote) -> Iterator[NoteDifference]:
    for name in sorted(before.sizes.keys() & now.sizes.keys()):
        old, new = before.sizes[name], now.sizes[name]
        if old != new and not (name == _ADVANCE and old and new and new % old == 0):
            text = f"its {name} was {old} ms and is {new} ms"
            if name == _ADVANCE:
                text = f"its windows began {_moments(old)} and begin {_moments(new)}"
            yield NoteDifference(text=text, declarable=True)
    for role in sorted(before.serdes.keys() & now.serdes.keys()):
        was, is_now = before.serdes[role], now.serdes[role]
        if not same_format(was, is_now):
            by_word = role == "value" and before.type in _CONVERTED_VALUES and not before.opaque
            text = f"its {role} serde was {was} and is {is_now}"
            yield NoteDifference(text=text, declarable=True, by_word=by_word)


def _moments(advance_ms: int) -> str:
    return f"every {advance_ms} ms" if advance_ms else "with each record"
