"""How the topics of many scenarios share one: a header of each record says whose it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

CONTROL = "\0control"
"""The topic that is no scenario's: what the judge tells a scenario's tasks."""

_PLACE = "conformance.place"
_TIME = "conformance.time"
_NULL = "conformance.null."
_HEADER = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


def place_headers(key: int, topic: str, timestamp: int) -> list[tuple[str, bytes | None]]:
    """The headers that put a record of a topic on the shared one."""
    place: tuple[str, bytes | None] = (_PLACE, f"{key} {topic}".encode())
    # No client can send both a time of 0 and everything else that a record may have.
    return [place] if timestamp > 0 else [place, (_TIME, str(timestamp).encode())]


def plain_headers(record: dict[str, Any]) -> tuple[tuple[int, str], dict[str, Any]]:
    """Whose a record of the shared topic is, and the record as it was on its own topic."""
    headers = record["headers"]
    ours = {each["key"]: each["value"] for each in headers if each["key"] in (_PLACE, _TIME)}
    own = [_with_null(each) for each in headers if each["key"] not in ours]
    key, _, topic = ours[_PLACE].decode().partition(" ")
    timestamp = int(ours.get(_TIME, record["timestamp"]))
    return (int(key), topic), {**record, "timestamp": timestamp, "headers": own or None}


def with_place(
    columns: Mapping[str, pa.Array], key: int, topic: str, *, with_time: bool
) -> dict[str, pa.Array]:
    """A chunk's columns with headers for the shared topic.

    Args:
        columns: As the task sent them.
        key: Whose they are.
        topic: Where they were sent.
        with_time: Whether a time of 0 goes into a header, too.
    """
    count = len(columns["keys"])
    times = columns["timestamps"].to_pylist() if with_time else [1] * count
    given = columns["headers"].to_pylist() if "headers" in columns else [None] * count
    headers = [
        [
            *map(_without_null, own or ()),
            *({"key": n, "value": v} for n, v in place_headers(key, topic, time)),
        ]
        for own, time in zip(given, times, strict=True)
    ]
    kept = {name: column for name, column in columns.items() if name != "partitions"}
    return {**kept, "headers": pa.array(headers, _HEADER)}


def _without_null(header: dict[str, Any]) -> dict[str, Any]:
    # The client that can send a time of 0 cannot send this, in whatever scenario's record it is.
    if header["value"] is not None:
        return header
    return {"key": _NULL + header["key"], "value": b""}


def _with_null(header: dict[str, Any]) -> dict[str, Any]:
    if not header["key"].startswith(_NULL):
        return header
    return {"key": header["key"].removeprefix(_NULL), "value": None}
