"""What tests of serdes with a schema registry share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from millstream import MockSchemaRegistry, MockSchemaRegistryClient, Serde, avro_record_class

URL = "schema.registry.url"


@dataclass
class Order:
    id: str
    amount: int
    note: str = ""


ORDER = {
    "type": "record",
    "name": "Order",
    "namespace": "shop",
    "fields": [{"name": "id", "type": "string"}, {"name": "amount", "type": "long"}],
}
NEWER_ORDER = {
    **ORDER,
    "fields": [*ORDER["fields"], {"name": "note", "type": "string", "default": "none"}],
}
OldOrder = avro_record_class(ORDER)
NewOrder = avro_record_class(NEWER_ORDER)


class Mock:
    """A registry in memory, and serdes that use it."""

    def __init__(self, scope: str) -> None:
        self.url = f"mock://{scope}"
        self.scope = scope

    @property
    def client(self) -> MockSchemaRegistryClient:
        return MockSchemaRegistry.getClientForScope(self.scope)

    def of(self, serde: Any, *, key: bool = False, **entries: Any) -> Any:
        return configured(serde, self.url, key=key, **entries)


def configured(serde: Any, url: str, *, key: bool = False, **entries: Any) -> Any:
    """Configure a serde; entries are written with underscores for dots."""
    named = {name.replace("_", "."): value for name, value in entries.items()}
    serde.configure({URL: url, **named}, key)
    return serde


def round_trip(serde: Serde[Any], topic: str, value: Any) -> Any:
    data = serde.serializer().serialize(topic, value)
    return serde.deserializer().deserialize(topic, data)
