"""Rows of what users' own stores have logged: the value after its time, and headers if it has any.

``time || value``, or ``LONG_MIN || headers || time || value``, with headers as before a value of
Kafka's stores. Rows of earlier versions have no headers, and are of the first form.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NamedTuple

from millstream.core.errors import SerializationException
from millstream.core.headers import Headers
from millstream.core.serdes.header_bytes import headers_prefix, split_headers

_TIME = struct.Struct(">q")
_HEADED = _TIME.pack(-(2**63))


class Logged(NamedTuple):
    """A value as it was logged."""

    value: bytes
    time: int
    headers: Headers | None


class AsKept:
    """What a user's own store of bytes is given back of a logged value, its time and its headers.

    A class, since a user's store may have an attribute of any name.
    """

    def __init__(self, kept: Callable[[bytes, int, Headers | None], bytes]) -> None:
        self._kept = kept

    def __call__(self, value: bytes, time: int, headers: Headers | None) -> bytes:
        """Return the bytes."""
        return self._kept(value, time, headers)


def to_row(value: bytes, time: int, headers: Headers | None) -> bytes:
    """Return the row of a logged value.

    Example:
        >>> to_row(b"v", 5, None).hex()
        '000000000000000576'
    """
    row = _TIME.pack(time) + value
    return _HEADED + headers_prefix(headers) + row if headers or row.startswith(_HEADED) else row


def from_row(row: bytes) -> Logged:
    """Return the logged value of a row.

    Raises:
        SerializationException: The bytes are not of this format.

    Example:
        >>> from_row(to_row(b"v", 5, Headers().add("h", b"1"))).headers.lastHeader("h").value()
        b'1'
    """
    headers, start = None, 0
    if row.startswith(_HEADED):
        headers, start = split_headers(row[len(_HEADED) :])
        start += len(_HEADED)
    if len(row) < start + _TIME.size:
        raise SerializationException(
            f"a row of a user's own store has {len(row)} bytes, too few for a time",
            hint="Restore the checkpoint or the savepoint from a copy.",
        )
    (time,) = _TIME.unpack_from(row, start)
    return Logged(row[start + _TIME.size :], time, headers)
