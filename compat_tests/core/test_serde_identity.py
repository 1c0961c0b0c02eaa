"""The text of a serde: the same for the same bytes, another one for others."""

from __future__ import annotations

import enum
import itertools
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

import pytest

from millstream.core.serdes import (
    Deserializer,
    JsonSerde,
    LongDeserializer,
    LongSerializer,
    Serde,
    Serdes,
    Serializer,
    StringSerializer,
    WindowedSerdes,
)
from millstream.core.serdes.identity import UNKNOWN, format_of, same_format

HERE = "compat_tests.core.test_serde_identity"


class Color(enum.Enum):
    RED = 1


class Shape(enum.Enum):
    ROUND = 1


class Named(Serializer[Any], Deserializer[Any]):
    """Writes names of what it was made for."""

    def __init__(self, *kinds: Any, **others: Any) -> None:
        self.kinds = kinds[0] if len(kinds) == 1 else kinds
        self.__dict__.update(others)

    def serialize(self, topic: str, data: Any) -> bytes | None:
        return None if data is None else data.name.encode()

    def deserialize(self, topic: str, data: bytes | None) -> Any:
        return None if data is None else data.decode()


class Other(Named):
    """Writes something else by the same means."""

    def encode(self) -> None: ...


class Bare(Named):
    """Another name for the same thing."""

    def __init__(self) -> None:
        super().__init__(Color)


class Recording(Named):
    """Keeps what it was called with."""

    def __init__(self) -> None:
        super().__init__(Color)
        self.calls = 0
        self.seen: list[Any] = []

    def use(self) -> None:
        self.calls += 1
        self.seen.append(self.calls)


class MyLong(LongSerializer):
    """The stock one by another name."""


class LoudLong(LongSerializer):
    """The stock one, changed."""

    def serialize(self, topic: str, data: Any) -> bytes | None:
        return super().serialize(topic, data)


@dataclass
class Unhashable(Serializer[Any], Deserializer[Any]):
    width: int
    cache: dict[str, int] = field(default_factory=dict)

    def serialize(self, topic: str, data: Any) -> bytes | None:
        return data  # type: ignore[no-any-return]

    def deserialize(self, topic: str, data: bytes | None) -> Any:
        return data


class Failing(Serde[Any]):
    def serializer(self) -> Any:
        raise RuntimeError("not configured")

    def deserializer(self) -> Any:
        raise RuntimeError("not configured")


def own(half: Any) -> Serde[Any]:
    return Serdes.serdeFrom(half, half)


def upper(text: str) -> str:
    return text.upper()


@pytest.mark.parametrize(
    ("serde", "text"),
    [
        (None, "none"),
        (Serdes.Long(), "Long"),
        (Serdes.serdeFrom(int), "Long"),
        (Serdes.serdeFrom(LongSerializer(), LongDeserializer()), "Long"),
        (Serdes.serdeFrom(MyLong(), LongDeserializer()), "Long"),
        (Serdes.serdeFrom(StringSerializer(), LongDeserializer()), "String / Long"),
        (Serdes.Bytes(), "ByteArray"),
        (Serdes.ByteBuffer(), "ByteArray"),
        (JsonSerde(), "Json"),
        (Serdes.ListSerde(tuple, Serdes.UUID()), "List(UUID)"),
        (
            WindowedSerdes.TimeWindowedSerde(Serdes.Integer(), 5000),
            "TimeWindowed(Integer) / TimeWindowed(Integer, 5000 ms)",
        ),
        (own(Named(Color)), f"{HERE}:Named({HERE}:Color)"),
        (own(Bare()), f"{HERE}:Named({HERE}:Color)"),
        (own(Named(Serdes.Long())), f"{HERE}:Named(Long)"),
        (own(Named(upper)), f"{HERE}:Named({HERE}:upper)"),
        (Failing(), UNKNOWN),
    ],
)
def test_a_serde_is_named_by_what_writes_and_what_reads(serde: Any, text: str) -> None:
    assert format_of(serde) == text


DIFFERENT = [
    Serdes.Long(),
    Serdes.Double(),
    Serdes.String(),
    Serdes.ListSerde(list, Serdes.Long()),
    Serdes.ListSerde(list, Serdes.Integer()),
    WindowedSerdes.TimeWindowedSerde(Serdes.Long(), 5),
    WindowedSerdes.TimeWindowedSerde(Serdes.Long(), 6),
    WindowedSerdes.SessionWindowedSerde(Serdes.Long()),
    Serdes.serdeFrom(LoudLong(), LongDeserializer()),
    own(Named(Color)),
    own(Named(Shape)),
    own(Other(Color)),
    own(Named("utf-8")),
    own(Named("utf-16")),
    own(Named(4)),
    own(Named(8)),
    own(Named(Color.RED)),
    own(Unhashable(4)),
    own(Unhashable(8)),
]


def test_another_class_or_another_setting_is_another_format() -> None:
    texts = list(map(format_of, DIFFERENT))
    for one, other in itertools.combinations(texts, 2):
        assert not same_format(one, other)


def test_a_class_that_moved_to_another_module_is_the_same() -> None:
    assert same_format("app.serdes:Order(app.model:Order)", "__main__:Order(shop:Order)")
    assert not same_format("app:Long", "Long")
    assert same_format(UNKNOWN, "Long")


def test_addresses_and_secrets_are_neither_compared_nor_shown() -> None:
    one = own(Named(1, url="https://one", password="a", conf={"api.key": "x", "url": "u://"}))
    other = own(Named(1, url="https://two", password="b", conf={"api.key": "y", "url": "v://"}))
    assert format_of(one) == format_of(other)
    assert format_of(own(Named("/here/a.avsc"))) == format_of(own(Named("/there/a.avsc")))
    assert "secret" not in format_of(own(Named("a secret")))


def test_a_serde_that_keeps_what_it_was_called_with_stays_the_same() -> None:
    half = Recording()
    before = format_of(own(half))
    half.use()
    assert format_of(own(half)) == before == format_of(own(Recording()))


def test_a_half_may_know_its_serde() -> None:
    half = Named(1)
    half.serde = serde = own(half)  # type: ignore[attr-defined]
    assert format_of(serde) == format_of(own(half)) != UNKNOWN
    assert len(format_of(serde)) < 1000


def test_the_text_is_the_same_in_every_process() -> None:
    program = (
        "from compat_tests.core.test_serde_identity import DIFFERENT, format_of\n"
        "print([format_of(serde) for serde in DIFFERENT])"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert found.stdout.strip() == str(list(map(format_of, DIFFERENT)))
