"""Processor of ``KTable.transformValues``, and the view of its table without a store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from millstream.core.errors import ClassCastException, StreamsException
from millstream.core.record_context import RecordContext
from millstream.core.wording import a_kind
from millstream.topology.callables import KEY_VALUE, check_callable
from millstream.topology.operators.getters import Cell, Getter, GetterAbove, ViewAbove
from millstream.topology.operators.table import DerivedTable
from millstream.topology.operators.table_settings import TableSettings

_NO_TIME = -1


class TransformTableValues(DerivedTable):
    """Computes the value of every row, also of deleted ones, with a user's transformer."""

    reads_globals = True
    keys_by_record = False

    def __init__(self, supplier: Callable[[], Any], *, settings: TableSettings) -> None:
        super().__init__(settings=settings)
        self._transformer = supplier()

    def init(self, context: Any) -> None:
        super().init(context)
        # A transformer may read the current record's metadata, which a chunk does not have.
        self.by_records = True
        _init(self._transformer, context)

    def compute(self, key: Any, value: Any) -> Any:
        return self._transformer.transform(key, value)

    def close(self) -> None:
        _close(self._transformer)


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformView(ViewAbove):
    """A table of transformed values without a store; the reader has a transformer of its own."""

    supplier: Callable[[], Any]

    def open(self, context: Any) -> Getter:
        return _TransformGetter(self.supplier(), self.above.open(context), context)


class _TransformGetter(GetterAbove):
    def __init__(self, transformer: Any, above: Getter, context: Any) -> None:
        super().__init__(above)
        self._transformer = transformer
        self._context = context
        _init(transformer, context)

    def close(self) -> None:
        super().close()
        _close(self._transformer)

    def _row(self, key: Any, cell: Cell) -> Cell:
        value, timestamp = (None, _NO_TIME) if cell is None else cell
        # The row's own time, and no offset: the current record is not what is transformed.
        with self._context.as_record(RecordContext(None, -1, -1, timestamp)):
            result = self._transformer.transform(key, value)
        return None if result is None else (result, timestamp)


class _ReadOnlyContext:
    """Context of a processor for a transformer, which must not forward."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def getStateStore(self, name: str) -> Any:
        """Return a store as a user's processor gets it: a global one is read only."""
        return self._context.lent_store(name)

    def forward(self, *arguments: Any, **keywords: Any) -> None:
        """Refuse.

        Raises:
            StreamsException: Always.
        """
        raise StreamsException(
            "a value transformer cannot forward records",
            hint="Return the new value; use KStream.process() to forward.",
        )


def _init(transformer: Any, context: Any) -> None:
    if not callable(getattr(transformer, "transform", None)):
        raise ClassCastException(
            f"{a_kind(transformer)} cannot be a value transformer: it has no method transform",
            hint="Let the supplier return a new object with transform(self, readOnlyKey, value).",
        )
    check_callable(transformer.transform, "the method transform() of a transformer", KEY_VALUE)
    init = getattr(transformer, "init", None)
    if init is not None:
        init(_ReadOnlyContext(context))


def _close(transformer: Any) -> None:
    close = getattr(transformer, "close", None)
    if close is not None:
        close()
