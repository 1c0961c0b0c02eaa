"""Windowed keys against bytes and errors taken from Kafka Streams 4.3.1's own."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from millstream.core.errors import (
    ConfigException,
    IllegalArgumentException,
    NullPointerException,
    SerializationException,
)
from millstream.core.headers import Headers
from millstream.core.serdes import (
    Serdes,
    Serializer,
    SessionWindowedSerde,
    StringDeserializer,
    StringSerializer,
    TimeWindowedDeserializer,
    TimeWindowedSerde,
    TimeWindowedSerializer,
    WindowedSerdes,
)
from millstream.core.windows import SessionWindow, TimeWindow, Windowed

TIME = TimeWindowedSerde(Serdes.String(), 100)
SESSION = SessionWindowedSerde(Serdes.String())
TIME_HEX, SESSION_HEX = "61620000000000000005", "616200000000000000070000000000000005"


@pytest.mark.parametrize(
    ("serde", "value", "hex_text"),
    [
        (TIME, Windowed("ab", TimeWindow(5, 105)), TIME_HEX),
        (SESSION, Windowed("ab", SessionWindow(5, 7)), SESSION_HEX),
    ],
)
def test_bytes_are_kafkas(serde: Any, value: Any, hex_text: Any) -> None:
    serde, data = pickle.loads(pickle.dumps(serde)), bytes.fromhex(hex_text)
    assert serde.serializer().serialize("t", value) == data
    assert serde.deserializer().deserialize("t", data) == value
    assert serde.serializer().serialize_column("t", [value, value]) == [data, data]
    assert serde.serializer().serialize_column("t", [value, None]) == [data, None]
    assert serde.deserializer().deserialize_column("t", [data, data]) == [value, value]
    assert serde.deserializer().deserialize_column("t", [data, None, b""]) == [value, None, None]
    assert serde.serializer().serializeBaseKey("t", value) == b"ab"


def test_the_end_of_a_window_stops_at_the_largest_long() -> None:
    key = TIME.deserializer().deserialize("t", bytes.fromhex("617ffffffffffffff0"))
    assert str(key) == "[a@9223372036854775792/9223372036854775807]"


@pytest.mark.parametrize(
    ("hex_text", "text"),
    [
        ("617fffffffffffffff", "Window endMs must be greater than window startMs."),
        ("61ffffffffffffffff", "Window startMs time cannot be negative."),
    ],
)
def test_impossible_windows_are_refused(hex_text: Any, text: Any) -> None:
    with pytest.raises(IllegalArgumentException) as caught:
        TIME.deserializer().deserialize("t", bytes.fromhex(hex_text))
    assert caught.value.problem == text


@pytest.mark.parametrize("serde", [TIME, SESSION])
def test_bytes_too_short_for_a_window_are_refused(serde: Any) -> None:
    with pytest.raises(SerializationException, match="not a windowed key"):
        serde.deserializer().deserialize("t", b"ab")


def test_changelog_keys_have_a_sequence_number() -> None:
    serde = TimeWindowedSerde(Serdes.String(), 100).forChangelog(True)
    key = serde.deserializer().deserialize("t", bytes.fromhex(TIME_HEX + "00000001"))
    assert key == Windowed("ab", TimeWindow(5, 105))


def test_factories_take_types() -> None:
    serde = WindowedSerdes.timeWindowedSerdeFrom(int, 10)
    data = serde.serializer().serialize("t", Windowed(1, TimeWindow(0, 10)))
    assert data == bytes.fromhex("00000000000000010000000000000000")
    assert WindowedSerdes.sessionWindowedSerdeFrom(str).deserializer().deserialize(
        "t", bytes.fromhex(SESSION_HEX)
    ) == Windowed("ab", SessionWindow(5, 7))


def test_halves_without_an_inner_one_are_refused() -> None:
    with pytest.raises(NullPointerException, match="Inner serializer is `null`"):
        TimeWindowedSerializer().serialize("t", None)
    with pytest.raises(NullPointerException, match="Inner deserializer is `null`"):
        TimeWindowedDeserializer().deserialize("t", None)
    with pytest.raises(NullPointerException, match="without a key"):
        TIME.serializer().serialize("t", Windowed(None, TimeWindow(0, 10)))


def test_configuration_fills_what_the_constructor_left_open() -> None:
    serde = TimeWindowedSerde()
    serde.configure(
        {
            "windowed.inner.class.serde": "millstream.core.serdes.StringSerde",
            "window.size.ms": "100",
        },
        True,
    )
    assert serde.deserializer().deserialize("t", bytes.fromhex(TIME_HEX)) == Windowed(
        "ab", TimeWindow(5, 105)
    )
    assert TimeWindowedSerializer.WINDOWED_INNER_SERIALIZER_CLASS == (
        "windowed.inner.serializer.class"
    )


@pytest.mark.parametrize(
    ("half", "configs", "kind", "text"),
    [
        (
            TimeWindowedSerializer(),
            {},
            IllegalArgumentException,
            (
                "Inner class serializer should be set either via constructor or via the "
                "windowed.inner.serializer.class config"
            ),
        ),
        (
            TimeWindowedDeserializer(),
            {},
            IllegalArgumentException,
            (
                "Window size needs to be set either through the time windowed deserializer "
                "constructor or the window.size.ms config but not both"
            ),
        ),
        (
            TimeWindowedDeserializer(StringDeserializer(), 5),
            {"window.size.ms": 5},
            IllegalArgumentException,
            (
                "Window size should not be set in both the time windowed deserializer "
                "constructor and the window.size.ms config"
            ),
        ),
        (
            TimeWindowedSerializer(StringSerializer()),
            {"windowed.inner.class.serde": "millstream.core.serdes.LongSerde"},
            IllegalArgumentException,
            (
                "Inner class serializer set using constructor (StringSerializer) is different "
                "from the one set in windowed.inner.class.serde config (LongSerializer)."
            ),
        ),
        (
            TimeWindowedSerializer(),
            {"windowed.inner.serializer.class": "nope"},
            ConfigException,
            (
                "Invalid value nope for configuration windowed.inner.serializer.class: Class nope "
                "could not be found."
            ),
        ),
    ],
)
def test_configurations_that_do_not_fit_are_refused(
    half: Any, configs: Any, kind: Any, text: Any
) -> None:
    with pytest.raises(kind) as caught:
        half.configure(configs, True)
    assert caught.value.problem == text


class HeaderSerializer(Serializer[Any]):
    def serialize(self, topic: str, headers: Any, data: Any) -> Any:  # type: ignore[override]
        headers.add("seen", b"")
        return data.encode()


def test_headers_reach_the_inner_serializer() -> None:
    headers = Headers()
    serializer = TimeWindowedSerializer(HeaderSerializer())
    assert serializer.serialize("t", headers, Windowed("ab", TimeWindow(5, 6))) == bytes.fromhex(
        TIME_HEX
    )
    assert serializer.serializeBaseKey("t", headers, Windowed("ab", TimeWindow(5, 6))) == b"ab"
    assert len(headers) == 2


@pytest.mark.parametrize("wrong", ["string", dict, "millstream.core.serdes.StringSerializer"])
def test_what_is_no_serde_is_not_taken_for_the_inner_one(wrong: Any) -> None:
    """``string`` is a module of Python's, and a plugin's short name in an application only."""
    with pytest.raises(ConfigException, match="for configuration windowed.inner.class.serde: it"):
        TimeWindowedSerde().configure(
            {"windowed.inner.class.serde": wrong, "window.size.ms": 10}, True
        )
