"""Bytes and objects of Avro equal those of the avro package, Avro's own for Python."""

from __future__ import annotations

import io
import json
import warnings
from typing import Any

import avro.io
import avro.schema
import fastavro
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from compat_tests.effort import LIGHT
from compat_tests.serdes.avro_schemas import schemas, values
from millstream.core.errors import ClassCastException, SerializationException
from millstream.serdes.avro import AvroDeserializer, AvroSerde, AvroSerializer, avro_schema
from millstream.serdes.avro.encoder import encoder
from millstream.serdes.avro.to_datum import to_datum

SLOW = settings(
    max_examples=80 if LIGHT else 150, suppress_health_check=list(HealthCheck), deadline=None
)
with_values = schemas().flatmap(lambda schema: st.tuples(st.just(schema), values(schema)))


def reference(schema: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return avro.schema.parse(json.dumps(schema))


def written_by_avro(schema: Any, value: Any) -> bytes:
    buffer = io.BytesIO()
    avro.io.DatumWriter(reference(schema)).write(value, avro.io.BinaryEncoder(buffer))
    return buffer.getvalue()


def read_by_avro(schema: Any, data: bytes, reader: Any = None) -> Any:
    decoder = avro.io.BinaryDecoder(io.BytesIO(data))
    return avro.io.DatumReader(reference(schema), reference(reader or schema)).read(decoder)


def columns_and_singles(schema: Any, value: Any) -> bytes | None:
    half = AvroSerializer(schema)
    single = half.serialize("t", value)
    assert half.serialize_column("t", [value, None, value]) == [single, None, single]
    return single


@SLOW
@given(with_values)
def test_bytes_and_objects_equal_the_references(drawn: tuple[Any, Any]) -> None:
    schema, value = drawn
    if value is None:
        return
    data = columns_and_singles(schema, value)
    assert data == written_by_avro(schema, value)
    assert data is not None
    half = AvroDeserializer(schema)
    assert half.deserialize("t", data) == value == read_by_avro(schema, data)
    assert half.deserialize_column("t", [data, None, data]) == [value, None, value]


@SLOW
@given(with_values)
def test_the_quick_way_and_the_checked_way_give_the_same_bytes(drawn: tuple[Any, Any]) -> None:
    schema, value = drawn
    datum = to_datum(value, schema)
    data = encoder(avro_schema(schema))(datum)
    buffer = io.BytesIO()
    fastavro.schemaless_writer(buffer, avro_schema(schema).root, datum)
    assert data == buffer.getvalue() == written_by_avro(schema, value)


@SLOW
@given(with_values, st.binary(max_size=3), st.integers(0, 40))
def test_damaged_bytes_give_an_object_or_the_typed_error(
    drawn: tuple[Any, Any], other: bytes, place: int
) -> None:
    schema, value = drawn
    data = AvroSerializer(schema).serialize("t", value) or b""
    damaged = data[:place] + other + data[place + 1 :]
    half = AvroDeserializer(schema)
    try:
        found = half.deserialize("t", damaged)
    except SerializationException:
        return
    again = AvroSerializer(schema).serialize("t", found)
    assert again is None or half.deserialize("t", again) == found


def test_bytes_that_go_on_after_the_datum_are_refused() -> None:
    serde = AvroSerde("long")
    data = serde.serializer().serialize("t", 5)
    assert data is not None
    with pytest.raises(SerializationException, match="1 bytes are left over"):
        serde.deserializer().deserialize("t", data + b"\0")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["f0", "f1", "f2", "a"]), inner, max_size=3)
        | st.tuples(st.sampled_from(["string", "long", "null", "R0", "bytes"]), inner)
    ),
    max_leaves=5,
)


@SLOW
@given(schemas(), anything | schemas(depth=1).flatmap(values))
@example(["null", "boolean"], ("null", None))
@example(["null", "boolean", "string"], ([1], None))
def test_the_quick_way_takes_nothing_that_the_checked_way_refuses(schema: Any, value: Any) -> None:
    try:
        expected: Any = encoder(avro_schema(schema))(to_datum(value, schema))
    except ClassCastException:
        expected = ClassCastException
    try:
        found: Any = AvroSerializer(schema).serialize("t", value)
    except ClassCastException:
        found = ClassCastException
    assert found == (None if value is None else expected)
