"""Serdes that note how they are called, and may add a header each time, as the oracle's do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from millstream import Deserializer, Headers, Serde, Serdes, Serializer

ADDED = "w"
STORES = ("-changelog", "-fk", "-pk", "-vh")
"""How topics end whose records are those of stores, or parts of records."""


@dataclass
class Spy:
    """What the serdes of one topology were called with since ``taken``."""

    adds: bool
    calls: list[str] = field(default_factory=list)

    def taken(self) -> list[str]:
        """Return the calls, and forget them."""
        calls, self.calls = self.calls, []
        return calls

    def note(self, what: str, kind: str, topic: str, data: Any, headers: Headers) -> None:
        names = ",".join(header.key() for header in headers)
        self.calls.append(f"{what} {kind} {topic} {_text(data)}" + (f" {names}" if names else ""))


class SpiedSerde(Serde[Any]):
    """A stock serde that is watched."""

    def __init__(self, kind: str, inner: Serde[Any], spy: Spy) -> None:
        self._parts = kind, inner, spy

    def configure(self, configs: Mapping[str, Any], isKey: bool) -> None:
        pass

    def serializer(self) -> Serializer[Any]:
        return _Writer(*self._parts)

    def deserializer(self) -> Deserializer[Any]:
        return _Reader(*self._parts)


def spied_default(spy: Spy) -> type[Serde[Any]]:
    """Return the class of a default serde for text."""

    class Text(SpiedSerde):
        def __init__(self) -> None:
            super().__init__("default", Serdes.String(), spy)

    return Text


class _Half:
    def __init__(self, kind: str, inner: Serde[Any], spy: Spy) -> None:
        self._kind = kind
        self._inner = inner
        self._spy = spy


class _Writer(_Half, Serializer[Any]):
    def serialize(self, topic: str, headers: Headers, data: Any) -> Any:  # type: ignore[override]
        self._spy.note("write", self._kind, topic, data, headers)
        if self._spy.adds:
            headers.add(ADDED, _text(data).encode())
        return self._inner.serializer().serialize(topic, data)


class _Reader(_Half, Deserializer[Any]):
    def deserialize(self, topic: str, headers: Headers, data: Any) -> Any:  # type: ignore[override]
        found = self._inner.deserializer().deserialize(topic, data)
        self._spy.note("read", self._kind, topic, found, headers)
        return found


def _text(data: Any) -> str:
    return "null" if data is None else str(data)


def distinct(calls: list[str]) -> set[str]:
    """Return which calls there were, whatever their order and number.

    How many serializers had added a header before depends on both, so that is left out.
    """
    return {_without_added(call) for call in calls}


def needed(call: str) -> bool:
    """Tell whether a call has to be made if Kafka Streams makes it, and else must not be made.

    How often a store reads what it has is not compared. It does not write null, nor does an update
    of a table; and what waits in an outer join is removed by the bytes of its key.
    """
    what, _, topic, data, *_ = [*call.split(" "), ""]
    if "-OUTERSHARED-" in topic or data == "null":
        return not topic.endswith((*STORES, "-repartition"))
    return what == "write" or not topic.endswith(STORES)


def _without_added(call: str) -> str:
    start, _, last = call.rpartition(" ")
    names = last.split(",")
    kept = ",".join(name for name in names if name != ADDED)
    return f"{start} {kept}" if kept else start
