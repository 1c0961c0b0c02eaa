"""Packing of a DataFrame's records into rows of chunks, in Spark's workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark import TaskContext

from millstream.core.errors import StreamsException
from millstream.core.headers import Headers
from millstream.core.serdes.base import (
    configure_part,
    needs_headers,
    serialize_column,
    serializer_call,
)
from millstream.topology.spark.arrow_headers import headers_list
from millstream.topology.spark.compile import Layout
from millstream.topology.spark.failures import reported
from millstream.topology.spark.frames.columns import reason_of
from millstream.topology.spark.wire import GLOBAL, RECORDS, TICK, binary_column, encode_chunk
from millstream.topology.spark.worker.murmur import partitions_of
from millstream.topology.spark.worker.pack import PACKED_ARROW, Mapper

_HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """How the rows of one DataFrame become chunks."""

    topic: str
    layout: Layout
    stage: int
    count: int
    """Number of partitions; 0 for the input of a global table."""
    key_serializer: Any
    value_serializer: Any
    configs: Mapping[str, Any] = field(repr=False)

    def mapper(self) -> Mapper:
        """Return the function that Spark maps over the batches of the DataFrame."""

        def pack(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            with reported():
                configure_part(self.key_serializer, self.configs, True)
                configure_part(self.value_serializer, self.configs, False)
            context = TaskContext.get()
            sender = 0 if context is None else context.partitionId()
            number = 0
            for batch in batches:
                if batch.num_rows:
                    with reported():
                        rows = list(self.rows(batch, sender, number))
                    if not number:
                        rows += self.asked()
                    number += batch.num_rows
                    if rows:
                        yield pa.RecordBatch.from_pylist(rows, schema=PACKED_ARROW)

        return pack

    def asked(self) -> list[dict[str, Any]]:
        """Return a row for one task of each stage, so that it runs in every batch that has rows.

        Group key 0 is that of some task for any number of partitions. Its state names the program,
        so another program, or another number, is refused in its first batch, before anything of it
        is committed.
        """
        task = self.layout.keys.index(0)
        rows = []
        for stage in self.layout.stages:
            if task < stage.tasks:
                row = self._row(stage.index, task, TICK, 0, 0, b"")
                rows.append({**row, "topic": None, "blob": None})
        return rows

    def rows(self, batch: pa.RecordBatch, sender: int, number: int) -> Iterator[dict[str, Any]]:
        """Yield the rows of chunks of some records.

        Args:
            batch: The records, as ``records_of`` gives them.
            sender: The partition of Spark that they are from.
            number: How many records of it came before.
        """
        given = dict(zip(batch.schema.names, batch.columns, strict=True))
        headers = given["headers"].cast(_HEADERS)
        if headers.null_count == len(headers):
            headers = None
        parsed = headers_list(headers)
        columns = {
            "keys": self._bytes("key", self.key_serializer, given["key"], parsed),
            "values": self._bytes("value", self.value_serializer, given["value"], parsed),
            "timestamps": given["timestamp"],
        }
        if headers is not None:
            columns["headers"] = headers
        yield from self._routed(columns, sender, number)

    def _routed(
        self, columns: dict[str, pa.Array], sender: int, number: int
    ) -> Iterator[dict[str, Any]]:
        keys = columns["keys"]
        if not self.count:
            present = np.nonzero(keys.is_valid().to_numpy(zero_copy_only=False))[0]
            part = _taken(columns, present)
            part["offsets"] = pa.array(number + present, pa.int64())
            blob = encode_chunk(**part)
            for stage, task in self._readers() if len(present) else ():
                yield self._row(stage, task, GLOBAL, sender, number, blob)
            return
        targets = partitions_of(keys, self.count)
        if keys.null_count:
            missing = keys.is_null().to_numpy(zero_copy_only=False)
            targets = np.where(missing, partitions_of(columns["values"], self.count), targets)
        for target in range(self.count):
            rows = np.nonzero(targets == target)[0]
            if len(rows):
                blob = encode_chunk(**_taken(columns, rows))
                yield self._row(self.stage, target, RECORDS, sender, number, blob)

    def _readers(self) -> list[tuple[int, int]]:
        stages = (stage for stage in self.layout.stages if stage.has_globals)
        return [(stage.index, task) for stage in stages for task in range(stage.tasks)]

    def _row(
        self, stage: int, task: int, kind: int, sender: int, number: int, blob: bytes
    ) -> dict[str, Any]:
        return {
            "key": self.layout.keys[task],
            "stage": stage,
            "kind": kind,
            "topic": self.topic,
            "partition": sender,
            "seq": number,
            "blob": blob,
        }

    def _bytes(
        self, role: str, serializer: Any, column: pa.Array, headers: Sequence[Headers | None] | None
    ) -> pa.Array:
        values = column.to_pylist(maps_as_pydicts="strict")
        try:
            if needs_headers(serializer):
                call = serializer_call(serializer)
                each = headers or [None] * len(values)
                found = [
                    None if value is None else call(self.topic, own, value)
                    for own, value in zip(each, values, strict=True)
                ]
            else:
                found = serialize_column(serializer, self.topic, values)
            return binary_column(found)
        except Exception as error:
            raise StreamsException(
                f'cannot serialize the {role} column of DataFrame "{self.topic}"',
                detail=f"{reason_of(error)}.",
                hint="Cast the column in the DataFrame, or give another serde: "
                "consumed=Consumed.with_(keySerde, valueSerde).",
            ) from error


def _taken(columns: Mapping[str, pa.Array], rows: Any) -> dict[str, pa.Array]:
    if len(rows) == len(columns["keys"]):
        return dict(columns)
    index = pa.array(rows)
    return {name: column.take(index) for name, column in columns.items()}
