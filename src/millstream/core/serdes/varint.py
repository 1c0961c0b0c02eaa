"""Kafka's signed varints: zigzag, then seven bits per byte, low bits first."""

from __future__ import annotations

from millstream.core.errors import SerializationException

_MOST_BYTES, _MOST = 5, (1 << 32) - 1


def varint(number: int) -> bytes:
    """Return a number of 32 bits as 1 to 5 bytes.

    Example:
        >>> varint(0), varint(-1), varint(64)
        (b'\\x00', b'\\x01', b'\\x80\\x01')
    """
    rest = number << 1 if number >= 0 else (-number << 1) - 1
    out = bytearray()
    while rest > 0x7F:
        out.append(rest & 0x7F | 0x80)
        rest >>= 7
    out.append(rest)
    return bytes(out)


def read_varint(data: bytes, start: int = 0) -> tuple[int, int]:
    """Return the number at ``start`` and the position after it.

    Raises:
        SerializationException: The data ends within the number, or it has more than 32 bits.
    """
    number = shift = 0
    for index in range(start, min(len(data), start + _MOST_BYTES)):
        byte = data[index]
        number |= (byte & 0x7F) << shift
        if not byte & 0x80:
            if number > _MOST:
                break
            return (number >> 1) ^ -(number & 1), index + 1
        shift += 7
    raise SerializationException(
        "a number of variable length cannot be read",
        detail=f"It has more than 32 bits or no end: {data[start : start + _MOST_BYTES]!r} at byte "
        f"{start} of {len(data)}.",
    )
