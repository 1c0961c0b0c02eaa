"""Generic records: dicts that know their Avro schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millstream.serdes.avro.schema import AvroSchema, avro_schema


class GenericRecord(dict[str, Any]):
    """A record as a dict, with its Avro schema; equal to a plain dict of the same fields.

    ``GenericAvroSerde`` reads such records and writes them with their schema, as Java's.

    Args:
        schema: JSON text, a dict, an ``.avsc`` path, or another record's schema.
        fields: The fields.

    Example:
        >>> record = GenericRecord('''{"type": "record", "name": "Point", "fields": [
        ...     {"name": "x", "type": "int"}]}''', {"x": 3})
        >>> record.put("x", record.get("x") + 1)
        >>> record["x"], record.getSchema().name
        (4, 'Point')

    Source: ``org.apache.avro.generic.GenericRecord``.
    """

    __slots__ = ("schema",)

    def __init__(self, schema: Any, fields: Mapping[str, Any] | None = None) -> None:
        super().__init__(fields or {})
        self.schema: AvroSchema = avro_schema(schema)

    @property
    def record_name(self) -> str:
        """The full name of its record, by which a union knows it."""
        return self.schema.name

    def put(self, key: str, value: Any) -> None:
        """Set a field."""
        self[key] = value

    def hasField(self, key: str) -> bool:
        """Tell whether the schema has a field."""
        root = self.schema.root
        return any(field["name"] == key for field in root.get("fields", ()))

    def getSchema(self) -> AvroSchema:
        """Return the schema."""
        return self.schema

    def copy(self) -> GenericRecord:
        """Return a record with the same schema and fields."""
        return GenericRecord(self.schema, self)

    def __reduce__(self) -> tuple[Any, ...]:
        return GenericRecord, (self.schema, dict(self))
