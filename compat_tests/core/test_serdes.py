"""Serdes against bytes and errors taken from Kafka 4.3.1's own."""

from __future__ import annotations

import math
import pickle
import struct
import uuid
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    SerializationException,
)
from millstream.core.headers import Header, Headers
from millstream.core.serdes import (
    Deserializer,
    JsonSerde,
    ListSerializer,
    Serdes,
    Serializer,
    StringDeserializer,
    StringSerializer,
    WrapperSerde,
    deserializer_call,
    serializer_call,
)

UUID_1_2 = uuid.UUID(int=(1 << 64) + 2)


UUID_TEXT_HEX = "30303030303030302d303030302d303030312d303030302d303030303030303030303032"


def write(serde: Any, value: Any) -> Any:
    return serde.serializer().serialize("t", value)


def read(serde: Any, hex_text: Any) -> Any:
    return serde.deserializer().deserialize("t", bytes.fromhex(hex_text))


GOLDEN = [
    (Serdes.Integer(), -2, "fffffffe"),
    (Serdes.Long(), -2, "fffffffffffffffe"),
    (Serdes.Short(), -2, "fffe"),
    (Serdes.Double(), 0.1, "3fb999999999999a"),
    (Serdes.Boolean(), True, "01"),
    (Serdes.String(), "aé", "61c3a9"),
    (Serdes.UUID(), UUID_1_2, UUID_TEXT_HEX),
    (Serdes.Bytes(), b"ab", "6162"),
    (Serdes.ByteArray(), b"ab", "6162"),
    (
        Serdes.ListSerde(list, Serdes.Integer()),
        [1, None, 3],
        "000000000100000001000000030000000100000003",
    ),
    (
        Serdes.ListSerde(list, Serdes.String()),
        ["a", None, ""],
        "01000000030000000161ffffffff00000000",
    ),
    (Serdes.ListSerde(list, Serdes.Integer()), [], "000000000000000000"),
    (Serdes.ListSerde(list, Serdes.String()), [], "0100000000"),
    (Serdes.ListSerde(list, Serdes.UUID()), [UUID_1_2], "000000000000000001" + UUID_TEXT_HEX),
    (Serdes.ListSerde(list, Serdes.Boolean()), [True], "01000000010000000101"),
]


@pytest.mark.parametrize(("serde", "value", "hex_text"), GOLDEN)
def test_bytes_are_kafkas(serde: Any, value: Any, hex_text: Any) -> None:
    assert write(serde, value).hex() == hex_text
    assert read(serde, hex_text) == value
    column = serde.serializer().serialize_column("t", [value, None, value])
    assert column == [bytes.fromhex(hex_text), None, bytes.fromhex(hex_text)]
    assert serde.deserializer().deserialize_column("t", column) == [value, None, value]


@pytest.mark.parametrize(
    "make",
    [
        Serdes.String,
        Serdes.Long,
        Serdes.Integer,
        Serdes.Short,
        Serdes.Float,
        Serdes.Double,
        Serdes.Boolean,
        Serdes.Bytes,
        Serdes.ByteArray,
        Serdes.ByteBuffer,
        Serdes.UUID,
        Serdes.Void,
        JsonSerde,
    ],
)
def test_none_is_null_and_serdes_pickle(make: Any) -> None:
    serde = pickle.loads(pickle.dumps(make()))
    assert write(serde, None) is None
    assert serde.deserializer().deserialize("t", None) is None


def test_floats_of_four_bytes_round_and_overflow_as_javas_cast() -> None:
    assert write(Serdes.Float(), 0.1).hex() == "3dcccccd"
    assert write(Serdes.Float(), 1e39).hex() == "7f800000"
    assert write(Serdes.Float(), -1e39).hex() == "ff800000"
    assert math.isnan(read(Serdes.Double(), "7ff8000000000000"))


