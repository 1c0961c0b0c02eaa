"""Codecs of rows of tables: there is no row where a deserializer makes None of its bytes.

Windows differ: a stream join finds those whose value a deserializer has made None of.

Source: Kafka's ``ValueAndTimestampDeserializer``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millstream.stores.codec import TimestampedCodec
from millstream.stores.header_codec import HeadersCodec


class RowCodec(TimestampedCodec):
    """Of rows with a time."""

    def decode(self, data: bytes) -> Any:
        value = self.part.from_bytes(data[8:])
        return None if value is None else (value, int.from_bytes(data[:8], "big", signed=True))

    def decode_column(self, data: Sequence[bytes | None]) -> list[Any]:
        return _present(TimestampedCodec.decode_column(self, data))


class HeadedRowCodec(HeadersCodec):
    """Of rows with a time and headers."""

    def decode(self, data: bytes) -> Any:
        cell = HeadersCodec.decode(self, data)
        return None if cell[0] is None else cell

    def decode_column(self, data: Sequence[bytes | None]) -> list[Any]:
        return _present(HeadersCodec.decode_column(self, data))


def _present(cells: list[Any]) -> list[Any]:
    return [None if cell is None or cell[0] is None else cell for cell in cells]
