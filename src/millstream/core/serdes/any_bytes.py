"""Deserializers that accept any bytes, for values that no operator reads."""

from __future__ import annotations

from typing import Any

from millstream.core.serdes.base import Deserializer
from millstream.core.serdes.raw import ByteArrayDeserializer, BytesDeserializer
from millstream.core.serdes.text import StringDeserializer

_STOCK = frozenset({StringDeserializer, ByteArrayDeserializer, BytesDeserializer})


def accepts_any_bytes(deserializer: Deserializer[Any]) -> bool:
    """Tell whether a deserializer has neither errors nor side effects.

    False for subclasses: a user's ``deserialize`` must be called for every record.
    """
    return type(deserializer) in _STOCK
