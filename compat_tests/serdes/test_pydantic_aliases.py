"""Models of pydantic whose fields have other names in JSON."""

from __future__ import annotations

from typing import Any

import pydantic
import pytest
from pydantic.alias_generators import to_camel

from millstream import AvroSerde, JsonSerde
from millstream.serdes.registry.json_values import decoder


class Part(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(alias_generator=to_camel)
    item_count: int


class Whole(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(alias_generator=to_camel)
    first_part: Part
    more_parts: list[Part] = []


class Told(Whole):
    model_config = pydantic.ConfigDict(serialize_by_alias=True)


PARTS: dict[str, Any] = {"firstPart": {"itemCount": 1}, "moreParts": [{"itemCount": 2}]}


@pytest.mark.parametrize("make", [JsonSerde.of, AvroSerde.of])
@pytest.mark.parametrize("kind", [Whole, Told])
def test_a_model_is_read_as_it_was_written(make: Any, kind: Any) -> None:
    serde, model = make(kind), kind.model_validate(PARTS)
    data = serde.serializer().serialize("t", model)
    assert serde.deserializer().deserialize("t", data) == model


def test_json_of_others_is_read_by_the_aliases() -> None:
    data = b'{"firstPart":{"itemCount":1},"moreParts":[{"itemCount":2}]}'
    assert JsonSerde.of(Whole).deserializer().deserialize("t", data) == Whole(**PARTS)
    for text in (data, Whole(**PARTS).model_dump_json().encode()):
        assert decoder(Whole, refuse_unknown=True)(text) == Whole(**PARTS)