@pytest.mark.parametrize(
    ("serde", "hex_text", "text"),
    [
        (Serdes.Integer(), "010203", "Size of data received by IntegerDeserializer is not 4"),
        (Serdes.Long(), "", "Size of data received by LongDeserializer is not 8"),
        (Serdes.Short(), "010203", "Size of data received by ShortDeserializer is not 2"),
        (Serdes.Float(), "010203", "Size of data received by Deserializer is not 4"),
        (Serdes.Double(), "010203", "Size of data received by Deserializer is not 8"),
        (Serdes.Boolean(), "010203", "Size of data received by BooleanDeserializer is not 1"),
        (Serdes.Boolean(), "02", "Unexpected byte received by BooleanDeserializer: 2"),
        (Serdes.Boolean(), "ff", "Unexpected byte received by BooleanDeserializer: -1"),
        (Serdes.UUID(), "010203", "Error parsing data into UUID"),
    ],
)
def test_malformed_bytes_are_refused_with_kafkas_text(serde: Any, hex_text: Any, text: Any) -> None:
    with pytest.raises(SerializationException) as caught:
        read(serde, hex_text)
    assert caught.value.problem == text
    with pytest.raises(SerializationException):
        serde.deserializer().deserialize_column("t", [bytes.fromhex(hex_text)])


def test_two_wrong_sizes_do_not_make_up_for_each_other() -> None:
    with pytest.raises(SerializationException):
        Serdes.Long().deserializer().deserialize_column("t", [b"\0" * 4, b"\0" * 12])


def test_void_takes_only_none() -> None:
    with pytest.raises(IllegalArgumentException, match="Data should be null"):
        read(Serdes.Void(), "")
    with pytest.raises(ClassCastException):
        write(Serdes.Void(), 1)


@pytest.mark.parametrize(
    ("hex_text", "text"),
    [
        ("eda080", "\ufffd"),
        ("c0af", "\ufffd" * 2),
        ("f09f", "\ufffd"),
        ("e282", "\ufffd"),
        ("61ff62", "a\ufffdb"),
        ("f0808080", "\ufffd" * 4),
        ("eda080edb080", "\ufffd" * 2),
        ("f4908080", "\ufffd" * 4),
        ("e28228", "\ufffd("),
        ("f8888080", "\ufffd" * 4),
        ("e080af", "\ufffd" * 3),
    ],
)
def test_malformed_text_is_replaced_as_java_does(hex_text: Any, text: Any) -> None:
    assert read(Serdes.String(), hex_text) == text
    values = [b"ok", bytes.fromhex(hex_text)]
    assert StringDeserializer().deserialize_column("t", values) == ["ok", text]


def test_lone_surrogates_become_question_marks() -> None:
    assert write(Serdes.String(), "a\ud800b") == b"a?b"
    assert StringSerializer().serialize_column("t", ["a\ud800b"]) == [b"a?b"]


def test_two_surrogates_are_one_character_as_in_java() -> None:
    halves = "a" + chr(0xD83D) + chr(0xDE00)
    assert Serdes.String().serializer().serialize("t", halves) == b"a\xf0\x9f\x98\x80"
    column = Serdes.String().serializer().serialize_column("t", [halves, None, chr(0xDE00)])
    assert column == [b"a\xf0\x9f\x98\x80", None, b"?"]


@pytest.mark.parametrize(
    "hex_text", ["7ff8000000000000", "fff8000000000000", "7ff8000000000123", "fff0000000000001"]
)
def test_each_nan_is_written_as_one_as_in_java(hex_text: str) -> None:
    nan = struct.unpack(">d", bytes.fromhex(hex_text))[0]
    serializer = Serdes.Double().serializer()
    written = bytes.fromhex("7ff8000000000000")
    assert serializer.serialize("t", nan) == written
    infinite = struct.pack(">d", math.inf)
    assert serializer.serialize_column("t", [0.0, nan, None, math.inf, -math.inf]) == [
        *(bytes(8), written, None, infinite, b"\xff" + infinite[1:])
    ]
    assert write(Serdes.ListSerde(list, Serdes.Double()), [nan])[-8:] == written
    # A narrower one keeps its bits, there and here.
    assert Serdes.Float().serializer().serialize("t", nan) == struct.pack(">f", nan)


