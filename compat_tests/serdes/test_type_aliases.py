"""Names that ``type X = ...`` of Python 3.12 gives to types, in the fields of records."""

import sys
from dataclasses import make_dataclass
from typing import Any, cast

import pytest
from typing_extensions import TypeAliasType, TypeVar

from millstream import AvroSerde, IllegalArgumentException, JsonSerde

T = TypeVar("T")
Count: Any = TypeAliasType("Count", int | None)
Several: Any = TypeAliasType("Several", list[T], type_params=(cast(Any, T),))


def test_named_types_are_what_they_name_in_avro() -> None:
    kind: Any = make_dataclass("Row", [("count", Count), ("several", Several[str])])
    serde = AvroSerde.of(kind)
    for row in (kind(None, ["a"]), kind(7, [])):
        data = serde.serializer().serialize("t", row)
        assert serde.deserializer().deserialize("t", data) == row


@pytest.mark.skipif(sys.version_info < (3, 12), reason="needs the statement `type`")
@pytest.mark.parametrize("serde", [AvroSerde, JsonSerde])
def test_a_type_that_refers_to_itself_is_refused(serde: Any) -> None:
    names: dict[str, Any] = {}
    exec("type Json = dict[str, Json] | int", names)  # noqa: S102 - our own
    kind = make_dataclass("Row", [("content", names["Json"])])
    with pytest.raises(IllegalArgumentException, match="Row has a type that refers to itself"):
        serde.of(kind)
