"""Serdes of lists against bytes and errors taken from Kafka 4.3.1's own."""

from __future__ import annotations

from typing import Any

import pytest

from compat_tests.core.test_serdes import HeaderSerializer, read, write
from millstream.core.errors import (
    ConfigException,
    KafkaException,
    NullPointerException,
    SerializationException,
)
from millstream.core.headers import Header, Headers
from millstream.core.serdes import (
    ListDeserializer,
    ListSerializer,
    LongDeserializer,
    LongSerializer,
    Serdes,
)


@pytest.mark.parametrize(
    ("hex_text", "kind", "text"),
    [
        ("0100000002000000016100000005", SerializationException, "End of the stream was reached"),
        ("01000000020000000161", KafkaException, "Unable to deserialize into a List"),
        ("0700000000", SerializationException, "Invalid serialization strategy flag value"),
        ("", KafkaException, "Unable to deserialize into a List"),
        ("0100000001fffffffe", SerializationException, "A list entry cannot have negative size"),
    ],
)
def test_malformed_lists_are_refused_with_kafkas_text(hex_text: Any, kind: Any, text: Any) -> None:
    with pytest.raises(kind, match=text):
        read(Serdes.ListSerde(list, Serdes.String()), hex_text)


@pytest.mark.parametrize(
    ("hex_text", "text"),
    [
        ("00ffffffff00000000", "The number of null list entries cannot be negative"),
        ("0000000000ffffffff", "The number of list entries cannot be negative"),
        ("007fffffff00", "The number of null list entries cannot be larger than overall number"),
        ("000000000900", "The number of null list entries cannot be larger than overall number"),
    ],
)
def test_wrong_counts_of_numbers_are_refused_with_kafkas_text(hex_text: str, text: str) -> None:
    with pytest.raises(SerializationException, match=text):
        read(Serdes.ListSerde(list, Serdes.Integer()), hex_text)
    if "null" not in text:
        with pytest.raises(SerializationException, match=text):
            read(Serdes.ListSerde(list, Serdes.String()), "01ffffffff")


def test_a_list_class_without_a_serde_of_its_entries_is_refused() -> None:
    with pytest.raises(NullPointerException, match="serde cannot be null"):
        Serdes.ListSerde(list, None)


def test_lists_become_what_the_class_makes_of_them() -> None:
    serde = Serdes.ListSerde(tuple, Serdes.Long())
    assert serde.deserializer().deserialize("t", write(serde, (1, 2))) == (1, 2)


def test_lists_can_be_configured() -> None:
    configs = {
        "default.list.key.serde.inner": "org.apache.kafka.common.serialization.Serdes$LongSerde",
        "default.list.key.serde.type": "java.util.ArrayList",
    }
    serde = Serdes.ListSerde()
    serde.configure(configs, True)
    assert serde.deserializer().deserialize("t", write(serde, [5])) == [5]
    with pytest.raises(ConfigException, match="already initialized"):
        Serdes.ListSerde(list, Serdes.Long()).configure(configs, True)
    with pytest.raises(ConfigException, match="Not able to determine the serializer class"):
        ListSerializer().configure({}, True)
    with pytest.raises(ConfigException, match="Not able to determine the list class"):
        ListDeserializer().configure({}, True)


def test_lists_hand_headers_on() -> None:
    headers = Headers()
    ListSerializer(HeaderSerializer()).serialize("t", headers, ["a"])
    assert headers.headers("seen") == [Header("seen", b"t")]


@pytest.mark.parametrize("half", [ListSerializer, ListDeserializer])
@pytest.mark.parametrize("wrong", ["string", dict, "millstream.core.serdes.StringSerializer"])
def test_what_is_no_serde_is_not_taken_for_the_inner_one(half: Any, wrong: Any) -> None:
    configs = {"default.list.value.serde.inner": wrong, "default.list.value.serde.type": list}
    with pytest.raises(ConfigException, match="default.list.value.serde.inner: it has no method"):
        half().configure(configs, False)


class OwnLongSerializer(LongSerializer):
    pass


class OwnLongDeserializer(LongDeserializer):
    pass


def test_entries_of_a_subclass_have_their_sizes_as_in_kafka() -> None:
    serde = Serdes.ListSerde(list, Serdes.serdeFrom(OwnLongSerializer(), OwnLongDeserializer()))
    written = "0100000003000000080000000000000001ffffffff000000080000000000000002"
    assert write(serde, [1, None, 2]).hex() == written
    assert read(serde, written) == [1, None, 2]
