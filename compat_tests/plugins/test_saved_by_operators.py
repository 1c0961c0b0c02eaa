"""What a plugin's processor saves for a restart, and what it makes of that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from millstream import Processor, StreamsBuilder
from millstream.core.engine import snapshots
from millstream.core.errors import (
    ClassCastException,
    MillstreamError,
    PluginError,
    StreamsException,
    TaskCorruptedException,
    UnsupportedOperationException,
)
from millstream.plugins import ChunkProcessor, NodeInfo, StreamOperator, hookimpl
from millstream.plugins.registry import registered


@pytest.mark.parametrize("saved", [b"state", bytearray(b"state"), memoryview(b"state")])
def test_bytes_are_saved(saved: Any) -> None:
    found = snapshots.saved_by("sample", lambda: saved)
    assert found == b"state"
    assert type(found) is bytes
    assert snapshots.saved_by("sample", lambda: None) is None


@pytest.mark.parametrize("saved", ["state", 5, {"n": 1}])
def test_what_is_no_bytes_is_told_with_its_processor(saved: Any) -> None:
    """It was a TypeError of base64, at the end of the batch."""
    with pytest.raises(ClassCastException, match='processor "sample" saves a'):
        snapshots.saved_by("sample", lambda: saved)


def test_what_save_raises_is_told_with_its_processor() -> None:
    with pytest.raises(
        StreamsException, match='processor "sample" cannot save its state'
    ) as caught:
        snapshots.saved_by("sample", lambda: b"%d" % (1 // 0))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("error", [KeyError("n"), TypeError("n"), EOFError(), ValueError("n")])
def test_what_restore_cannot_read_is_told_with_its_processor(error: Exception) -> None:
    with (
        pytest.raises(TaskCorruptedException, match='bytes for processor "sample"') as caught,
        snapshots.part_of("sample"),
    ):
        raise error
    assert caught.value.__cause__ is error
    assert type(error).__name__ in caught.value.detail


def joined(combine: Callable[[Any], Any]) -> snapshots.Snapshot:
    parts = [
        snapshots.Snapshot(
            stream_time=5,
            partition_times={},
            stream_punctuations=[],
            clock_punctuations=[],
            processors={"sample": saved},
        )
        for saved in (b"one", b"other")
    ]
    return snapshots.merged(parts, lambda node, saved: combine(saved))


def refuse(_: Any) -> bytes:
    raise UnsupportedOperationException("they differ")


@pytest.mark.parametrize(
    ("combine", "error"),
    [
        (lambda saved: "text", TaskCorruptedException),
        (lambda saved: None, TaskCorruptedException),
        (lambda saved: 1 // 0, TaskCorruptedException),
        (refuse, UnsupportedOperationException),
    ],
)
def test_what_combine_makes_is_bytes(
    combine: Callable[[Any], Any], error: type[MillstreamError]
) -> None:
    with pytest.raises(error):
        joined(combine)
    assert joined(b"".join).processors == {"sample": b"oneother"}


class Numbers(Processor[Any, Any, Any, Any]):
    """Counts, and would go on counting after a restart."""

    count = 0

    def init(self, context: Any) -> None:
        self.context = context

    def process(self, record: Any) -> None:
        self.count += 1
        self.context.forward(record.withValue(str(self.count)))

    def save(self) -> bytes:
        return str(self.count).encode()

    def restore(self, data: bytes) -> None:
        self.count = int(data)


class NumbersOn(Numbers, ChunkProcessor):
    """The same, of the class whose state is saved."""


@dataclass(frozen=True)
class Numbered(StreamOperator):
    made: type[Numbers]

    name = "numbered"

    def processor(self, node: NodeInfo) -> Any:
        return self.made()


class Plugin:
    @hookimpl
    def millstream_register_operators(self) -> list[type[StreamOperator]]:
        return [Numbered]


def test_a_processor_whose_state_nobody_would_save_is_refused() -> None:
    with registered(Plugin()):
        builder = StreamsBuilder()
        stream: Any = builder.stream("in")
        stream.numbered(NumbersOn).to("out")
        builder.build()
        stream.numbered(Numbers).to("out")
        with pytest.raises(PluginError, match='restore\\(\\) of operator "numbered" would never'):
            builder.build()
