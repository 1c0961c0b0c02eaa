"""The kit passes suppression buffers that keep their promises and says what the others break."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from typing_extensions import Self

from millstream.core.record_context import RecordContext
from millstream.plugins import BufferedChange, BufferSettings, BufferTraits, SuppressionBuffer
from millstream.stores.buffers import MemoryBuffer, SpillBuffer
from millstream.testing.kit import BrokenPromise, SuppressionBufferTests, run_suite
from millstream.testing.kit.buffers import BufferModel


class PlainBuffer(SuppressionBuffer):
    """A dictionary that is sorted when somebody asks."""

    name = "plain"
    traits = BufferTraits()

    def __init__(self) -> None:
        self.model = BufferModel()

    @classmethod
    def open(cls, settings: BufferSettings) -> Self:
        return cls()

    def add(
        self, time: int, key: bytes, old: bytes | None, new: bytes | None, context: RecordContext
    ) -> None:
        self.model.add(time, key, old, new, context)

    def get(self, key: bytes) -> BufferedChange | None:
        return self.model.held.get(key)

    def evict(self, until: int) -> Iterator[tuple[bytes, BufferedChange]]:
        for key in self.model.due(until):
            yield key, self.model.held.pop(key)

    def restore(self, key: bytes, change: BufferedChange | None) -> None:
        self.model.held.pop(key, None)
        if change is not None:
            self.model.held[key] = change

    def first_time(self) -> int:
        return min((change.time for change in self.model.held.values()), default=2**63 - 1)

    def count(self) -> int:
        return len(self.model.held)

    def size(self) -> int:
        return sum(change.size(key) for key, change in self.model.held.items())


class NewPlace(PlainBuffer):
    """Gives an update the place of a new one."""

    def add(self, time: int, key: bytes, *arguments: Any) -> None:
        prior = self.model.held.pop(key, None)
        super().add(time, key, *arguments)
        if prior is not None:
            self.model.held[key] = self.model.held[key]._replace(prior=prior.prior)


class TakesAll(PlainBuffer):
    """Takes out everything that is due at once."""

    def evict(self, until: int) -> Iterator[tuple[bytes, BufferedChange]]:
        due = [(key, self.model.held.pop(key)) for key in self.model.due(until)]
        return iter(due)


class WithoutHeaders(PlainBuffer):
    """Keeps of a context what its own rows have columns for."""

    def add(
        self, time: int, key: bytes, old: bytes | None, new: bytes | None, context: RecordContext
    ) -> None:
        place = context.topic(), context.partition(), context.offset()
        super().add(time, key, old, new, RecordContext(*place, context.timestamp()))


class WithoutPunctuators(PlainBuffer):
    """Has a column for the topic, which is never null."""

    def add(
        self, time: int, key: bytes, old: bytes | None, new: bytes | None, context: RecordContext
    ) -> None:
        topic = context.topic() or ""
        place = topic, context.partition(), context.offset(), context.timestamp()
        kept = RecordContext(*place, context.headers())
        super().add(time, key, old, new, kept)


class ByArrival(PlainBuffer):
    """Keeps the order in which keys came."""

    def evict(self, until: int) -> Iterator[tuple[bytes, BufferedChange]]:
        for key in [key for key, change in self.model.held.items() if change.time <= until]:
            yield key, self.model.held.pop(key)


class Pretends(PlainBuffer):
    """Says it recovers."""

    traits = BufferTraits(recovers=True)


class TestPlain(SuppressionBufferTests):
    buffer_class = PlainBuffer


class TestMemory(SuppressionBufferTests):
    buffer_class = MemoryBuffer


class TestSpill(SuppressionBufferTests):
    buffer_class = SpillBuffer


COUNTED = "count, size and first_time are those of what is held"
UPDATED = "an update keeps time and prior value of the first and takes the rest of the last"
EVICTED = "evict yields what is due, by time, then by key bytes"
RECOVERED = "a buffer that recovers has after a failed batch what it had at the last commit"


@pytest.mark.parametrize(
    ("buffer", "test", "messages"),
    [
        (NewPlace, "any_history", (COUNTED, UPDATED, EVICTED)),
        (
            TakesAll,
            "eviction_stops_where_the_caller_stops",
            ("an eviction that is not read to its end keeps the rest",),
        ),
        (ByArrival, "any_history", (EVICTED,)),
        (WithoutHeaders, "any_history", (COUNTED, UPDATED, EVICTED)),
        (WithoutPunctuators, "any_history", (UPDATED, EVICTED)),
        (Pretends, "any_history", (COUNTED, RECOVERED)),
    ],
)
def test_a_broken_buffer_is_caught(
    buffer: type[SuppressionBuffer], test: str, messages: tuple[str, ...]
) -> None:
    # A fault shows in several ways; which one a history meets first is not fixed: Hypothesis draws
    # from the constants of all modules that are imported.
    suite = type("Suite", (SuppressionBufferTests,), {"buffer_class": buffer})
    (outcome,) = run_suite(suite, [f"test_{test}"])
    assert isinstance(outcome.error, BrokenPromise)
    assert outcome.message().splitlines()[0] in [f"broken promise: {each}" for each in messages]
