"""Records of classes whose types are defined elsewhere in the schema, with a schema registry."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import SpecificAvroSerde, avro_record_class

COLOUR = {"type": "enum", "name": "paint.Colour", "symbols": ["RED", "BLUE"]}
LINE = {
    "type": "record",
    "name": "shop.parts.Line",
    "fields": [{"name": "n", "type": "int"}, {"name": "next", "type": ["null", "shop.parts.Line"]}],
}
ORDER = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [
        {"name": "lines", "type": {"type": "array", "items": "shop.parts.Line"}},
        {"name": "named", "type": {"type": "map", "values": "shop.parts.Line"}},
        {"name": "colour", "type": ["null", "paint.Colour"]},
        {"name": "inside", "type": {"type": "record", "name": "Inside", "fields": [
            {"name": "line", "type": "shop.parts.Line"}]}},
        {"name": "again", "type": "Inside"},
    ],
}  # fmt: skip
ALL = [COLOUR, LINE, ORDER]


@pytest.mark.parametrize("name", ["Order", "Inside", "Line"])
def test_a_record_with_types_of_another_schema_is_written_and_read(name: str) -> None:
    line = avro_record_class(ALL, "Line")(n=1, next=avro_record_class(ALL, "Line")(2, None))
    inside = avro_record_class(ALL, "Inside")(line=line)
    order = avro_record_class(ALL, "Order")(
        lines=[line], named={"a": line}, colour="BLUE", inside=inside, again=inside
    )
    value = {"Order": order, "Inside": inside, "Line": line}[name]
    serde: SpecificAvroSerde[Any] = SpecificAvroSerde()
    serde.configure({"schema.registry.url": f"mock://other-schemas-{name}"}, False)
    data = serde.serializer().serialize("topic", value)
    assert serde.deserializer().deserialize("topic", data) == value
