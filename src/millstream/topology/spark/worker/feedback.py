"""Event times of records on feedback topics.

librdkafka takes an event time of 0 for none and writes the present one. Records at 0 that go
back to an earlier stage therefore carry a mark among their headers, which is taken off again when
they are read.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

TIME_MARK = "__millstream.at.zero"
"""Header of a record whose event time is 0."""


def marked(
    timestamp: int, headers: list[tuple[str, bytes | None]]
) -> list[tuple[str, bytes | None]]:
    """Return the headers to send with a record on a feedback topic."""
    return [*headers, (TIME_MARK, b"")] if timestamp == 0 else headers


def true_times(timestamps: pa.Array, headers: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return the event times and the headers that a feedback topic's records were sent with.

    Args:
        timestamps: As the broker has them.
        headers: Lists of key and value; null where a record has none.
    """
    if headers.null_count == len(headers):
        return timestamps, headers
    if TIME_MARK not in headers.flatten().field("key").unique().to_pylist():
        return timestamps, headers
    plain: list[list[dict[str, Any]] | None] = headers.to_pylist()
    times = timestamps.to_pylist()
    for index, own in enumerate(plain):
        if own and own[-1]["key"] == TIME_MARK:
            times[index] = 0
            plain[index] = own[:-1] or None
    return pa.array(times, timestamps.type), pa.array(plain, headers.type)
