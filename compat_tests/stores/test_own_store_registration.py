"""A store of a user's own says how it is restored, or that it need not be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from compat_tests.stores.own_builder import OwnBuilder
from millstream import (
    ClassCastException,
    Headers,
    IllegalArgumentException,
    IllegalStateException,
    Processor,
    ProcessorStateException,
    Serdes,
    StreamsBuilder,
    StreamsException,
    TopologyTestDriver,
)
from millstream.core.state import StateStore

REGISTERED: dict[str, Callable[[Any, Any], Any]] = {
    "callback": lambda store, context: context.register(store, lambda key, value: None),
    "none": lambda store, context: context.register(store, None),
    "never": lambda store, context: None,
    "twice": lambda store, context: [
        context.register(store, lambda key, value: None) for _ in range(2)
    ],
}


class OwnStore(StateStore):
    """Holds nothing; registers itself in one of four ways."""

    def __init__(self, way: str) -> None:
        self.way = way

    def name(self) -> str:
        return "own"

    def init(self, stateStoreContext: Any, root: StateStore) -> None:
        self.context = stateStoreContext
        REGISTERED[self.way](root, stateStoreContext)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass

    def persistent(self) -> bool:
        return False

    def isOpen(self) -> bool:
        return True


def built(way: str, *, logged: bool = True) -> OwnBuilder:
    return OwnBuilder("own", lambda: OwnStore(way), logged=logged)


def opened(builder: OwnBuilder, *changes: Any) -> None:
    streams = StreamsBuilder()
    streams.addStateStore(builder)
    source: Any = streams.stream("in")
    source.mapValues(lambda value: changes[int(value)]).process(Keeps, "own").to("out")
    strings = {"default.key.serde": Serdes.String(), "default.value.serde": Serdes.String()}
    with TopologyTestDriver(streams.build(), {"application.id": "own", **strings}) as driver:
        text = Serdes.String().serializer()
        topic = driver.createInputTopic("in", text, text)
        for number in range(len(changes)):
            topic.pipeInput("k", str(number))


class Keeps(Processor[Any, Any, Any, Any]):
    """A processor that has the store."""

    def init(self, context: Any) -> None:
        self.store = context.getStateStore("own")

    def process(self, record: Any) -> None:
        self.store.context.log_change(*record.value())

    def close(self) -> None:
        pass


def test_a_logged_store_has_a_callback() -> None:
    opened(built("callback"))


def test_a_logged_store_without_callback_is_refused_as_in_kafka() -> None:
    with pytest.raises(IllegalStateException, match="should always provide a restore callback"):
        opened(built("none"))


def test_a_logged_store_that_does_not_register_is_refused() -> None:
    with pytest.raises(StreamsException, match='state store "own" has not been registered'):
        opened(built("never"))


def test_a_store_registers_once() -> None:
    with pytest.raises(IllegalArgumentException, match="Store own has already been registered"):
        opened(built("twice"))


@pytest.mark.parametrize("way", ["none", "never"])
def test_a_store_that_is_not_logged_needs_no_callback(way: str) -> None:
    opened(built(way, logged=False))


def refuse(*_: Any) -> Any:
    raise OSError("the disk is gone")


def test_a_store_whose_init_raises_is_named_with_its_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(REGISTERED, "fails", refuse)
    with pytest.raises(ProcessorStateException, match='cannot open store "own"') as caught:
        opened(built("fails"))
    assert "Task 0_0; OSError: the disk is gone" in str(caught.value)
    assert isinstance(caught.value.__cause__, OSError)
    assert caught.value.hint


def test_a_builder_that_raises_or_builds_nothing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OwnBuilder, "build", refuse)
    with pytest.raises(ProcessorStateException, match='cannot open store "own"'):
        opened(built("callback"))
    monkeypatch.setattr(OwnBuilder, "build", lambda self: None)
    with pytest.raises(ClassCastException, match='builder of store "own" built a NoneType'):
        opened(built("callback"))


@pytest.mark.parametrize("wrong", [5, "restore", dict, object()])
def test_a_callback_can_be_called(monkeypatch: pytest.MonkeyPatch, wrong: Any) -> None:
    monkeypatch.setitem(REGISTERED, "wrong", lambda store, context: context.register(store, wrong))
    with pytest.raises(ClassCastException, match="stateRestoreCallback cannot be") as caught:
        opened(built("wrong"))
    assert "a method restore or restoreAll()" in caught.value.hint
    monkeypatch.setitem(
        REGISTERED,
        "wrong",
        lambda store, context: context.register(store, lambda key, value: None, wrong),
    )
    with pytest.raises(ClassCastException, match="commitCallback cannot be"):
        opened(built("wrong"))


def test_bytes_are_logged_under_the_stores_own_name() -> None:
    first = ("own", b"j", b"v", None, None)
    opened(
        built("callback"), first, ("own", b"k", b"v", 5, None), ("own", b"k", None, 6, Headers())
    )


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("other", b"k", b"v", 5, None), "no store of this name"),
        (("own", "k", b"v", 5, None), "its key is a str"),
        (("own", b"k", "v", 5, None), "its value is a str"),
        (("own", b"k", b"v", "5", None), "its time is a str"),
    ],
)
def test_a_change_that_would_be_lost_is_refused(change: tuple[Any, ...], told: str) -> None:
    with pytest.raises(StreamsException) as caught:
        opened(built("callback"), change)
    assert told in str(caught.value)
