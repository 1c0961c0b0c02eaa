"""Serdes and functions as strangers write them, to run recorded scenarios through.

Results must be what they are with polite ones. Every kind is a serde of a user's own, so that no
short cut for stock serdes is taken; it gives a new half each time it is asked for one, refuses None
from a store, and checks what else Kafka promises. Beside that, a kind does one bad thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from zlib import crc32

from compat_tests.conformance.spied import SpiedSerde, Spy, spied_default
from millstream import Deserializer, Headers, Serde, Serdes, Serializer

HEADER = "~hostile"
"""The header that serializers of the kind `headers` add; it is not compared."""
KINDS = ("strict", "bytearray", "memoryview", "reused", "headers", "subclass", "mutable")
_STOCK: dict[str, Callable[[], Serde[Any]]] = {"string": Serdes.String, "long": Serdes.Long}
_ROOM = 1_000_000
_STORES = ("-changelog", "-pk", "-fk", "-vh")
_KEPT: list[Box] = []
_ACTIVE: list[str | Spy | None] = [None]
"""Asked for last. No context variable: this module travels to Spark's workers by value."""


class BrokenPromiseError(AssertionError):
    """A serde was called as Kafka Streams never calls one."""


@contextmanager
def hostile(kind: str | Spy | None) -> Iterator[None]:
    """Let the serdes and functions of what is built inside be of a kind, or watched by a spy."""
    _ACTIVE.append(kind)
    try:
        yield
    finally:
        _ACTIVE.pop()


def chosen(type_name: str) -> Serde[Any]:
    """The serde of a plain type for a topology, of the kind that is asked for."""
    kind, stock = _ACTIVE[-1], _STOCK[type_name]()
    if isinstance(kind, Spy):
        return SpiedSerde(type_name, stock, kind)
    return stock if kind is None else HostileSerde(type_name, kind)


def default_serde(kind: str | Spy | None) -> type[Serde[Any]]:
    """The class of the default serdes of a kind."""
    if isinstance(kind, Spy):
        return spied_default(kind)
    return Serdes.StringSerde if kind is None else DEFAULTS[kind]


def wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of keys and values that gets mutable ones, and returns such, if asked for."""
    if _ACTIVE[-1] != "mutable":
        return function
    return lambda *arguments: boxed(function(*map(_opened, arguments)))


def each(function: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """The same for a function that returns many."""
    if _ACTIVE[-1] != "mutable":
        return function
    return lambda *arguments: [boxed(item) for item in function(*map(_opened, arguments))]


def predicate(function: Callable[..., bool]) -> Callable[..., bool]:
    """The same for a function that judges."""
    if _ACTIVE[-1] != "mutable":
        return function
    return lambda *arguments: function(*map(_opened, arguments))


class Box:
    """A value that can be changed, equals what is in it, and has no hash."""

    def __init__(self, content: Any) -> None:
        self.content = content

    # What count() does.
    def __add__(self, other: Any) -> Any:
        return self.content + unboxed(other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self.content - unboxed(other)

    def __eq__(self, other: object) -> bool:
        return bool(self.content == unboxed(other))

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return str(self.content)


def kind_of(name: str, seed: int = 0) -> str:
    """The kind whose turn it is for a scenario, where each is run with one of them only."""
    return KINDS[crc32(f"{seed} {name}".encode()) % len(KINDS)]


def reason_to_skip(scenario: dict[str, Any]) -> str | None:
    """Why a scenario does not do with hostile serdes what it does with polite ones."""
    if watched(scenario):
        return "its serdes are watched"
    config = scenario.get("config", {})
    small = 0 < int(config.get("statestore.cache.max.bytes", 0)) < _ROOM
    limited = any("maxBytes" in step for step in scenario["topology"])
    if scenario.get("serdes") == "headers" and (small or limited):
        return "the headers that serializers add count as bytes"
    return None


def watched(scenario: dict[str, Any]) -> bool:
    """Whether it was recorded with serdes that note their calls or add headers."""
    return bool(scenario.get("serdeCalls") or scenario.get("serdeHeaders"))


def spoil() -> None:
    """Change all that functions were given, or have returned, before."""
    for box in _KEPT:
        box.content = "spoiled"
    _KEPT.clear()


def _opened(value: Any) -> Any:
    """What is in a box, which is kept to be changed later."""
    if isinstance(value, Box):
        _KEPT.append(value)
    return unboxed(value)


class BuilderSerde(Serde[Any]):
    """Text that can be changed in place, as Java's StringBuilder."""

    def serializer(self) -> Serializer[Any]:
        return _BuilderWriter()

    def deserializer(self) -> Deserializer[Any]:
        return _BuilderReader()