def test_the_encoding_comes_from_the_configuration() -> None:
    serializer, deserializer = StringSerializer(), StringDeserializer()
    serializer.configure({"serializer.encoding": "UTF-16"}, True)
    assert serializer.serialize("t", "a") == bytes.fromhex("feff0061")
    deserializer.configure({"value.deserializer.encoding": "latin-1"}, False)
    assert deserializer.deserialize("t", b"\xe9") == "é"
    assert deserializer.deserialize_column("t", [b"\xe9"]) == ["é"]
    deserializer.configure({"value.deserializer.encoding": "latin-1"}, True)
    assert deserializer.deserialize("t", b"\xc3\xa9") == "é"
    with pytest.raises(SerializationException) as caught:
        serializer.configure({"serializer.encoding": "nope"}, True)
    assert str(caught.value) == "Unsupported encoding nope"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"1-2-3-4-5", "00000001-0002-0003-0004-000000000005"),
        (b"ABCDEF01-2-3-4-5", "abcdef01-0002-0003-0004-000000000005"),
        (b"1ffffffff-2-3-4-5", "ffffffff-0002-0003-0004-000000000005"),
    ],
)
def test_uuids_are_read_as_leniently_as_java_does(text: Any, value: Any) -> None:
    assert Serdes.UUID().deserializer().deserialize("t", text) == uuid.UUID(value)


@pytest.mark.parametrize("text", [b"1-2-3-4-", b"-1-2-3-4-5", b"0102030405060708090a0b0c0d0e0f10"])
def test_other_uuids_are_refused(text: Any) -> None:
    with pytest.raises(SerializationException):
        Serdes.UUID().deserializer().deserialize("t", text)


@pytest.mark.parametrize(
    ("serde", "value"),
    [
        (Serdes.Long(), "5"),
        (Serdes.Long(), True),
        (Serdes.Long(), 5.0),
        (Serdes.String(), 5),
        (Serdes.String(), b"5"),
        (Serdes.Double(), "5"),
        (Serdes.Boolean(), 1),
        (Serdes.UUID(), "x"),
        (Serdes.Bytes(), "x"),
        (Serdes.ListSerde(list, Serdes.Long()), "x"),
        (JsonSerde(), object()),
    ],
)
def test_a_wrong_type_is_refused_by_name_alone_and_in_columns(serde: Any, value: Any) -> None:
    name, kind = type(serde.serializer()).__name__, type(value).__name__
    with pytest.raises(ClassCastException, match=f"^{name} cannot serialize an? {kind}"):
        write(serde, value)
    with pytest.raises(ClassCastException, match=f"^{name} cannot serialize an? {kind}"):
        serde.serializer().serialize_column("t", [None, value])


@pytest.mark.parametrize("value", [np.int64(3), np.bool_(True), np.arange(3)])
def test_a_value_of_numpy_is_refused_with_the_way_to_a_plain_one(value: Any) -> None:
    with pytest.raises(ClassCastException, match="LongSerializer cannot serialize an? ") as caught:
        Serdes.Long().serializer().serialize("t", value)
    assert "which its item() or tolist() returns" in caught.value.hint


def test_the_text_of_a_wrong_type() -> None:
    serializer: Serializer[Any] = Serdes.Long().serializer()
    with pytest.raises(ClassCastException) as caught:
        serializer.serialize("counts", "5")
    assert str(caught.value) == (
        "LongSerializer cannot serialize a str\n"
        '  detail: It writes integers; the topic is "counts".\n'
        "  hint: Name a serde for this type at the operator, or change default.key.serde or "
        "default.value.serde."
    )


@pytest.mark.parametrize(
    ("serde", "value"),
    [
        (Serdes.Long(), 2**63),
        (Serdes.Integer(), 2**31),
        (Serdes.Short(), -(2**15) - 1),
    ],
)
def test_numbers_out_of_range_are_refused(serde: Any, value: Any) -> None:
    with pytest.raises(SerializationException, match="does not fit"):
        write(serde, value)
    with pytest.raises(SerializationException, match="does not fit"):
        serde.serializer().serialize_column("t", [1, value])


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)))
def test_columns_of_longs_equal_one_by_one(values: Any) -> None:
    serde = Serdes.Long()
    column = serde.serializer().serialize_column("t", values)
    assert column == [write(serde, value) for value in values]
    assert serde.deserializer().deserialize_column("t", column) == values


