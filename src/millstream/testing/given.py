"""Arguments of an input topic's methods, in any of Java's overloads, as records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from millstream.core.durations import to_epoch_millis, to_millis
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    NullPointerException,
)
from millstream.core.java_time import from_epoch_millis
from millstream.core.keyvalue import KeyValue
from millstream.core.wording import a_kind
from millstream.testing.record import TestRecord, named_parts

Takes = Callable[[Any], bool]


def as_record(
    arguments: tuple[Any, ...], keywords: dict[str, Any], takes_key: Takes, takes_value: Takes
) -> TestRecord[Any, Any]:
    """Return the record for the arguments of ``pipeInput``.

    Args:
        arguments: The positional arguments.
        keywords: The keyword arguments.
        takes_key: Tells whether the topic's key serializer accepts an object.
        takes_value: Tells whether the topic's value serializer accepts an object.

    Raises:
        IllegalArgumentException: Ambiguous: a key and a value, or a value and its time.
    """
    if len(arguments) == 1 and not keywords and isinstance(arguments[0], TestRecord):
        return arguments[0]
    if len(arguments) == 2 and not keywords and isinstance(arguments[1], datetime):
        return _value_with_time_or_pair(*arguments, takes_key, takes_value)
    return TestRecord(**named_parts(arguments, keywords, "pipeInput"))


def _value_with_time_or_pair(
    first: Any, second: datetime, takes_key: Takes, takes_value: Takes
) -> TestRecord[Any, Any]:
    pair = takes_key(first) and takes_value(second)
    if pair and second.tzinfo is not None and takes_value(first):
        raise IllegalArgumentException(
            "pipeInput(..., datetime) is ambiguous: the topic's serializers take a key and a value "
            "here, as well as a value with its time",
            hint="Write pipeInput(key=..., value=...), or pipeInput(value=..., recordTime=...).",
        )
    return TestRecord(first, second) if pair else TestRecord(value=first, recordTime=second)


def key_values(pairs: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield keys and values of ``KeyValue`` objects or tuples.

    Raises:
        ClassCastException: An item has another type.
    """
    for pair in listed(pairs, "keyValues"):
        if not isinstance(pair, KeyValue) and not (isinstance(pair, tuple) and len(pair) == 2):
            raise ClassCastException(
                f"pipeKeyValueList cannot take {a_kind(pair)} as a pair",
                hint="Give KeyValue(key, value) objects.",
            )
        key, value = pair
        yield key, value


def listed(items: Any, name: str) -> Iterable[Any]:
    """Return an iterable, but not a text.

    Raises:
        NullPointerException: The argument is None.
        ClassCastException: It is a text, bytes, a mapping, or not iterable.
    """
    if items is None:
        raise NullPointerException(f"{name} cannot be null")
    kinds = (str, bytes, bytearray, dict, TestRecord, KeyValue, type)
    if isinstance(items, kinds) or not hasattr(items, "__iter__"):
        raise ClassCastException(f"{name} cannot be {a_kind(items)}", hint="Give a list.")
    found: Iterable[Any] = items
    return found


def times(start: Any, advance: Any) -> Iterator[Any]:
    """Yield the times of successive records; None for each if there is no start.

    Raises:
        NullPointerException: A step without a start, or a start with the step None.
    """
    if start is None and advance is not None and to_millis(advance, "advance") == 0:
        while True:
            yield None
    if start is None:
        raise NullPointerException("startTimestamp cannot be null", hint="Give both, or neither.")
    if advance is None:
        raise NullPointerException("advance cannot be null", hint="Give both, or neither.")
    time_ms, step_ms = to_epoch_millis(start, "startTimestamp"), to_millis(advance, "advance")
    while True:
        # A point of time may lie before 1970, where a number of milliseconds is refused.
        yield time_ms if time_ms >= 0 else from_epoch_millis(time_ms)
        time_ms += step_ms
