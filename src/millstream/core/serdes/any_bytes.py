"""Deserializers that accept any bytes, for values that no operator reads."""

from __future__ import annotations

from typing import Any

from millstream.core.serdes.base import Deserializer
from millstream.core.serdes.raw import ByteArrayDeserializer, BytesDeserializer
from millstream.core.serdes.text import StringDeserializer

_STOCK = frozenset({StringDeserializer, ByteArrayDeserializer, BytesDeserializer})


def accepts_any_bytes(deserializer: Deserializer[Any]) -> bool:
    """Tell whether a deserializer is known to have neither errors nor effects.

    Of a subclass that is not known: its author may want to see every record.
    """
    return type(deserializer) in _STOCK
