"""Many records of one schema of a registry are read together, and are those of single reads."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.serdes.registry.support import Mock, NewOrder, Order
from millstream import GenericAvroSerde, GenericRecord, SpecificAvroSerde
from millstream.serdes.avro.column_decoder import FEWEST, ColumnDecoder


def rows() -> list[Any]:
    return [None if n % 50 == 7 else Order(f"k{n}", n - 9, "é" * (n % 3)) for n in range(FEWEST)]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each call of the decoder of many records gave objects."""
    seen: list[bool] = []
    decoded = ColumnDecoder.decoded

    def noted(self: ColumnDecoder, values: Any, start: int = 0) -> Any:
        found = decoded(self, values, start)
        seen.append(found is not None)
        return found

    monkeypatch.setattr(ColumnDecoder, "decoded", noted)
    return seen


@pytest.mark.parametrize("generic", [True, False])
def test_records_are_read_together(mock: Mock, calls: list[bool], generic: bool) -> None:
    serde: Any = mock.of(GenericAvroSerde() if generic else SpecificAvroSerde(Order))
    data = mock.of(SpecificAvroSerde(Order)).serializer().serialize_column("orders", rows())
    half = serde.deserializer()
    expected = [half.deserialize("orders", each) for each in data]
    assert half.deserialize_column("orders", data) == expected
    assert calls == [True]
    assert type(expected[0]) is (GenericRecord if generic else Order)


def test_records_of_two_schemas_and_bad_ones_are_read_one_by_one(
    mock: Mock, calls: list[bool]
) -> None:
    writer = mock.of(SpecificAvroSerde(Order)).serializer()
    data = writer.serialize_column("orders", rows())
    half = mock.of(GenericAvroSerde()).deserializer()
    assert half.deserialize("orders", data[0]) is not None
    bad = [*data, data[0][:-1]]
    with pytest.raises(IndexError):  # the engine asks for each alone then
        half.deserialize_column("orders", bad)
    assert calls == [False]
    newer = mock.of(SpecificAvroSerde(NewOrder)).serializer()
    mixed = [*data, newer.serialize("orders", NewOrder("a", 1, "b"))]
    expected = [half.deserialize("orders", each) for each in mixed]
    assert half.deserialize_column("orders", mixed) == expected
    assert calls == [False]
