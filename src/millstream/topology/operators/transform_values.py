"""Processor of ``KTable.transformValues``, and how its values are read where it is not kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from millstream.core.errors import StreamsException
from millstream.core.record_context import RecordContext
from millstream.topology.operators.getters import Cell, Getter, View
from millstream.topology.operators.table import DerivedTable
from millstream.topology.operators.table_settings import TableSettings

_NO_TIME = -1


class TransformTableValues(DerivedTable):
    """Computes every row's value with an object of the user's, deleted rows' too."""

    reads_globals = True

    def __init__(self, supplier: Callable[[], Any], *, settings: TableSettings) -> None:
        super().__init__(settings=settings)
        self._transformer = supplier()

    def init(self, context: Any) -> None:
        """Open the store, if the table is kept, and prepare the transformer."""
        super().init(context)
        # A transformer may ask for the record in hand, and a run of records has none.
        self.by_records = True
        _init(self._transformer, context)

    def compute(self, key: Any, value: Any) -> Any:
        """Return the transformed value."""
        return self._transformer.transform(key, value)

    def close(self) -> None:
        """Close the transformer."""
        _close(self._transformer)


@dataclass(frozen=True, slots=True)
class TransformView(View):
    """A table of transformed values that is not kept; the reader transforms for itself."""

    supplier: Callable[[], Any]
    above: View

    @property
    def stores(self) -> tuple[str, ...]:
        """The stores that the values come from in the end."""
        return self.above.stores

    def open(self, context: Any) -> Getter:
        """Return what reads above and transforms."""
        return _TransformGetter(self.supplier(), self.above.open(context), context)


class _TransformGetter(Getter):
    def __init__(self, transformer: Any, above: Getter, context: Any) -> None:
        self._transformer = transformer
        self._above = above
        self._context = context
        self.versioned = above.versioned
        _init(transformer, context)

    def get(self, key: Any) -> Cell:
        return self._transformed(key, self._above.get(key))

    def get_as_of(self, key: Any, timestamp: int) -> Cell:
        return self._transformed(key, self._above.get_as_of(key, timestamp))

    def close(self) -> None:
        self._above.close()
        _close(self._transformer)

    def _transformed(self, key: Any, cell: Cell) -> Cell:
        value, timestamp = (None, _NO_TIME) if cell is None else cell
        # The row's own time, and no place: it is not the record in hand that is transformed.
        with self._context.as_record(RecordContext(None, -1, -1, timestamp)):
            result = self._transformer.transform(key, value)
        return None if result is None else (result, timestamp)


class _ReadOnlyContext:
    """A processor's context for something that must not forward."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

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
    init = getattr(transformer, "init", None)
    if init is not None:
        init(_ReadOnlyContext(context))


def _close(transformer: Any) -> None:
    close = getattr(transformer, "close", None)
    if close is not None:
        close()
