"""Records that leave a topology, as rows of a DataFrame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from millstream.core.errors import StreamsException
from millstream.core.headers import Headers
from millstream.core.serdes.base import deserialize_column, deserializer_call, needs_headers
from millstream.core.serdes.checks import deserializer_of
from millstream.topology.spark.arrow_headers import headers_list
from millstream.topology.spark.failures import reported
from millstream.topology.spark.frames.columns import (
    MOMENT,
    arrow_column,
    inner_of_windowed,
    reason_of,
    times_column,
    type_of,
)
from millstream.topology.spark.wire import decode_chunk, to_list
from millstream.topology.spark.worker.pack import Mapper

HEADERS = "array<struct<key: string, value: binary>>"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputColumns:
    """What the columns of an output are."""

    topic: str
    key_serde: Any
    value_serde: Any
    key_type: str = ""
    value_type: str = ""

    @property
    def ddl(self) -> str:
        """The schema as Spark reads it."""
        key = self.key_type or type_of(self.key_serde)
        value = self.value_type or type_of(self.value_serde)
        return f"key {key}, value {value}, timestamp {MOMENT}, headers {HEADERS}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpacking:
    """How chunks become rows of a DataFrame."""

    columns: OutputColumns
    schema: pa.Schema = field(repr=False)

    def mapper(self) -> Mapper:
        """Return the function that Spark maps over the chunks that leave the last stage."""

        def unpack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for blob in batch.column(0).to_pylist():
                    with reported():
                        rows = self.rows(blob)
                    yield rows

        return unpack

    def rows(self, blob: bytes) -> pa.RecordBatch:
        """Return the records of a chunk.

        Raises:
            StreamsException: A record cannot be deserialized, or does not fit its column.
        """
        given = decode_chunk(blob)
        headers = given.get("headers")
        parsed = headers_list(headers)
        kind = self.schema.field("headers").type
        count = len(given["keys"])
        arrays = [
            self._objects("key", self.columns.key_serde, given["keys"], parsed),
            self._objects("value", self.columns.value_serde, given["values"], parsed),
            times_column(to_list(given["timestamps"])),
            pa.nulls(count, kind) if headers is None else headers.cast(kind),
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _objects(
        self, role: str, serde: Any, column: pa.Array, headers: Sequence[Headers | None] | None
    ) -> pa.Array:
        what = f'a {role} of output "{self.columns.topic}"'
        kind = self.schema.field(role).type
        deserializer = deserializer_of(serde, f"that of {what}")
        values = to_list(column)
        try:
            if needs_headers(deserializer):
                call = deserializer_call(deserializer)
                each = headers or [None] * len(values)
                pairs = zip(each, values, strict=True)
                found = [None if v is None else call(self.columns.topic, h, v) for h, v in pairs]
            else:
                found = deserialize_column(deserializer, self.columns.topic, values)
        except Exception as error:
            raise StreamsException(
                f"{what} cannot be deserialized",
                detail=f"{reason_of(error)}.",
                hint="Give the serdes of the records: produced=Produced.with_(...).",
            ) from error
        if inner_of_windowed(serde) is not None and pa.types.is_struct(kind):
            return windowed_column(found, kind, what)
        return arrow_column(found, kind, what)


def windowed_column(values: Sequence[Any], kind: pa.StructType, what: str) -> pa.Array:
    """Return windowed keys as structs of key, start and end."""
    windows = [None if each is None else each.window() for each in values]
    parts = {
        "key": [None if each is None else each.key() for each in values],
        "start": [None if each is None else each.start() for each in windows],
        "end": [None if each is None else each.end() for each in windows],
    }
    arrays = [
        arrow_column(parts[field.name], field.type, what)
        if field.name == "key"
        else times_column(parts[field.name]).cast(field.type)
        for field in kind
    ]
    missing = pa.array([each is None for each in values])
    return pa.StructArray.from_arrays(arrays, fields=list(kind), mask=missing)
