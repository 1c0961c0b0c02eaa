"""Adapter that gives a user's processor the whole contract of a processor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from millstream.core.chunk_processor import ChunkProcessor
from millstream.core.engine.unused import check_unused, warn_unused
from millstream.core.errors import ClassCastException
from millstream.core.function_kinds import check_result
from millstream.core.processor import FixedKeyProcessor
from millstream.core.records import FixedKeyRecord, Record, make_record


class UserProcessor(ChunkProcessor):
    """Processor of a user: any object with ``process``; ``init`` and ``close`` are optional.

    Args:
        made: The user's object.
        inner: The processor inside it whose ``save`` and ``restore`` count, if there is one.
    """

    is_users = True

    def __init__(self, made: Any, inner: Any = None) -> None:
        self._init = getattr(made, "init", None)
        self._close = getattr(made, "close", None)
        self._made = made
        self._process: Any = None
        self._inner = inner if isinstance(inner, ChunkProcessor) else None
        self.keys_by_record = self._inner is not None and self._inner.keys_by_record
        self._context: Any = None
        self._warned = False
        # An operator inside it also forwards when a cache is flushed.
        self.only_in_calls = self._inner is None

    def init(self, context: Any) -> None:
        """Initialise the user's object, which may make its ``process`` there.

        Raises:
            ClassCastException: It has no method ``process``.
        """
        self._context = context
        if self._init is not None:
            check_result(self._init(context), "init() of a processor")
        self._process = getattr(self._made, "process", None)
        if not callable(self._process):
            raise ClassCastException(
                f"{type(self._made).__qualname__} cannot be a processor: it has no method process",
                hint="Define process(self, record), as Processor does.",
            )

    def process(self, record: Record[Any, Any]) -> None:
        """Let the user's object take a record."""
        context = self._context
        context.targets = context.linked
        try:
            if (result := self._process(record)) is not None:
                self._drop(result)
        finally:
            context.targets = context.resting

    def _drop(self, result: Any) -> None:
        check_unused(result, "process()")
        if not self._warned:
            self._warned = warn_unused(result, self._made)

    def save(self) -> bytes | None:
        """Return what the inner processor saves."""
        return None if self._inner is None else self._inner.save()

    def restore(self, data: bytes) -> None:
        """Give the inner processor what it saved."""
        if self._inner is not None:
            self._inner.restore(data)

    def combine(self, saved: Sequence[bytes]) -> bytes:
        """Return what the inner processor makes of what several tasks saved."""
        return super().combine(saved) if self._inner is None else self._inner.combine(saved)

    def close(self) -> None:
        """Close the user's object."""
        if self._close is None:
            return
        context = self._context
        context.targets = context.linked
        try:
            check_result(self._close(), "close() of a processor")
        finally:
            context.targets = context.resting


class FixedKeyUserProcessor(UserProcessor):
    """Processor of a user that cannot change keys."""

    fixed_key = True

    def process(self, record: Record[Any, Any]) -> None:
        """Let the user's object take a record of its own."""
        own = make_record(record._key, record._value, record._timestamp, record._headers)
        context = self._context
        context.given, context.targets = own, context.linked
        try:
            if (result := self._process(FixedKeyRecord(own))) is not None:
                self._drop(result)
        finally:
            context.targets = context.resting


def adapted(made: Any, *, fixed_key: bool = False) -> ChunkProcessor:
    """Return what a supplier made, in a form that has the whole contract.

    Args:
        made: What the supplier returned.
        fixed_key: The supplier is one of processors that cannot change keys.
    """
    fixed_key = fixed_key or isinstance(made, FixedKeyProcessor)
    if isinstance(made, ChunkProcessor) and made.fixed_key >= fixed_key:
        return made
    return FixedKeyUserProcessor(made) if fixed_key else UserProcessor(made)
