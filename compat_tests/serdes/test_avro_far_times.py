"""Times of Avro that Python has no object for, such as the largest long for "never"."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import (
    AvroSerde,
    ClassCastException,
    GenericAvroSerde,
    Instant,
    SerializationException,
)

YEAR_10000 = 253_402_300_800_000


def schema(kind: str, logical: str | None) -> dict[str, Any]:
    plain: Any = kind if logical is None else {"type": kind, "logicalType": logical}
    return {"type": "record", "name": "Lease", "fields": [{"name": "ends", "type": plain}]}


@pytest.mark.parametrize(
    ("kind", "logical", "number"),
    [
        ("long", "timestamp-millis", YEAR_10000),
        ("long", "timestamp-millis", 2**63 - 1),
        ("long", "timestamp-micros", -(2**62)),
        ("long", "local-timestamp-millis", -YEAR_10000),
        ("long", "local-timestamp-micros", YEAR_10000 * 1000),
        ("int", "date", 2**31 - 1),
        ("int", "date", -800_000),
    ],
)
def test_a_time_beyond_pythons_is_told_and_can_be_read_as_a_number(
    kind: str, logical: str, number: int
) -> None:
    data = AvroSerde(schema(kind, logical)).serializer().serialize("t", {"ends": number})
    with pytest.raises(SerializationException, match="years 1 to 9999") as caught:
        AvroSerde(schema(kind, logical)).deserializer().deserialize("t", data)
    assert f"{number} is a {logical}" in str(caught.value)
    plain = AvroSerde(schema(kind, None)).deserializer()
    assert plain.deserialize("t", data) == {"ends": number}


@pytest.mark.parametrize(
    ("logical", "number"), [("timestamp-millis", 10**15), ("timestamp-micros", 10**18)]
)
def test_an_instant_beyond_pythons_years_is_written_as_its_own_time(
    logical: str, number: int
) -> None:
    value = {"ends": Instant.ofEpochMilli(10**15)}
    data = AvroSerde(schema("long", logical)).serializer().serialize("t", value)
    plain = AvroSerde(schema("long", None)).deserializer()
    assert plain.deserialize("t", data) == {"ends": number}


def test_an_instant_that_the_bits_do_not_hold_is_refused() -> None:
    value = {"ends": Instant.MAX}
    with pytest.raises(ClassCastException, match="64 bits|timestamp-micros"):
        AvroSerde(schema("long", "timestamp-micros")).serializer().serialize("t", value)


def test_a_serde_with_a_registry_reads_the_number_where_its_schema_has_no_logical_type() -> None:
    stamped: Any = GenericAvroSerde(schema("long", "timestamp-millis"))
    plain: Any = GenericAvroSerde(schema("long", None))
    for serde in (stamped, plain):
        serde.configure({"schema.registry.url": "mock://far-times"}, False)
    data = stamped.serializer().serialize("t", {"ends": YEAR_10000})
    with pytest.raises(SerializationException, match="years 1 to 9999"):
        stamped.deserializer().deserialize("t", data)
    assert plain.deserializer().deserialize("t", data)["ends"] == YEAR_10000
