"""A connector that answers wrongly is told so, with the method; `replay` does not guess."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from millstream import Topology
from millstream.core.chunk import RawChunk
from millstream.core.errors import ClassCastException, PluginError
from millstream.plugins import Connector, hookimpl
from millstream.plugins.registry import registered
from millstream.plugins.stock.connectors import MemoryConnector
from millstream.testing import replay

TEXT = {"default.key.serde": "string", "default.value.serde": "string"}


class Answering(MemoryConnector):
    """A connector whose answers a test changes."""

    name = "answering"
    change: Callable[[str, Any], Any] = staticmethod(lambda what, answer: answer)

    @classmethod
    def open(cls, location: str, options: Any) -> Any:
        found = cls()
        found._topics = {"words": [RawChunk("words", 0, [0], [5], [b"k"], [b"v"])]}
        return cls.change("open", found)

    def topics(self) -> Any:
        return self.change("topics", super().topics())

    def read(self, topic: str) -> Any:
        return self.change("read", super().read(topic))

    def write(self, chunk: RawChunk) -> None:
        super().write(self.change("write", chunk))


class Plugin:
    """Offers the connector."""

    @hookimpl
    def millstream_register_connectors(self) -> list[type[Connector]]:
        """Return the class."""
        return [Answering]


@pytest.fixture(autouse=True)
def _plugin() -> Iterator[None]:
    with registered(Plugin()):
        yield


def copied() -> dict[str, int]:
    topology = Topology().addSource("in", "words").addSink("out", "copies", "in")
    return replay(topology, "answering:there", "answering:here", TEXT)


def answers(monkeypatch: pytest.MonkeyPatch, what: str, wrong: Callable[[Any], Any]) -> None:
    monkeypatch.setattr(
        Answering, "change", staticmethod(lambda asked, it: wrong(it) if asked == what else it)
    )


@pytest.mark.parametrize("names", [list, lambda found: [*found, *found]])
def test_a_topic_is_read_once(monkeypatch: pytest.MonkeyPatch, names: Callable[[Any], Any]) -> None:
    """One that was named twice was read twice, and each result came twice."""
    answers(monkeypatch, "topics", names)
    assert copied() == {"copies": 1}


def chunk(**columns: Any) -> Callable[[Any], list[RawChunk]]:
    given: dict[str, Any] = {
        "offsets": [0],
        "timestamps": [5],
        "keys": [b"k"],
        "values": [b"v"],
    } | columns
    return lambda _: [RawChunk("words", 0, **given)]


@pytest.mark.parametrize(
    ("what", "wrong", "said"),
    [
        ("topics", lambda _: None, "topics() of connector"),
        ("topics", lambda _: "words", "returned a str"),
        ("topics", lambda _: {b"words"}, "a bytes as a name"),
        ("read", lambda _: None, "returned a NoneType"),
        ("read", lambda _: [("k", "v")], "a tuple as a chunk"),
        ("read", chunk(keys=[b"k", b"l"]), "1 timestamps, 2 keys"),
        ("read", chunk(offsets=[0, 1]), "2 offsets, 1 timestamps"),
        ("read", chunk(keys=["k"]), "a str as a key"),
        ("read", chunk(values=["v"]), "a str as a value"),
        ("read", chunk(timestamps=[None]), "a NoneType as a timestamp"),
        ("read", chunk(timestamps=[1.5]), "a float as a timestamp"),
        ("read", chunk(headers=[[("name", b"value")]]), "a list as a header"),
    ],
)
def test_what_is_no_record_is_refused(
    monkeypatch: pytest.MonkeyPatch, what: str, wrong: Callable[[Any], Any], said: str
) -> None:
    answers(monkeypatch, what, wrong)
    with pytest.raises(ClassCastException) as caught:
        copied()
    assert said in str(caught.value)
    assert f'{what}() of connector "answering"' in str(caught.value)


@pytest.mark.parametrize("what", ["open", "topics", "read", "write"])
def test_what_a_connector_raises_is_told_with_its_method(
    monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    answers(monkeypatch, what, lambda _: 1 // 0)
    with pytest.raises(PluginError, match=rf'"answering" failed in {what}\(\)') as caught:
        copied()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_chunk_that_cannot_be_read_is_told_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, "read", lambda found: (1 // 0 for each in found))
    with pytest.raises(PluginError, match=r'"answering" failed in read\(\)'):
        copied()


def test_what_is_opened_is_a_connector(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, "open", lambda _: None)
    with pytest.raises(PluginError, match="returned a NoneType, which is no connector"):
        copied()


@pytest.mark.parametrize("place", [None, 5, Answering])
def test_a_place_is_a_text_or_a_connector(place: Any) -> None:
    topology = Topology().addSource("in", "words").addSink("out", "copies", "in")
    with pytest.raises(ClassCastException, match="a place of topics cannot be"):
        replay(topology, place, MemoryConnector(), TEXT)
