"""A plugin's suppression buffer that answers wrongly: the fault of its store, not of a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from compat_tests.kit.test_buffers import PlainBuffer
from millstream import Materialized, Serdes, StreamsBuilder, Suppressed
from millstream.core.errors import (
    IllegalStateException,
    PluginError,
    TaskCorruptedException,
)
from millstream.plugins import SuppressionBuffer, hookimpl
from millstream.plugins.registry import buffer_class, registered
from millstream.testing import TopologyTestDriver

TEXT = Serdes.String()
CONTINUE = "org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler"


class Answering(PlainBuffer):
    """A buffer whose answers a test changes."""

    name = "answering"
    change: Callable[[str, Any], Any] = staticmethod(lambda what, answer: answer)

    @classmethod
    def open(cls, settings: Any) -> Any:
        return cls.change("open", cls())

    def add(self, *arguments: Any) -> None:
        super().add(*self.change("add", arguments))

    def get(self, key: bytes) -> Any:
        return self.change("get", super().get(key))

    def evict(self, until: int) -> Any:
        return self.change("evict", super().evict(self.change("until", until)))

    def first_time(self) -> Any:
        return self.change("first_time", super().first_time())


class Plugin:
    """Offers the buffer."""

    @hookimpl
    def millstream_register_buffers(self) -> Sequence[type[SuppressionBuffer]]:
        """Return the class."""
        return [Answering]


@pytest.fixture(autouse=True)
def _plugin() -> Iterator[None]:
    with registered(Plugin()):
        yield


def held() -> TopologyTestDriver:
    """Return a driver that holds counts back for 10 ms, and passes over failing records."""
    builder = StreamsBuilder()
    counts = builder.stream("in").groupByKey().count(Materialized.as_("c").withCachingDisabled())
    limits = Suppressed.BufferConfig.unbounded().withBuffer("answering")
    late = counts.suppress(Suppressed.untilTimeLimit(10, limits))
    late.toStream().mapValues(str).to("out")
    config = {"default.key.serde": TEXT, "default.value.serde": TEXT}
    return TopologyTestDriver(
        builder.build(), config | {"processing.exception.handler": CONTINUE}, 0
    )


def results() -> list[tuple[str, str]]:
    with held() as driver:
        topic = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        for time, key in ((0, "a"), (1, "b"), (2, "a"), (11, "c"), (30, "d")):
            topic.pipeInput(key, "x", time)
        out = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        return [(pair.key, pair.value) for pair in out.readKeyValuesToList()]


def answers(monkeypatch: pytest.MonkeyPatch, what: str, wrong: Callable[[Any], Any]) -> None:
    monkeypatch.setattr(
        Answering, "change", staticmethod(lambda asked, it: wrong(it) if asked == what else it)
    )


RIGHT = [("a", "2"), ("b", "1"), ("c", "1")]


def test_right_answers_are_taken() -> None:
    assert results() == RIGHT


@pytest.mark.parametrize("collection", [list, tuple])
def test_all_that_is_due_may_come_in_a_list(
    monkeypatch: pytest.MonkeyPatch, collection: type[list[Any] | tuple[Any, ...]]
) -> None:
    """It was read again from its begin, without end."""
    answers(monkeypatch, "evict", collection)
    assert results() == RIGHT


def test_keys_may_come_in_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    answers(monkeypatch, "evict", lambda found: ((memoryview(key), each) for key, each in found))
    assert results() == RIGHT


@pytest.mark.parametrize(
    ("what", "wrong", "said"),
    [
        ("add", lambda _: 1 // 0, "ZeroDivisionError"),
        ("evict", lambda _: 1 // 0, "ZeroDivisionError"),
        ("evict", lambda found: (1 // 0 for each in found), "ZeroDivisionError"),
        ("evict", lambda _: None, "evict() of suppression buffer"),
        ("evict", lambda found: (key for key, _ in found), "a bytes as an entry"),
        ("evict", lambda found: ((key, each.new) for key, each in found), "returned a bytes"),
        ("evict", lambda found: (("k", each) for key, each in found), "a str as a key"),
        ("until", lambda until: until + 100, "has evicted an update of 11 at 1"),
        ("get", lambda _: b"there", "get() of suppression buffer"),
        ("first_time", lambda time: 0 if time > 9 else time, "and says it has more"),
    ],
)
def test_no_exception_handler_passes_over_a_wrong_buffer(
    monkeypatch: pytest.MonkeyPatch, what: str, wrong: Callable[[Any], Any], said: str
) -> None:
    answers(monkeypatch, what, wrong)
    with pytest.raises(TaskCorruptedException) as caught:
        results()
    assert said in str(caught.value)


def test_what_has_been_evicted_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Answering,
        "evict",
        lambda self, until: [(key, self.model.held[key]) for key in self.model.due(until)],
    )
    with pytest.raises(TaskCorruptedException) as caught:
        results()
    assert isinstance(caught.value.__cause__, IllegalStateException)
    assert "still has an update that it has evicted" in str(caught.value)


@pytest.mark.parametrize("wrong", [lambda _: None, type])
def test_what_is_opened_is_a_buffer(
    monkeypatch: pytest.MonkeyPatch, wrong: Callable[[Any], Any]
) -> None:
    answers(monkeypatch, "open", wrong)
    with pytest.raises(PluginError, match=r'the open\(\) of suppression buffer "answering" return'):
        held()


def test_a_buffer_is_chosen_by_a_text() -> None:
    with pytest.raises(PluginError, match="a suppression buffer cannot be chosen by the class"):
        buffer_class(Answering)  # type: ignore[arg-type]