@given(st.lists(st.none() | st.binary(max_size=8)))
def test_columns_of_text_equal_one_by_one(values: Any) -> None:
    deserializer = StringDeserializer()
    assert deserializer.deserialize_column("t", values) == [
        deserializer.deserialize("t", value) for value in values
    ]


@pytest.mark.parametrize(
    ("kind", "serde"),
    [
        (str, "StringSerde"),
        (int, "LongSerde"),
        (bool, "BooleanSerde"),
        (float, "DoubleSerde"),
        (bytes, "ByteArraySerde"),
        (memoryview, "ByteBufferSerde"),
        (uuid.UUID, "UUIDSerde"),
        (type(None), "VoidSerde"),
    ],
)
def test_serdes_by_type(kind: Any, serde: Any) -> None:
    assert type(Serdes.serdeFrom(kind)).__name__ == serde


def test_serdes_from_halves() -> None:
    serde = Serdes.serdeFrom(StringSerializer(), StringDeserializer())
    assert isinstance(serde, WrapperSerde)
    with pytest.raises(IllegalArgumentException, match="serializer must not be null"):
        Serdes.serdeFrom(cast(Any, None), StringDeserializer())
    with pytest.raises(IllegalArgumentException, match="Unknown class for built-in serializer"):
        Serdes.serdeFrom(object)


class HeaderSerializer(Serializer[Any]):
    def serialize(self, topic: str, headers: Any, data: Any) -> Any:  # type: ignore[override]
        headers.add("seen", topic.encode())
        return data.encode()


class HeaderDeserializer(Deserializer[Any]):
    def deserialize(self, topic: str, headers: Any, data: Any) -> Any:  # type: ignore[override]
        return f"{data.decode()}{len(headers)}"


def test_both_forms_of_a_users_serializer_are_called_alike() -> None:
    headers = Headers()
    assert serializer_call(HeaderSerializer())("t", headers, "x") == b"x"
    assert headers.headers("seen") == [Header("seen", b"t")]
    assert serializer_call(StringSerializer())("t", headers, "x") == b"x"
    assert deserializer_call(HeaderDeserializer())("t", headers, b"x") == "x1"
    assert HeaderSerializer().serialize_column("t", ["x", "y"]) == [b"x", b"y"]


@pytest.mark.parametrize(
    ("serde", "kind"),
    [
        (Serdes.String(), str),
        (Serdes.Long(), int),
        (Serdes.Double(), float),
        (Serdes.Float(), None),
        (JsonSerde(), None),
        (Serdes.Bytes(), bytes),
        (Serdes.ListSerde(list, Serdes.Long()), None),
    ],
)
def test_plain_types(serde: Any, kind: Any) -> None:
    assert serde.plain_type is kind


def test_whether_headers_are_needed_is_the_inner_halfs_matter() -> None:
    assert HeaderSerializer().needs_headers()
    assert HeaderDeserializer().needs_headers()
    assert ListSerializer(HeaderSerializer()).needs_headers()
    assert not ListSerializer(StringSerializer()).needs_headers()
    assert not StringDeserializer().needs_headers()


@pytest.mark.parametrize(
    ("serde", "inf"), [(Serdes.Float(), "7f800000"), (Serdes.Double(), "7ff0000000000000")]
)
@pytest.mark.parametrize("exponent", [39, 400, 5000])
def test_an_int_beyond_all_floats_is_infinity_as_a_big_integer_in_java(
    serde: Any, inf: str, exponent: int
) -> None:
    if (serde.serializer().layout.size, exponent) == (8, 39):
        assert struct.unpack(">d", write(serde, 10**39)) == (1e39,)
        return
    assert write(serde, 10**exponent).hex() == inf
    assert serde.serializer().serialize_column("t", [1.0, -(10**exponent)])[1].hex() == (
        "ff" + inf[2:]
    )


def test_an_int_of_thousands_of_digits_is_named_by_its_size() -> None:
    with pytest.raises(SerializationException, match="cannot serialize a number of 16610 bits"):
        write(Serdes.Long(), 10**5000)
