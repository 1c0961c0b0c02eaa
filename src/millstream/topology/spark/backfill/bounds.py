"""Bounds of a run over history, as users give them: times, or offsets by topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from millstream.core.durations import LONG_MAX
from millstream.core.errors import IllegalArgumentException

Offsets = Mapping[int, int]
"""Partition -> offset."""
Given = datetime | int | Mapping[str, "datetime | int | Offsets"]
"""A time, or for each topic a time or offsets; a number is milliseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Where a run over history begins or ends; empty for no bound."""

    everywhere: int | None = None
    """A time in epoch milliseconds, for every topic."""
    topics: Mapping[str, int | Offsets] = field(default_factory=dict)
    """Topic -> a time, or offsets by partition."""

    def of(self, topic: str) -> int | Offsets | None:
        """Return the bound of a topic: a time, or offsets; None for no bound."""
        return self.topics.get(topic, self.everywhere)

    def __bool__(self) -> bool:
        return self.everywhere is not None or bool(self.topics)


def bound(given: Any, name: str) -> Bound:
    """Return a bound from a user's argument.

    Args:
        given: A ``Given``; None for no bound.
        name: The argument's name, for errors.

    Raises:
        IllegalArgumentException: It is something else, or a time without a time zone.
    """
    if given is None:
        return Bound()
    if not isinstance(given, Mapping):
        return Bound(_time(given, name))
    found: dict[str, int | Offsets] = {}
    for topic, own in given.items():
        if not isinstance(topic, str):
            raise _wrong(name, f"{topic!r} is not the name of a topic.")
        where = f'{name}["{topic}"]'
        found[topic] = _offsets(own, where) if isinstance(own, Mapping) else _time(own, where)
    return Bound(None, found)


def check_order(start: Bound, end: Bound) -> None:
    """Check that the end is not before the start, as far as the arguments tell.

    Raises:
        IllegalArgumentException: It is.
    """
    for topic in (None, *start.topics, *end.topics):
        first = start.everywhere if topic is None else start.of(topic)
        last = end.everywhere if topic is None else end.of(topic)
        where = "" if topic is None else f' of topic "{topic}"'
        if isinstance(first, int) and isinstance(last, int) and last < first:
            raise IllegalArgumentException(
                f"the end{where} is before the start", detail=f"{last} ms is before {first} ms."
            )
        if isinstance(first, Mapping) and isinstance(last, Mapping):
            for partition in first.keys() & last.keys():
                if last[partition] < first[partition]:
                    raise IllegalArgumentException(
                        f"the end{where} is before the start",
                        detail=f"In partition {partition}, offset {last[partition]} is before "
                        f"{first[partition]}.",
                    )


def check_topics(bounds: Iterable[Bound], read: Mapping[str, int]) -> None:
    """Check that bounds name topics and partitions that the application reads.

    Args:
        bounds: The start and the end.
        read: The topics that are read, with their partition counts.

    Raises:
        IllegalArgumentException: One is not read.
    """
    for each in bounds:
        for topic, own in each.topics.items():
            if topic not in read:
                raise IllegalArgumentException(
                    f'the application does not read topic "{topic}"',
                    detail=f"It reads {', '.join(sorted(read)) or 'no topic'}.",
                )
            wrong = [n for n in own if n >= read[topic]] if isinstance(own, Mapping) else []
            if wrong:
                raise IllegalArgumentException(
                    f'topic "{topic}" has no partition {wrong[0]}',
                    detail=f"It has {read[topic]} partitions.",
                )


def _time(given: Any, where: str) -> int:
    if isinstance(given, datetime):
        if given.tzinfo is None:
            raise _wrong(where, "The time has no time zone.", "Add tzinfo=timezone.utc.")
        millis = round(given.timestamp() * 1000)
    elif isinstance(given, int) and not isinstance(given, bool):
        millis = given
    else:
        raise _wrong(where, f"{given!r} is not a time.")
    if not 0 <= millis <= LONG_MAX:
        raise _wrong(where, f"{millis} ms is before 1970 or too large.")
    return millis


def _offsets(given: Mapping[Any, Any], where: str) -> dict[int, int]:
    for partition, offset in given.items():
        for number in (partition, offset):
            if not isinstance(number, int) or isinstance(number, bool) or number < 0:
                raise _wrong(where, f"{number!r} is not a partition or an offset.")
    return dict(given)


def _wrong(
    where: str,
    detail: str,
    hint: str = "Give a datetime, milliseconds since the epoch, or for each topic one of them or "
    "offsets by partition.",
) -> IllegalArgumentException:
    return IllegalArgumentException(f"{where} is not a bound of history", detail=detail, hint=hint)