class _BuilderWriter(Serializer[Any]):
    def serialize(self, topic: str, data: Any) -> bytes | None:
        return None if data is None else str(data).encode()


class _BuilderReader(Deserializer[Any]):
    def deserialize(self, topic: str, data: bytes | None) -> Any:
        return None if data is None else Box(data.decode())


def unboxed(value: Any) -> Any:
    """What is in a box; anything else as it is."""
    return value.content if isinstance(value, Box) else value


def boxed(value: Any) -> Any:
    """A box of a text or a number, which is kept to be changed later; anything else as it is."""
    if not isinstance(value, str | int):
        return value
    box = Box(value)
    _KEPT.append(box)
    return box


class Text(str):
    """A user's own kind of text."""

    __slots__ = ()


class Number(int):
    """A user's own kind of number."""


class HostileSerde(Serde[Any]):
    """A user's serde for text or numbers."""

    def __init__(self, type_name: str, kind: str, *, default: bool = False) -> None:
        self._stock = _STOCK[type_name]()
        self._kind = kind
        self._default = default
        self._configured = 0

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        self._configured += 1
        if not self._default or self._configured > 1:
            raise BrokenPromiseError(f"a serde is configured {self._configured} times")

    def serializer(self) -> Serializer[Any]:
        self._ask()
        kind = _HeaderWriter if self._kind == "headers" else _Writer
        return kind(self._stock.serializer(), self._kind)

    def deserializer(self) -> Deserializer[Any]:
        self._ask()
        kind = _HeaderReader if self._kind == "headers" else _Reader
        return kind(self._stock.deserializer(), self._kind)

    def _ask(self) -> None:
        if self._default and not self._configured:
            raise BrokenPromiseError("a default serde is used before it is configured")


class _Half:
    def __init__(self, stock: Any, kind: str) -> None:
        self._stock = stock
        self._kind = kind
        self._buffer = bytearray()

    def check(self, topic: Any, data: Any) -> None:
        if type(topic) is not str or not topic:
            raise BrokenPromiseError(f"a serde was called with {topic!r} as the topic")
        if data is None and topic.endswith(_STORES):
            raise BrokenPromiseError(f"a serde was called with None for {topic}")

    def write(self, topic: Any, value: Any) -> Any:
        self.check(topic, value)
        data = self._stock.serialize(topic, unboxed(value))
        if data is None:
            return None
        if self._kind == "bytearray":
            return bytearray(data)
        if self._kind == "memoryview":
            return memoryview(data)
        if self._kind == "reused":
            # What was returned before is overwritten.
            self._buffer[:] = data
            return self._buffer
        return data

    def read(self, topic: Any, data: Any) -> Any:
        self.check(topic, data)
        if data is not None and type(data) is not bytes:
            raise BrokenPromiseError(f"a deserializer was called with a {type(data).__name__}")
        value = self._stock.deserialize(topic, data)
        if value is None:
            return None
        if self._kind == "subclass":
            return Text(value) if isinstance(value, str) else Number(value)
        return Box(value) if self._kind == "mutable" else value


class _Writer(_Half, Serializer[Any]):
    def serialize(self, topic: str, data: Any) -> Any:
        return self.write(topic, data)


class _Reader(_Half, Deserializer[Any]):
    def deserialize(self, topic: str, data: Any) -> Any:
        return self.read(topic, data)


class _HeaderWriter(_Half, Serializer[Any]):
    def serialize(self, topic: str, headers: Headers, data: Any) -> Any:  # type: ignore[override]
        if not isinstance(headers, Headers):
            raise BrokenPromiseError(f"a serializer was called with {headers!r} as the headers")
        headers.add(HEADER, b"seen")
        return self.write(topic, data)


class _HeaderReader(_Half, Deserializer[Any]):
    def deserialize(self, topic: str, headers: Headers, data: Any) -> Any:  # type: ignore[override]
        if not isinstance(headers, Headers):
            raise BrokenPromiseError(f"a deserializer was called with {headers!r} as the headers")
        return self.read(topic, data)


def _default(kind: str) -> type[Serde[Any]]:
    class Default(HostileSerde):
        def __init__(self) -> None:
            super().__init__("string", kind, default=True)

    return Default


DEFAULTS = {kind: _default(kind) for kind in KINDS}
