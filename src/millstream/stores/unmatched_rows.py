"""Rows of a join's records without partner: ``time || side || key`` -> list of ``side || value``.

Source: ``internals.TimestampedKeyAndJoinSideSerializer`` and ``LeftOrRightValueSerializer``.
"""

from __future__ import annotations

from millstream.core.serdes import Serdes

_SIDE = 8
"""Place of the side in a key, behind the time."""
_VALUES = Serdes.ListSerde(list, Serdes.ByteArray())


def is_left(key: bytes) -> bool:
    """Tell whether a row's records are of the left side."""
    return key[_SIDE] == 1


def turned(key: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Return the row of the same records, those of the left side as of the right one."""
    side = bytes([not is_left(key)])
    records = _VALUES.deserializer().deserialize("", value) or []
    written = _VALUES.serializer().serialize("", [side + each[1:] for each in records])
    return key[:_SIDE] + side + key[_SIDE + 1 :], written or b""
