"""What deduplication means, as plainly as it can be said, and streams to try it on."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st

Json = dict[str, Any]
INTERVALS = (0, 1, 3, 10)
FORMS = ("deduplicateByKey", "deduplicateByKeyValue", "deduplicate")
LAST_TIME = 30


class Event(NamedTuple):
    """A record; its value begins with a letter that is its id, or is empty for none."""

    key: str | None
    value: str
    timestamp: int


def identity(form: str, event: Event) -> Any:
    """What must be equal in duplicates; None if the record is none's duplicate."""
    found = event.value[:1] or None
    if form == "deduplicateByKey":
        return event.key
    if form == "deduplicate":
        return found
    return None if event.key is None or found is None else (event.key, found)


def first_seen(form: str, interval: int, events: Sequence[Event]) -> list[Event]:
    """Go through all that was forwarded and has not expired, for each record."""
    forwarded: list[Event] = []
    known: list[Event] = []
    stream_time = -1
    for event in events:
        stream_time = max(stream_time, event.timestamp)
        known = [other for other in known if other.timestamp >= stream_time - interval]
        own = identity(form, event)
        if own is None:
            forwarded.append(event)
            continue
        near = [o for o in known if abs(o.timestamp - event.timestamp) <= interval]
        if all(identity(form, other) != own for other in near):
            forwarded.append(event)
            known.append(event)
    return forwarded


EVENTS = st.builds(
    Event,
    st.sampled_from(["a", "b", "c", "", None]),
    st.sampled_from(["x", "y", "zz", "z", ""]),
    st.integers(0, LAST_TIME),
)


def random_events(random: Random, count: int) -> list[Event]:
    """Records that mostly come in order of time."""
    return [
        Event(
            random.choice(["a", "b", "c", "", None]),
            random.choice(["x", "y", "z", ""]),
            max(0, number + random.randint(-12, 2)),
        )
        for number in range(count)
    ]


def scenario(form: str, interval: int, events: Sequence[Event]) -> Json:
    """A program that only deduplicates, in the format of ``compat_tests/oracle``."""
    step = {"id": "first", "op": form, "from": ["in"], "fn": "first", "interval": interval}
    return {
        "config": {"statestore.cache.max.bytes": 0},
        "topics": {"in": ["string", "string"], "out": ["string", "string"]},
        "topology": [
            {"id": "in", "op": "stream", "topics": ["in"]},
            step,
            {"op": "to", "from": ["first"], "topic": "out"},
        ],
        "events": [
            {"pipe": "in", "key": each.key, "value": each.value, "ts": each.timestamp}
            for each in events
        ],
    }


def event_of(key: bytes | None, value: bytes | None, timestamp: int) -> Event:
    """Return the event that a record in bytes was."""
    return Event(None if key is None else key.decode(), (value or b"").decode(), timestamp)
