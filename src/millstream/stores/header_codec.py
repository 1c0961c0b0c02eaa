"""Codecs of values with headers: ``size of headers || headers || time || value``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millstream.core.errors import ClassCastException
from millstream.core.headers import Headers
from millstream.core.record_context import RecordContext
from millstream.core.serdes.header_bytes import headers_prefix, split_headers
from millstream.core.state import (
    AggregationWithHeaders,
    DslStoreFormat,
    Headed,
    ValueTimestampHeaders,
)
from millstream.stores.codec import BoundSerde, PlainCodec, TimestampedCodec
from millstream.stores.value_forms import log_aggregate_with_headers, log_with_headers

NONE = 0
"""The first byte where there are no headers: their size."""


class HeadedCell(tuple[Any, int]):
    """A timestamped store's cell that has headers besides."""

    headers: Headers


class HeadersCodec(TimestampedCodec):
    """A cell is ``(value, timestamp)``, a ``HeadedCell`` if there are headers.

    What operators write has no headers unless it is ``Headed``.
    """

    prefix_width = 9
    format = DslStoreFormat.HEADERS
    log = staticmethod(log_with_headers)

    def encode(self, value: Any, timestamp: int) -> bytes | None:
        headers, data = written(self.part, value)
        if data is None:
            return None
        return headers_prefix(headers) + timestamp.to_bytes(8, "big", signed=True) + data

    def encode_column(self, values: Sequence[Any], timestamps: Sequence[int]) -> list[bytes | None]:
        if self.part.writes_headers or Headed in map(type, values):
            rows = zip(values, timestamps, strict=True)
            return [None if value is None else self.encode(value, time) for value, time in rows]
        bare = TimestampedCodec.encode_column(self, values, timestamps)
        return [None if data is None else b"\0" + data for data in bare]

    def decode(self, data: bytes) -> Any:
        if data[0] == NONE and not self.part.reads_headers:
            return self.part.from_bytes(data[9:]), int.from_bytes(data[1:9], "big", signed=True)
        headers, start = split_headers(data)
        value = self.part.from_bytes_with(headers or Headers(), data[start + 8 :])
        time = int.from_bytes(data[start : start + 8], "big", signed=True)
        if headers is None:
            return value, time
        cell = HeadedCell((value, time))
        cell.headers = headers
        return cell

    def time_in(self, data: bytes) -> int | None:
        # Headers may be damaged.
        return None

    def headers_of(self, cell: Any) -> Headers:
        return cell.headers if type(cell) is HeadedCell else Headers()

    def decode_column(self, data: Sequence[bytes | None]) -> list[Any]:
        if self.part.reads_headers or any(d is not None and d[0] != NONE for d in data):
            return [None if d is None else self.decode(d) for d in data]
        return TimestampedCodec.decode_column(self, [None if d is None else d[1:] for d in data])

    def show(self, cell: Any) -> Any:
        if cell is None:
            return None
        # A copy, because the cell may stay in the cache and headers can be changed.
        headers = cell.headers.copy() if type(cell) is HeadedCell else None
        return ValueTimestampHeaders(cell[0], cell[1], headers)

    def take(self, shown: Any) -> tuple[Any, int]:
        if shown is None:
            return None, 0
        if not isinstance(shown, ValueTimestampHeaders):
            raise ClassCastException(
                f"a store with headers takes ValueTimestampHeaders, not {type(shown).__name__}",
                hint="Write ValueTimestampHeaders.make(value, timestamp, headers).",
            )
        value = shown.value()
        return None if value is None else Headed(value, shown.headers()), shown.timestamp()


class AggregateHeadersCodec(PlainCodec):
    """A cell is the aggregate, ``Headed`` if there are headers."""

    prefix_width = 1
    format = DslStoreFormat.HEADERS
    log = staticmethod(log_aggregate_with_headers)

    def encode(self, value: Any, timestamp: int) -> bytes | None:
        headers, data = written(self.part, value)
        return None if data is None else headers_prefix(headers) + data

    def encode_column(self, values: Sequence[Any], timestamps: Sequence[int]) -> list[bytes | None]:
        return [None if value is None else self.encode(value, 0) for value in values]

    def decode(self, data: bytes) -> Any:
        headers, start = split_headers(data)
        aggregate = self.part.from_bytes_with(headers or Headers(), data[start:])
        return aggregate if headers is None else Headed(aggregate, headers)

    def decode_column(self, data: Sequence[bytes | None]) -> list[Any]:
        return [None if d is None else self.decode(d) for d in data]

    def headers_of(self, cell: Any) -> Headers:
        own = cell.headers if type(cell) is Headed else None
        return Headers() if own is None else own

    def value(self, cell: Any) -> Any:
        return bare(cell)

    def passed_on(self, cell: Any, record: RecordContext) -> RecordContext:
        # As in Kafka, an aggregate goes on with its own headers, other values with the record's.
        headers = cell.headers.copy() if type(cell) is Headed and cell.headers else None
        return record.moved(record.timestamp(), headers)

    def show(self, cell: Any) -> Any:
        if cell is None:
            return None
        headers = cell.headers.copy() if type(cell) is Headed and cell.headers else None
        return AggregationWithHeaders(bare(cell), headers)

    def take(self, shown: Any) -> tuple[Any, int]:
        if shown is None:
            return None, 0
        if not isinstance(shown, AggregationWithHeaders):
            raise ClassCastException(
                f"a session store with headers takes AggregationWithHeaders, "
                f"not {type(shown).__name__}",
                hint="Write AggregationWithHeaders.make(aggregation, headers).",
            )
        aggregate = shown.aggregation()
        return None if aggregate is None else Headed(aggregate, shown.headers()), 0


def bare(cell: Any) -> Any:
    """Return a cell's aggregate."""
    return cell.value if type(cell) is Headed else cell


def written(part: BoundSerde[Any], value: Any) -> tuple[Headers | None, bytes | None]:
    """Return headers and bytes of a value; its serializer may add to the headers."""
    headers = None
    if type(value) is Headed:
        value, headers = value.value, value.headers
    if value is None:
        return None, None
    if headers is None and part.writes_headers:
        headers = Headers()
    return headers, part.to_bytes_with(headers, value)
