"""What a plugin's operator does with runs of records: mistakes get a place, and lose nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from millstream import Serdes, StreamsBuilder
from millstream.core.errors import ClassCastException, StreamsException
from millstream.plugins import Chunk, ChunkProcessor, StreamOperator, hookimpl
from millstream.plugins.registry import registered
from millstream.testing.kit.one_task import sent_by

CONFIG = {"default.key.serde": Serdes.String(), "default.value.serde": Serdes.String()}


class Changing(ChunkProcessor):
    """Does with a chunk what a test wants."""

    change: ClassVar[Callable[[Any, Chunk], Any]]

    def init(self, context: Any) -> None:
        self.context = context

    def process(self, record: Any) -> None:
        self.context.forward(record)

    def process_chunk(self, chunk: Chunk) -> None:
        type(self).change(self.context, chunk)


async def waits(self: Any, chunk: Chunk) -> None:
    pass


def yields(self: Any, chunk: Chunk) -> Iterator[Chunk]:
    yield chunk


class Waiting(Changing):
    """Never runs."""

    process_chunk = waits  # type: ignore[assignment]


class Yielding(Changing):
    """Runs for nobody."""

    process_chunk = yields  # type: ignore[assignment]


@dataclass(frozen=True)
class Plugged(StreamOperator):
    """The operator of one of these processors."""

    kind: type[Changing] = Changing

    name = "plugged"

    def processor(self, node: Any) -> Changing:
        return self.kind()


class Plugin:
    """Offers the operator."""

    @hookimpl
    def millstream_register_operators(self) -> list[type[StreamOperator]]:
        """Return the class."""
        return [Plugged]


@pytest.fixture(autouse=True)
def _plugin() -> Iterator[None]:
    with registered(Plugin()):
        yield


def sent(kind: type[Changing] = Changing, **config: Any) -> list[bytes | None]:
    builder = StreamsBuilder()
    stream: Any = builder.stream("in")
    stream.plugged(kind).mapValues(str.upper).to("out")
    rows = [(b"k%d" % n, b"v%d" % n, n) for n in range(3)]
    found = sent_by(builder.build(), CONFIG | config, "in", rows, by_chunks=True)
    return [each.value for each in found]


def changed(monkeypatch: pytest.MonkeyPatch, change: Callable[[Any, Chunk], Any]) -> None:
    monkeypatch.setattr(Changing, "change", staticmethod(change), raising=False)


@pytest.mark.parametrize(
    "values", [lambda given: [*given], tuple, lambda given: [f"{each}" for each in given]]
)
def test_right_chunks_go_on(monkeypatch: pytest.MonkeyPatch, values: Callable[[Any], Any]) -> None:
    changed(
        monkeypatch, lambda to, chunk: to.forward_chunk(chunk.replace(values=values(chunk.values)))
    )
    assert sent() == [b"V0", b"V1", b"V2"]


@pytest.mark.parametrize(
    ("forwarded", "said"),
    [
        (lambda chunk: chunk.replace(values=chunk.values[1:]), "3 keys, 2 values"),
        (lambda chunk: chunk.replace(keys=[*chunk.keys, "k"]), "4 keys, 3 values"),
        (lambda chunk: chunk.replace(values=iter(chunk.values)), "whose values are a"),
        (lambda chunk: chunk.at([-1] * 3), "times that are none"),
        (lambda chunk: chunk.at([None] * 3), "times that are none"),
        (lambda chunk: list(chunk), "a list as a chunk"),
        (lambda chunk: None, "a NoneType as a chunk"),
    ],
)
def test_a_wrong_chunk_is_told_with_the_operator(
    monkeypatch: pytest.MonkeyPatch, forwarded: Callable[[Chunk], Any], said: str
) -> None:
    changed(monkeypatch, lambda to, chunk: to.forward_chunk(forwarded(chunk)))
    with pytest.raises(StreamsException) as caught:
        sent()
    assert said in str(caught.value)
    assert 'operator "KSTREAM-PLUGGED-0000000001"' in str(caught.value)


def test_what_process_chunk_raises_has_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    changed(monkeypatch, lambda to, chunk: 1 // 0)
    with pytest.raises(StreamsException, match="cannot process a run of records") as caught:
        sent()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert "Task 0_0, in-0 at offsets 0 to 2" in caught.value.detail
    assert "context.fail(chunk, index, error)" in caught.value.hint


def test_a_failing_record_goes_to_the_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    def but_the_second(to: Any, chunk: Chunk) -> None:
        to.fail(chunk, 1, ValueError("the second"))
        to.forward_chunk(chunk.take([0, 2]))

    changed(monkeypatch, but_the_second)
    keep_on = "org.apache.kafka.streams.errors.LogAndContinueProcessingExceptionHandler"
    config: Any = {"processing.exception.handler": keep_on}
    assert sent(**config) == [b"V0", b"V2"]


@pytest.mark.parametrize(("kind", "said"), [(Waiting, "an async"), (Yielding, "a generator")])
def test_a_process_chunk_that_would_not_run_is_refused(kind: type[Changing], said: str) -> None:
    """All records were lost."""
    with pytest.raises(
        ClassCastException, match=rf"process_chunk\(\) of {kind.__name__} cannot be {said}"
    ):
        sent(kind)
