"""JSON of types without numbers for NaN: it is refused, and never becomes null."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypedDict

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millstream import JsonSerde, SerializationException


@dataclass
class Floats:
    value: float
    note: Any = None


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_json_has_no_number_for_is_refused_and_not_null(bad: float) -> None:
    half = JsonSerde.of(Floats).serializer()
    for value in (Floats(bad), Floats(1.0, [{"k": bad}])):
        with pytest.raises(SerializationException, match="JSON has no"):
            half.serialize("t", value)
        with pytest.raises(SerializationException, match="JSON has no"):
            half.serialize_column("t", [value])
    assert half.serialize("t", Floats(1.0)) == b'{"value":1.0,"note":null}'


class Omitting(msgspec.Struct, omit_defaults=True):
    value: Any = 0
    note: Any = None
    more: Any = None


@dataclass
class Three:
    value: Any = 0
    note: Any = None
    more: Any = None


class Row(NamedTuple):
    value: Any = 0
    note: Any = None
    more: Any = None


class Fields(TypedDict, total=False):
    value: Any
    note: Any
    more: Any


_PART = st.sampled_from([None, 0, 1.5, math.nan, "null", [None], {"k": None}, {"k": math.inf}])


@pytest.mark.parametrize("kind", [Three, Omitting, Row, Fields, list[Any]])
@given(st.lists(st.dictionaries(st.sampled_from(["value", "note", "more"]), _PART), max_size=4))
def test_no_number_becomes_null_beside_fields_that_are_none(
    kind: Any, rows: list[dict[str, Any]]
) -> None:
    make: Any = {Fields: dict, list[Any]: lambda **row: list(row.values())}.get(kind, kind)
    values = [make(**row) for row in rows]
    half = JsonSerde.of(kind).serializer()
    wrong = any(each in repr(values) for each in ("nan", "inf"))
    for call in (half.serialize_column, lambda _, all: [half.serialize("t", each) for each in all]):
        if wrong:
            with pytest.raises(SerializationException, match="JSON has no"):
                call("t", values)
        else:
            assert len(call("t", values)) == len(values)


class Plain(msgspec.Struct):
    value: Any = 0
    note: Any = None


class Shorter(Plain, omit_defaults=True):
    more: Any = None


def test_nan_of_a_subclass_that_leaves_out_defaults_is_refused() -> None:
    half = JsonSerde.of(Plain).serializer()
    with pytest.raises(SerializationException, match="JSON has no nan"):
        half.serialize("t", Shorter(math.nan, None))


@dataclass
class Unset:
    value: Any
    late: int = field(init=False)


def test_field_that_was_never_set_is_left_out_beside_one_that_is_none() -> None:
    half = JsonSerde.of(Unset).serializer()
    assert half.serialize("t", Unset(None)) == b'{"value":null}'
    assert half.serialize_column("t", [Unset(None)]) == [b'{"value":null}']
    with pytest.raises(SerializationException, match="JSON has no nan"):
        half.serialize("t", Unset(math.nan))


@dataclass
class NeverSet:
    value: float
    cached: Any = field(default=None, init=False)
    """It is the class's own, and not written, as long as no object has set it."""


@pytest.mark.parametrize("value", [NeverSet(math.nan), NeverSet(math.inf)])
def test_nan_beside_a_field_that_was_never_set_is_refused(value: NeverSet) -> None:
    half = JsonSerde.of(NeverSet).serializer()
    with pytest.raises(SerializationException, match="JSON has no"):
        half.serialize("t", value)
    with pytest.raises(SerializationException, match="JSON has no"):
        half.serialize_column("t", [value])
    value.value = 1.0
    assert half.serialize("t", value) == b'{"value":1.0}'
    value.cached = None
    assert half.serialize("t", value) == b'{"value":1.0,"cached":null}'
