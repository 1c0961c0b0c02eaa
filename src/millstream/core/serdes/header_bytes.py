"""Headers as bytes, in the format of Kafka's stores before a value.

``varint(size) || headers``, where headers are ``varint(count)`` and for each header name and value,
each after its length as a varint. A value of None has the length -1; no headers have size 0.
"""

from __future__ import annotations

from millstream.core.errors import SerializationException
from millstream.core.headers import Header, Headers
from millstream.core.serdes.varint import read_varint, varint


def headers_prefix(headers: Headers | None) -> bytes:
    """Return the bytes of headers, which precede the value.

    Example:
        >>> headers_prefix(Headers().add("h", b"1")).hex(" ")
        '0a 02 02 68 02 31'
    """
    if not headers:
        return b"\x00"
    parts = [varint(len(headers))]
    for header in headers:
        name, value = header.key().encode(), header.value()
        parts += (varint(len(name)), name)
        parts += (varint(-1),) if value is None else (varint(len(value)), value)
    body = b"".join(parts)
    return varint(len(body)) + body


def split_headers(data: bytes) -> tuple[Headers | None, int]:
    """Return the headers, None if there are none, and the position after them.

    Raises:
        SerializationException: The bytes are not of this format.
    """
    size, start = read_varint(data)
    end = start + size
    if size < 0 or end > len(data):
        raise SerializationException(
            "headers are longer than the data", detail=f"Size {size} of {len(data)} bytes."
        )
    if size == 0:
        return None, start
    count, at = read_varint(data, start)
    headers = Headers()
    for _ in range(count):
        name, at = _part(data, at, end)
        value, at = _part(data, at, end)
        # As in Kafka, malformed text is replaced.
        headers.add(Header((name or b"").decode(errors="replace"), value))
    return headers, end


def _part(data: bytes, at: int, end: int) -> tuple[bytes | None, int]:
    length, start = read_varint(data, at)
    if length == -1:
        return None, start
    if length < 0 or start + length > end:
        raise SerializationException(
            "a header is longer than all headers", detail=f"Length {length} at byte {at}."
        )
    return data[start : start + length], start + length
