"""The serde of JSON."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_tests.core.test_serdes import UUID_1_2, write
from millstream.core.errors import (
    ClassCastException,
    SerializationException,
)
from millstream.core.serdes import (
    JsonSerde,
)
from millstream.core.serdes.json_encoding import check_names

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("ab"), inner),
    max_leaves=5,
)


@given(st.lists(JSON, max_size=4))
def test_json_round_trips(values: Any) -> None:
    serde = JsonSerde()
    column = serde.serializer().serialize_column("t", values)
    assert column == [write(serde, value) for value in values]
    assert serde.deserializer().deserialize_column("t", column) == values


class Word(str):
    __slots__ = ()


class Number(int):
    pass


_ODD = (
    st.integers(-(2**70), 2**70)
    | st.floats()
    | st.floats(1e-6, 1e-3)
    | st.floats(1e15, 1e17)
    | st.text()
    | st.sampled_from([0.0, -0.0, 1e-4, 1e16, Word("w"), Number(3), date(2024, 1, 2), b"x", {1}])
)
_KEYS = st.text() | st.integers(0, 2) | st.none() | st.sampled_from([Word("w"), True, 0.5])
_ANYTHING = st.recursive(
    JSON | _ODD,
    lambda inner: (
        st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(_KEYS, inner, max_size=4)
    ),
    max_leaves=8,
)


@given(_ANYTHING, st.booleans())
def test_bytes_are_those_of_pythons_own_encoder(value: Any, is_sorted: bool) -> None:
    serializer = JsonSerde(sort_keys=is_sorted).serializer()
    try:
        text = json.dumps(
            value,
            separators=(",", ":"),
            ensure_ascii=False,
            allow_nan=False,
            sort_keys=is_sorted,
        )
        check_names(value)
        expected = text.encode()
    except (TypeError, ValueError):
        with pytest.raises((ClassCastException, SerializationException)):
            serializer.serialize("t", value)
        return
    if value is not None:
        assert serializer.serialize("t", value) == expected
        assert serializer.serialize_column("t", [value, None]) == [expected, None]


def test_every_character_is_written_as_python_writes_it() -> None:
    everything = "".join(
        chr(each) for each in range(sys.maxunicode + 1) if not 0xD800 <= each < 0xE000
    )
    expected = json.dumps({"all": everything}, separators=(",", ":"), ensure_ascii=False)
    assert write(JsonSerde(), {"all": everything}) == expected.encode()


def test_json_is_compact_and_takes_conversions() -> None:
    assert write(JsonSerde(), {"b": [1, None], "a": "é"}) == '{"b":[1,null],"a":"é"}'.encode()
    serde = JsonSerde(default=str, convert=lambda fields: fields["n"])
    assert write(serde, {"n": UUID_1_2}) == b'{"n":"00000000-0000-0001-0000-000000000002"}'
    assert serde.deserializer().deserialize_column("t", [b'{"n":7}', None]) == [7, None]


@pytest.mark.parametrize("data", [b"{", b"1 2", b"", b"\xff", b"[" * 100_000])
def test_what_is_not_json_is_refused(data: Any) -> None:
    for call in (
        lambda: JsonSerde().deserializer().deserialize("t", data),
        lambda: JsonSerde().deserializer().deserialize_column("t", [b" 1 ", data]),
    ):
        with pytest.raises(SerializationException, match="not JSON"):
            call()


def test_where_an_object_is_that_json_has_not() -> None:
    value = {"items": [{"price": 1}, {"price": {2}}]}
    with pytest.raises(ClassCastException) as raised:
        write(JsonSerde(), value)
    assert "(at items[1].price); the topic is" in str(raised.value)
    with pytest.raises(ClassCastException) as raised:
        write(JsonSerde(), {"keys": {(1, 2): 3}})
    assert "(at keys)" in str(raised.value)


@pytest.mark.parametrize("serde", [JsonSerde(), JsonSerde.of(dict)])
def test_bytes_of_a_schema_registry_are_recognized(serde: Any) -> None:
    with pytest.raises(SerializationException, match="those of a schema registry"):
        serde.deserializer().deserialize("t", b"\0\0\0\0\1{}")
    with pytest.raises(SerializationException) as raised:
        serde.deserializer().deserialize("t", b"\0{}")
    assert "registry" not in str(raised.value)


def test_json_that_cannot_be_written_is_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    for value in (circle, math.nan):
        with pytest.raises(SerializationException):
            write(JsonSerde(), value)


class Opaque:
    def __repr__(self) -> str:
        return "Opaque()"  # without an address: workers of pytest-xdist compare the names of tests


@pytest.mark.parametrize(
    ("serde", "value", "keys"),
    [
        (JsonSerde(), {1: "a", "1": "b"}, "1 and '1'"),
        (JsonSerde(), {"in": [{"x": 0}, {None: 1, "null": 2}]}, "None and 'null'"),
        (JsonSerde(), {True: 1, "true": 2}, "True and 'true'"),
        (JsonSerde(default=lambda _: {1.5: 1, "1.5": 2}), Opaque(), "1.5 and '1.5'"),
        (JsonSerde.of(dict), {1: "a", "1": "b"}, "1 and '1'"),
        (
            JsonSerde.of(dict),
            {date(2024, 1, 2): 1, "2024-01-02": 2},
            "datetime.date(2024, 1, 2) and '2024-01-02'",
        ),
    ],
    ids=str,
)
def test_two_keys_of_one_name_are_refused(serde: Any, value: Any, keys: str) -> None:
    with pytest.raises(SerializationException, match="cannot serialize") as caught:
        write(serde, value)
    assert f"the keys {keys} of a dict are both written as" in caught.value.detail
    with pytest.raises(SerializationException, match="cannot serialize"):
        serde.serializer().serialize_column("t", [value])


def test_keys_that_are_no_text_become_text() -> None:
    assert (
        write(JsonSerde(), {1: "{", None: {2: [], "b": ()}}) == b'{"1":"{","null":{"2":[],"b":[]}}'
    )
    assert write(JsonSerde.of(dict), {1: "a", "2": "b"}) == b'{"1":"a","2":"b"}'


@dataclass
class Order:
    id: int


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (Order, "Write JsonSerde.of(Order)"),
        (list[int], "Write JsonSerde.of(list"),
        ("Order", "Give a function."),
    ],
)
def test_a_class_in_the_place_of_the_default_function_is_refused(wrong: Any, hint: str) -> None:
    with pytest.raises(ClassCastException, match="default cannot be") as caught:
        JsonSerde(wrong)
    assert hint in caught.value.hint


def test_a_builtin_class_is_a_default_function() -> None:
    assert write(JsonSerde(str), UUID_1_2) == f'"{UUID_1_2}"'.encode()


def test_an_enum_whose_values_json_cannot_have_is_named_as_the_cause() -> None:
    class Card(Enum):
        ATM = ("atm", 5)

    with pytest.raises(ValueError, match="no JSON for the values of an enum") as error:
        JsonSerde.of(list[Card])
    assert "Card" in str(error.value)
