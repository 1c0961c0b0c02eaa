"""``KGroupedStream`` and ``TimeWindowedKStream``: records grouped by key, to be aggregated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from millstream.core.errors import UnsupportedOperationException
from millstream.core.serdes import TimeWindowedSerde
from millstream.core.windows import Windowed, Windows
from millstream.topology.aggregation import Aggregating, Grouping
from millstream.topology.checks import not_none
from millstream.topology.flow import Flow
from millstream.topology.materialize import (
    Kept,
    KeyValueTableBuilder,
    TableStoreBuilder,
    WindowTableBuilder,
)
from millstream.topology.operators.aggregate import Aggregate
from millstream.topology.operators.folding import Combine, Initial
from millstream.topology.operators.window_aggregate import WindowAggregate
from millstream.topology.options import Grouped

K = TypeVar("K")
V = TypeVar("V")


class KGroupedStream(Aggregating[K, K, V]):
    """Records grouped by key; made by ``KStream.groupBy`` and ``groupByKey``.

    An aggregation is a table with a row per key. Records without key or value are dropped, and the
    time of a row is the largest of its records.

    Source: ``kstream.KGroupedStream``.
    """

    def __init__(self, flow: Flow, grouped: Grouped[K, V]) -> None:
        super().__init__(Grouping(flow, grouped))

    def windowedBy(self, windows: Windows[Any]) -> TimeWindowedKStream[K, V]:
        """Group by time as well: each record belongs to every window it falls into.

        Raises:
            UnsupportedOperationException: ``windows`` is no ``Windows``.
        """
        if not isinstance(not_none(windows, "windows"), Windows):
            raise UnsupportedOperationException(
                f"windowedBy() does not take a {type(windows).__name__}",
                hint="Give TimeWindows or UnlimitedWindows.",
            )
        return TimeWindowedKStream(self._grouping, windows)

    def _store(self, kept: Kept) -> TableStoreBuilder:
        return KeyValueTableBuilder(kept)

    def _processor(self, initial: Initial, combine: Combine) -> Callable[..., Any]:
        return partial(Aggregate, initial, combine)

    def _table_key_serde(self, key_serde: Any) -> Any:
        return key_serde


class TimeWindowedKStream(Aggregating[Windowed[K], K, V]):
    """Records grouped by key and window; made by ``KGroupedStream.windowedBy``.

    An aggregation is a table with a row per key and window. A record that comes after its window
    and the grace period have ended is dropped; records without a key are, too.

    Source: ``kstream.TimeWindowedKStream``.
    """

    def __init__(self, grouping: Grouping, windows: Windows[Any]) -> None:
        super().__init__(grouping)
        self._windows = windows

    def _store(self, kept: Kept) -> TableStoreBuilder:
        return WindowTableBuilder(kept, windows=self._windows)

    def _processor(self, initial: Initial, combine: Combine) -> Callable[..., Any]:
        return partial(WindowAggregate, self._windows, initial, combine)

    def _table_key_serde(self, key_serde: Any) -> Any:
        return None if key_serde is None else TimeWindowedSerde(key_serde, self._windows.size())
