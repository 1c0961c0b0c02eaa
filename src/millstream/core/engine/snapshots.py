"""Snapshot of a task between batches, as bytes: times, schedules, what processors save."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass

from millstream.core.errors import TaskCorruptedException

VERSION = 1
Schedule = tuple[str, int, int, bool]


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


def decode(data: bytes) -> Snapshot:
    """Read a snapshot.

    Raises:
        TaskCorruptedException: The bytes are of another version.
    """
    if data[0] != VERSION:
        raise TaskCorruptedException(
            f"the task snapshot has format {data[0]}",
            detail=f"This program reads format {VERSION}.",
        )
    body = json.loads(data[1:])
    return Snapshot(
        stream_time=body["streamTime"],
        partition_times={(topic, n): time for topic, n, time in body["partitionTimes"]},
        stream_punctuations=[_schedule(saved) for saved in body["streamPunctuations"]],
        clock_punctuations=[_schedule(saved) for saved in body["clockPunctuations"]],
        processors={name: base64.b64decode(saved) for name, saved in body["processors"].items()},
    )


def _schedule(saved: list[object]) -> Schedule:
    node, ordinal, next_ms, cancelled = saved
    return str(node), int(str(ordinal)), int(str(next_ms)), bool(cancelled)
