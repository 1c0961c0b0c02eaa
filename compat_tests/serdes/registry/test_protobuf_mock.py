"""Protobuf with a registry in memory."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.serdes.proto_classes import required_class
from millstream import KafkaProtobufSerde, SerializationException


@pytest.mark.parametrize("is_named", [True, False])
def test_a_message_without_a_required_field_is_refused_when_it_is_read(is_named: bool) -> None:
    must = required_class()
    writes: Any = KafkaProtobufSerde(must)
    reads: Any = KafkaProtobufSerde(must if is_named else None)
    for serde in (writes, reads):
        serde.configure({"schema.registry.url": "mock://protobuf"}, False)
    data = writes.serializer().serialize("t", must(id=7))
    assert reads.deserializer().deserialize("t", data).id == 7
    with pytest.raises(SerializationException, match="Required fields are missing: id"):
        reads.deserializer().deserialize("t", data[:6])
