"""A look at what a plugin's suppression buffer answers.

An update that it loses, or gives too early or twice, would be a wrong result without an error; and
a handler for exceptions could pass over what it raises.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import index
from typing import Any, SupportsIndex

from typing_extensions import Self

from millstream.core.buffers import (
    BufferedChange,
    BufferSettings,
    BufferTraits,
    SuppressionBuffer,
)
from millstream.core.durations import LONG_MAX
from millstream.core.errors import ClassCastException, IllegalStateException, PluginError
from millstream.core.record_context import RecordContext
from millstream.core.wording import a_kind
from millstream.core.working_copy import store_errors

_HINT = "Run the tests of millstream.testing.kit.SuppressionBufferTests for the buffer."


def checked_buffer(buffer: Any, offered: type[SuppressionBuffer]) -> SuppressionBuffer:
    """Return a buffer whose answers are looked at; those of millstream's own are not.

    Raises:
        PluginError: ``open`` has not returned a buffer.
    """
    made = not isinstance(buffer, type)  # a class has the traits as well
    if not made or not isinstance(getattr(buffer, "traits", None), BufferTraits):
        returned = a_kind(buffer) if made else f"the class {buffer.__name__}"
        raise PluginError(
            f'the open() of suppression buffer "{offered.name}" returned {returned}, which is none',
            detail=f"The class is {offered.__module__}.{offered.__qualname__}.",
            hint="Return an instance of the class.",
        )
    found: SuppressionBuffer = buffer
    return found if type(buffer).__module__.startswith("millstream.") else CheckedBuffer(found)


class CheckedBuffer(SuppressionBuffer):
    """Refuses wrong answers; every error of the buffer is one of its store."""

    def __init__(self, below: SuppressionBuffer) -> None:
        self.below = below
        self.name = below.name  # type: ignore[misc]
        self.traits = below.traits  # type: ignore[misc]

    @classmethod
    def open(cls, settings: BufferSettings) -> Self:
        """Refuse: it is made of a buffer that is open.

        Raises:
            TypeError: Always.
        """
        raise TypeError(f"{cls.__name__} wraps a buffer that is open")

    def add(
        self,
        time: int,
        key: bytes,
        old: bytes | None,
        new: bytes | None,
        context: RecordContext,
    ) -> None:
        with store_errors():
            self.below.add(time, key, old, new, context)

    def get(self, key: bytes) -> BufferedChange | None:
        with store_errors():
            found = self.below.get(key)
            return None if found is None else self._change(found, "get()")

    def evict(self, until: int) -> Iterator[tuple[bytes, BufferedChange]]:
        """Remove and yield the entries with ``time <= until`` in order."""
        with store_errors():
            entries: Any = self.below.evict(until)
            if not isinstance(entries, Iterable):
                raise self._refusal("evict()", a_kind(entries), "pairs of bytes and BufferedChange")
            entries = iter(entries)
        try:
            yield from self._evicted(entries, until)
        finally:
            close = getattr(entries, "close", None)
            if close is not None:
                close()

    def restore(self, key: bytes, change: BufferedChange | None) -> None:
        with store_errors():
            self.below.restore(key, change)

    def first_time(self) -> int:
        with store_errors():
            return self._number(self.below.first_time(), "first_time()")

    def count(self) -> int:
        with store_errors():
            return self._number(self.below.count(), "count()")

    def size(self) -> int:
        with store_errors():
            return self._number(self.below.size(), "size()")

    def flush(self) -> None:
        self.below.flush()

    def reload(self) -> None:
        with store_errors():
            self.below.reload()

    def close(self) -> None:
        self.below.close()

    def _evicted(
        self, entries: Iterator[Any], until: int
    ) -> Iterator[tuple[bytes, BufferedChange]]:
        """Yield what is due; the first entry must be gone then, and nothing due be left."""
        number = 0
        while True:
            with store_errors():
                found = next(entries, None)
                if found is None:
                    break
                entry = self._entry(found)
                if entry[1].time > until:
                    raise self._broken(f"has evicted an update of {entry[1].time} at {until}")
                if number == 0 and self.below.get(entry[0]) is not None:
                    raise self._broken("still has an update that it has evicted")
                number += 1
            yield entry
        if self.first_time() <= until < LONG_MAX:
            with store_errors():
                raise self._broken(f"has evicted everything until {until}, and says it has more")

    def _entry(self, found: Any) -> tuple[bytes, BufferedChange]:
        if not isinstance(found, (tuple, list)) or len(found) != 2:
            raise self._refusal("evict()", f"{a_kind(found)} as an entry", "pairs")
        key, change = found
        if not isinstance(key, bytes | bytearray | memoryview):
            raise self._refusal("evict()", f"{a_kind(key)} as a key", "bytes")
        return bytes(key), self._change(change, "evict()")

    def _change(self, found: Any, where: str) -> BufferedChange:
        if isinstance(found, BufferedChange):
            return found
        raise self._refusal(where, a_kind(found), "a BufferedChange")

    def _number(self, found: Any, where: str) -> int:
        if type(found) is int:
            return found
        if not isinstance(found, SupportsIndex):
            raise self._refusal(where, a_kind(found), "a number")
        return index(found)

    def _refusal(self, where: str, found: str, wanted: str) -> Exception:
        return ClassCastException(
            f'{where} of suppression buffer "{self.name}" returned {found}',
            detail=self._class(),
            hint=f"Return {wanted}, as the contract of SuppressionBuffer says.",
        )

    def _broken(self, what: str) -> Exception:
        return IllegalStateException(
            f'suppression buffer "{self.name}" {what}', detail=self._class(), hint=_HINT
        )

    def _class(self) -> str:
        kind = type(self.below)
        return f"The class is {kind.__module__}.{kind.__qualname__}."
