"""Snapshot of a task between batches, as bytes: times, schedules, what processors save."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from millstream.core.errors import (
    ClassCastException,
    MillstreamError,
    StreamsException,
    TaskCorruptedException,
    UnsupportedOperationException,
)
from millstream.core.typed_json import Time, read_json
from millstream.core.wording import a_kind, said

VERSION = 1
Schedule = tuple[str, int, int, bool]
Combine = Callable[[str, Sequence[bytes]], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What ``Task.snapshot`` wrote."""

    stream_time: int
    partition_times: dict[tuple[str, int], int]
    stream_punctuations: list[Schedule]
    clock_punctuations: list[Schedule]
    processors: dict[str, bytes]


def encode(
    *,
    stream_time: int,
    partition_times: dict[tuple[str, int], int],
    stream_punctuations: list[Schedule],
    clock_punctuations: list[Schedule],
    processors: dict[str, bytes],
) -> bytes:
    """Return a snapshot as bytes: a version byte, then JSON."""
    body = {
        "streamTime": stream_time,
        "partitionTimes": [[topic, n, time] for (topic, n), time in partition_times.items()],
        "streamPunctuations": stream_punctuations,
        "clockPunctuations": clock_punctuations,
        "processors": {
            name: base64.b64encode(saved).decode() for name, saved in processors.items()
        },
    }
    return bytes([VERSION]) + json.dumps(body, separators=(",", ":")).encode()


def encoded(snapshot: Snapshot) -> bytes:
    """Return a snapshot as bytes."""
    return encode(
        stream_time=snapshot.stream_time,
        partition_times=snapshot.partition_times,
        stream_punctuations=snapshot.stream_punctuations,
        clock_punctuations=snapshot.clock_punctuations,
        processors=snapshot.processors,
    )


def decode(data: bytes) -> Snapshot:
    """Read a snapshot.

    Raises:
        TaskCorruptedException: The bytes are damaged, or of another version.
    """
    if data[:1] != bytes([VERSION]):
        raise TaskCorruptedException(
            f"the task snapshot has format {data[0]}" if data else "the task snapshot is empty",
            detail=f"This program reads format {VERSION}.",
        )
    try:
        body = read_json(data[1:], _Body)
    except ValueError as error:
        raise TaskCorruptedException(
            "the task snapshot cannot be read",
            detail=f"{error}.",
            hint="Restore the checkpoint or the savepoint from a copy.",
        ) from error
    return Snapshot(
        stream_time=body.streamTime,
        partition_times={(topic, n): time for topic, n, time in body.partitionTimes},
        stream_punctuations=body.streamPunctuations,
        clock_punctuations=body.clockPunctuations,
        processors=body.processors,
    )


_Saved = tuple[str, Time, Time, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Body:
    """A snapshot as JSON has it."""

    streamTime: Time
    partitionTimes: list[tuple[str, Time, Time]]
    streamPunctuations: list[_Saved]
    clockPunctuations: list[_Saved]
    processors: dict[str, bytes]


@contextmanager
def part_of(processor: str) -> Iterator[None]:
    """Read what a processor has saved.

    Raises:
        TaskCorruptedException: Its bytes are damaged.
    """
    try:
        yield
    except (TaskCorruptedException, UnsupportedOperationException):
        raise
    except Exception as error:
        raise TaskCorruptedException(
            f'the task snapshot has bytes for processor "{processor}" that cannot be read',
            detail=f"{said(error)}.",
            hint="If the name was another operator's in the former program, give the new one "
            "another name (Named.as_). A plugin's restore() has to read what its save() wrote, "
            "also that of an earlier version. Otherwise restore the checkpoint or savepoint from a "
            "copy.",
        ) from error


def saved_by(processor: str, save: Callable[[], Any]) -> bytes | None:
    """Return what a processor saves; None for nothing.

    Raises:
        ClassCastException: It is no bytes.
        StreamsException: The processor raised.
    """
    try:
        saved = save()
    except MillstreamError:
        raise
    except Exception as error:
        raise StreamsException(
            f'processor "{processor}" cannot save its state',
            detail=f"{said(error)}.",
            hint="Its save() raised.",
        ) from error
    return None if saved is None else _bytes_of(processor, saved)


def _bytes_of(processor: str, saved: Any) -> bytes:
    if type(saved) is bytes:
        return saved
    if isinstance(saved, bytes | bytearray | memoryview):
        return bytes(saved)
    raise ClassCastException(
        f'processor "{processor}" saves {a_kind(saved)}', hint="Return bytes, or None for nothing."
    )


def merged(snapshots: Iterable[Snapshot], combine: Combine) -> Snapshot:
    """Return the snapshot of one task that continues several.

    Times are the largest. A schedule is due when the first task's is: none is missed; it is
    cancelled if every task's is.

    Args:
        snapshots: Those of the tasks, of one sub-topology or of several.
        combine: Given a processor and what it saved in each task, returns what it goes on with.

    Raises:
        TaskCorruptedException: What a processor has saved cannot be read.
    """
    stream_time, times = -1, dict[tuple[str, int], int]()
    streams: list[Schedule] = []
    clocks: list[Schedule] = []
    saved: dict[str, list[bytes]] = {}
    for snapshot in snapshots:
        stream_time = max(stream_time, snapshot.stream_time)
        for at, time in snapshot.partition_times.items():
            times[at] = max(time, times.get(at, time))
        streams += snapshot.stream_punctuations
        clocks += snapshot.clock_punctuations
        for name, data in snapshot.processors.items():
            saved.setdefault(name, []).append(data)
    return Snapshot(
        stream_time=stream_time,
        partition_times=times,
        stream_punctuations=_first_due(streams),
        clock_punctuations=_first_due(clocks),
        processors={name: _combined(combine, name, parts) for name, parts in saved.items()},
    )


def _combined(combine: Combine, name: str, parts: Sequence[bytes]) -> bytes:
    with part_of(name):
        return _bytes_of(name, combine(name, parts))


def _first_due(schedules: Iterable[Schedule]) -> list[Schedule]:
    found: dict[tuple[str, int], Schedule] = {}
    for schedule in schedules:
        node, ordinal, next_ms, cancelled = schedule
        before = found.get((node, ordinal))
        if before is None or (cancelled, next_ms) < (before[3], before[2]):
            found[node, ordinal] = schedule
    return list(found.values())
