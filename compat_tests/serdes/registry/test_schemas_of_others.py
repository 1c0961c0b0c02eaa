"""Avro schemas that refer to others in the registry, such as a union of a topic's event types."""

from __future__ import annotations

import json
from typing import Any

import pytest
from confluent_kafka.schema_registry import Schema, SchemaReference

from millstream import (
    GenericAvroSerde,
    MockSchemaRegistry,
    SerializationException,
    SpecificAvroSerde,
    avro_record_class,
)

CENT: dict[str, Any] = {
    "type": "record",
    "name": "shop.Cent",
    "fields": [{"name": "v", "type": "long"}],
}
ORDER: dict[str, Any] = {
    "type": "record",
    "name": "shop.Order",
    "fields": [{"name": "price", "type": CENT}, {"name": "tip", "type": "shop.Cent"}],
}
PAYMENT: dict[str, Any] = {
    "type": "record",
    "name": "shop.Payment",
    "fields": [{"name": "sum", "type": CENT}],
}
Order, Payment = avro_record_class(ORDER), avro_record_class(PAYMENT)
Cent = avro_record_class(ORDER, "shop.Cent")
PaidCent = avro_record_class(PAYMENT, "shop.Cent")
VALUES = [Order(Cent(1), Cent(2)), Payment(PaidCent(3))]


def with_cents(schema: dict[str, Any]) -> str:
    """Return a schema that refers to the one of cents."""
    fields = [{**each, "type": "shop.Cent"} for each in schema["fields"]]
    return json.dumps({**schema, "fields": fields})


@pytest.fixture
def scope(request: pytest.FixtureRequest) -> str:
    """Return a registry in which a topic's values are a union of two records with references."""
    name = f"others-{request.node.name}"
    client = MockSchemaRegistry.getClientForScope(name)
    client.register_schema("cent", Schema(json.dumps(CENT), "AVRO"))
    cent = [SchemaReference("shop.Cent", "cent", 1)]
    events = []
    for schema in (ORDER, PAYMENT):
        client.register_schema(schema["name"], Schema(with_cents(schema), "AVRO", cent))
        events.append(SchemaReference(schema["name"], schema["name"], 1))
    names = json.dumps([ORDER["name"], PAYMENT["name"]])
    client.register_schema("events-value", Schema(names, "AVRO", events))
    return f"mock://{name}"


def latest(scope: str) -> dict[str, Any]:
    return {
        "schema.registry.url": scope,
        "auto.register.schemas": False,
        "use.latest.version": True,
    }


@pytest.mark.parametrize("value", VALUES)
def test_the_newest_schema_may_refer_to_others(scope: str, value: Any) -> None:
    serde: Any = SpecificAvroSerde(type(value))
    serde.configure(latest(scope), False)
    data = serde.serializer().serialize("events", value)
    assert serde.deserializer().deserialize("events", data) == value


def test_records_of_a_union_become_objects_of_their_classes(scope: str) -> None:
    serde: Any = SpecificAvroSerde()
    serde.configure(latest(scope), False)
    data = [serde.serializer().serialize("events", each) for each in VALUES]
    found = [serde.deserializer().deserialize("events", each) for each in data]
    assert found == VALUES
    assert [serde.serializer().serialize("events", each) for each in found] == data
    assert serde.deserializer().deserialize_column("events", [*data, None]) == [*VALUES, None]


def test_generic_records_of_a_union_know_their_own_schema(scope: str) -> None:
    serde: Any = GenericAvroSerde()
    serde.configure(latest(scope), False)
    alike = {**PAYMENT, "name": "shop.Refund"}
    union = [PAYMENT, {**alike, "fields": [{"name": "sum", "type": "shop.Cent"}]}]
    written: Any = GenericAvroSerde(union)
    written.configure({"schema.registry.url": scope}, False)
    for name in ("shop.Payment", "shop.Refund"):
        data = written.serializer().serialize("more", (name, {"sum": {"v": 1}}))
        found = written.deserializer().deserialize("more", data)
        assert (found.getSchema().name, found) == (name, {"sum": {"v": 1}})
        # A union of two records with the same fields: by its name it is written as the same one.
        assert written.serializer().serialize("more", found) == data
        (again,) = serde.deserializer().deserialize_column("more", [data])
        assert again.getSchema().name == name
    alone: Any = GenericAvroSerde()
    alone.configure({"schema.registry.url": scope}, False)
    data = alone.serializer().serialize("payments", found)
    assert alone.deserializer().deserialize("payments", data) == found


def test_a_newest_schema_that_cannot_read_a_value_is_told(scope: str) -> None:
    Refund = avro_record_class({**PAYMENT, "name": "shop.Refund"})
    serde: Any = SpecificAvroSerde(Refund)
    serde.configure(latest(scope), False)
    with pytest.raises(SerializationException, match="Incompatible schema"):
        serde.serializer().serialize("events", Refund(PaidCent(1)))


def test_a_mock_registry_compares_schemas_that_refer_to_others(scope: str) -> None:
    client = MockSchemaRegistry.getClientForScope(scope.removeprefix("mock://"))
    cent = [SchemaReference("shop.Cent", "cent", 1)]
    note = {"name": "note", "type": "string"}
    for more, fits in (({"default": ""}, True), ({}, False)):
        fields = [*json.loads(with_cents(PAYMENT))["fields"], {**note, **more}]
        text = json.dumps({**PAYMENT, "fields": fields})
        assert client.test_compatibility("shop.Payment", Schema(text, "AVRO", cent)) is fits
