"""Arguments of ``schedule``, and the time at which a schedule is due first."""

from __future__ import annotations

from typing import Any

from millstream.core.arguments import required
from millstream.core.durations import to_epoch_millis, to_millis
from millstream.core.engine.punctuation import Punctuation
from millstream.core.errors import ClassCastException, IllegalArgumentException
from millstream.core.function_arguments import check_punctuator
from millstream.core.function_kinds import method_or_self
from millstream.core.processor import PunctuationType


def due_first(start_ms: int | None, interval_ms: int, kind: PunctuationType, now_ms: int) -> int:
    """Return the first time of a schedule: on the grid of ``start_ms``, or as Kafka begins."""
    if start_ms is not None:
        if start_ms >= now_ms:
            return start_ms
        return start_ms + ((now_ms - start_ms) // interval_ms + 1) * interval_ms
    return 0 if kind is PunctuationType.STREAM_TIME else now_ms + interval_ms


def new_punctuation(
    node: Any, ordinal: int, first_ms: int, interval_ms: int, callback: Any
) -> Punctuation:
    """Return a schedule whose callback is a plain callable, whatever form the user gave."""
    call = method_or_self(callback, "punctuate")
    return Punctuation(node, ordinal, first_ms, interval_ms, call)


def schedule_arguments(
    arguments: tuple[Any, ...], keywords: dict[str, Any], *, checked: bool = True
) -> tuple[int | None, Any, Any, Any]:
    """Return start time, interval (both in milliseconds), clock and callback of ``schedule``.

    Unchecked, interval and clock may be None, and the interval of any length.
    """
    names = ["interval", "type", "callback"]
    if len(arguments) + len(keywords) == 4:
        names.insert(0, "startTime")
    given = dict(zip(names, arguments, strict=False)) | keywords
    if set(given) != set(names) or len(arguments) + len(keywords) != len(names):
        raise IllegalArgumentException(
            f"schedule takes {', '.join(names)}; it got {', '.join(given) or 'nothing'}"
        )
    interval: Any = given["interval"]
    kind: Any = given["type"]
    interval_ms = to_millis(interval, "interval") if checked or interval is not None else None
    if checked and interval_ms is not None and interval_ms < 1:
        raise IllegalArgumentException(
            f"the interval of a punctuation is {interval_ms} ms", hint="Give at least 1 ms."
        )
    start = given.get("startTime")
    start_ms = None if start is None else to_epoch_millis(start, "startTime")
    if checked and start_ms is not None and start_ms < 0:
        raise IllegalArgumentException(
            "The minimum supported start time is Instant.EPOCH.", detail=f"It is {start_ms} ms."
        )
    clock = None if kind is None and not checked else _clock(kind)
    callback = given["callback"]
    if checked or callback is not None:
        check_punctuator(callback)
    return start_ms, interval_ms, clock, callback


def _clock(kind: Any) -> PunctuationType:
    try:
        return PunctuationType(required(kind, "type"))
    except ValueError:
        raise ClassCastException(
            f"type cannot be {kind!r}",
            hint="Give PunctuationType.STREAM_TIME or PunctuationType.WALL_CLOCK_TIME.",
        ) from None
