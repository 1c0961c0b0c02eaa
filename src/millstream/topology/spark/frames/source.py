"""Data source ``millstream``: a store of a savepoint as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    Filter,
    InputPartition,
)
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from millstream.core.errors import IllegalArgumentException
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.spark.frames.store_rows import Choice, StoreTable, table_of

NAME = "millstream"
_OPTIONS = ("path", "store", "keyserde", "valueserde", "keytype", "valuetype")
_RUNNING = ("checkpoint", "application")


class StoreSource(DataSource):
    """Spark's entry to the stores of a savepoint."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return NAME

    def schema(self) -> str:
        """Return the columns of the store."""
        return self._opened()[1].ddl

    def reader(self, schema: StructType) -> DataSourceReader:
        """Return the reader of the store."""
        savepoint, table = self._opened()
        return StoreReader(str(savepoint.root), table, schema)

    def _opened(self) -> tuple[Savepoint, StoreTable]:
        given = {name.lower(): text for name, text in self.options.items()}
        if running := [name for name in _RUNNING if name in given]:
            raise IllegalArgumentException(
                f'the format "{NAME}" cannot read a {running[0]}',
                detail="Spark runs a Python data source apart from the session, and a checkpoint "
                "is read by Spark itself.",
                hint="Use millstream.frames.readStore(spark, store, "
                f"{running[0]}=...), which returns the same DataFrame.",
            )
        if unknown := sorted(given.keys() - set(_OPTIONS)):
            raise IllegalArgumentException(
                f'the format "{NAME}" has no option {unknown[0]}',
                detail="It has: path, store, keySerde, valueSerde, keyType, valueType.",
            )
        if not given.get("path", "").strip():
            raise IllegalArgumentException(
                f'the format "{NAME}" needs the directory of a savepoint',
                hint='Give it: .option("path", "savepoints/orders") or .load("savepoints/orders").',
            )
        savepoint = Savepoint(given["path"])
        choice = Choice(
            key_serde=given.get("keyserde", ""),
            value_serde=given.get("valueserde", ""),
            key_type=given.get("keytype", ""),
            value_type=given.get("valuetype", ""),
        )
        where = f'savepoint "{savepoint.root}"'
        return savepoint, table_of(savepoint.manifest, given.get("store", ""), choice, where)


@dataclass(frozen=True, slots=True)
class StorePartition(InputPartition):
    """One partition of the store, which one task of Spark reads."""

    number: int


class StoreReader(DataSourceReader):
    """Reads a store, partition by partition.

    Args:
        root: Directory of the savepoint.
        table: The store.
        schema: The columns that Spark asks for.
    """

    def __init__(self, root: str, table: StoreTable, schema: StructType) -> None:
        self._root = root
        self._table = table
        self._schema: pa.Schema = to_arrow_schema(schema, timezone="UTC")
        self._key: bytes | None = None
        self._partitions: set[Any] | None = None
        if surplus := set(self._schema.names) - {name for name, _ in table.columns}:
            raise IllegalArgumentException(
                f'store "{table.store}" has no column {min(surplus)}',
                detail=f"It has: {', '.join(name for name, _ in table.columns)}.",
            )

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        """Take up a key and partitions; Spark applies all filters once more."""
        for each in filters:
            if isinstance(each, EqualTo) and each.attribute == ("key",):
                self._key = self._table.key_bytes(each.value)
            if isinstance(each, EqualTo) and each.attribute == ("partition",):
                self._partitions = {each.value}
        return filters

    def partitions(self) -> Sequence[InputPartition]:
        """Return the partitions that have entries."""
        stores = Savepoint(self._root).manifest.stores
        found = {number for part in self._table.parts for number in stores[part].partitions}
        wanted = sorted(n for n in found if self._partitions is None or n in self._partitions)
        return [StorePartition(number) for number in wanted]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the entries of a partition."""
        # Spark asks for one part without a number where the store has no entries.
        if not isinstance(partition, StorePartition):
            return
        savepoint, number = Savepoint(self._root), partition.number
        rows = (
            row
            for part in self._table.parts
            if number in savepoint.manifest.stores[part].partitions
            for row in savepoint.entries(part, number)
        )
        yield from self._table.batches(number, rows, self._schema, self._key)
