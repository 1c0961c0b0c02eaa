"""Event times of records on feedback topics.

librdkafka replaces an event time of 0 by the present time. Records at 0 on a feedback topic
therefore have an extra header, which is removed when they are read.
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
    """Return the original event times and headers of records of a feedback topic.

    Args:
        timestamps: The broker's timestamps.
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
