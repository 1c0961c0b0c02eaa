"""``KGroupedStream`` and its windowed forms: records grouped by key for an aggregation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, overload

from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    UnsupportedOperationException,
)
from millstream.core.serdes import SessionWindowedSerde, TimeWindowedSerde
from millstream.core.windows import (
    EmitStrategy,
    SessionWindows,
    SlidingWindows,
    TimeWindows,
    UnlimitedWindows,
    Windowed,
    Windows,
)
from millstream.core.wording import a_kind
from millstream.topology.callables import MERGED
from millstream.topology.checks import not_none
from millstream.topology.dsl.aggregation import Adds, Aggregating, Grouping, Reducing, Shape, Starts
from millstream.topology.dsl.arguments import ABSENT
from millstream.topology.dsl.cogrouped import CogroupedKStream, cogrouped
from millstream.topology.dsl.declared_operators import WindowOperators
from millstream.topology.dsl.flow import Flow
from millstream.topology.dsl.functions import Merger, plain
from millstream.topology.dsl.materialize import (
    KeyValueTableBuilder,
    SessionTableBuilder,
    SlidingTableBuilder,
    WindowTableBuilder,
    emits_on_close,
    idle_timeout,
)
from millstream.topology.dsl.options import Grouped, Materialized, Named
from millstream.topology.dsl.type_vars import A, K, V
from millstream.topology.operators.aggregate import Aggregate
from millstream.topology.operators.session_aggregate import SessionAggregate
from millstream.topology.operators.sliding_aggregate import SlidingAggregate
from millstream.topology.operators.window_aggregate import WindowAggregate

if TYPE_CHECKING:
    from millstream.topology.dsl.ktable import KTable


Merges = Merger[K, A] | Callable[[K, A, A], A | None]


class KGroupedStream(Aggregating[K, K, V]):
    """Records grouped by key; made by ``KStream.groupBy`` and ``groupByKey``.

    An aggregation is a table with a row per key. Records without key or value are dropped, and the
    time of a row is the largest of its records.

    Source: ``kstream.KGroupedStream``.
    """

    def __init__(self, flow: Flow, grouped: Grouped[K, V]) -> None:
        super().__init__(Grouping(flow, grouped))

    def cogroup(self, aggregator: Adds[K, V, A]) -> CogroupedKStream[K, A]:
        """Begin an aggregate that this stream and others, added to the result, share."""
        return cogrouped(self, aggregator)

    @overload
    def windowedBy(self, windows: Windows[Any] | SlidingWindows) -> TimeWindowedKStream[K, V]: ...
    @overload
    def windowedBy(self, windows: SessionWindows) -> SessionWindowedKStream[K, V]: ...
    def windowedBy(
        self, windows: Windows[Any] | SlidingWindows | SessionWindows
    ) -> TimeWindowedKStream[K, V] | SessionWindowedKStream[K, V]:
        """Group by time as well: each record belongs to every window it falls into.

        Raises:
            UnsupportedOperationException: ``windows`` is nothing of the kind.
        """
        not_none(windows, "windows")
        if isinstance(windows, SessionWindows):
            return SessionWindowedKStream(self.grouping, windows)
        if isinstance(windows, Windows | SlidingWindows):
            if isinstance(windows, Windows):
                _check_lengths(windows)
            return TimeWindowedKStream(self.grouping, windows)
        raise UnsupportedOperationException(
            f"windowedBy() does not take {a_kind(windows)}",
            hint="Give TimeWindows, SlidingWindows, SessionWindows, UnlimitedWindows, or an object "
            "of a subclass of Windows.",
        )

    def shape(self) -> Shape:
        return Shape(processor=Aggregate, store=KeyValueTableBuilder, key_serde=_itself)


class TimeWindowedKStream(Aggregating[Windowed[K], K, V], WindowOperators[K, V]):
    """Records grouped by key and window; made by ``KGroupedStream.windowedBy``.

    An aggregation is a table with a row per key and window. A record that comes after its window
    and the grace period have ended is dropped; records without a key are, too, and in sliding
    windows those without a value.

    Source: ``kstream.TimeWindowedKStream``.
    """

    def __init__(
        self,
        grouping: Grouping,
        windows: Windows[Any] | SlidingWindows,
        emit: EmitStrategy | None = None,
    ) -> None:
        super().__init__(grouping)
        self._windows = windows
        self._emit = emit

    def emitStrategy(self, emitStrategy: EmitStrategy) -> TimeWindowedKStream[K, V]:
        """Give results at each update (the default), or once per closed window; returns itself.

        What has closed is emitted when a record comes, in order of time; with
        ``EmitStrategy.onWindowClose().orIdle(...)`` also when none comes any more.

        Raises:
            ClassCastException: ``emitStrategy`` is no strategy.
            IllegalArgumentException: The windows are unlimited and would never close. Of windows
                of your own the aggregation says so: only ``TimeWindows`` and ``SlidingWindows``
                can wait.
        """
        on_close = emits_on_close(_strategy(emitStrategy))
        if on_close and isinstance(self._windows, UnlimitedWindows):
            raise IllegalArgumentException(
                "ON_WINDOW_CLOSE emit strategy cannot be used for UnlimitedWindows",
                hint="Use EmitStrategy.onWindowUpdate(), or windows that end.",
            )
        self._emit = emitStrategy
        return self

    def shape(self) -> Shape:
        windows: Any = self._windows
        emit = self._emit
        on_close, idle_ms = emits_on_close(emit), idle_timeout(emit)
        if on_close and not isinstance(windows, TimeWindows | SlidingWindows):
            raise IllegalArgumentException(
                "ON_WINDOW_CLOSE strategy is only supported for TimeWindows and SlidingWindows "
                "for TimeWindowedKStream",
                detail=f"The windows are {type(windows).__name__}.",
                hint="Leave emitStrategy() out and put suppress(Suppressed.untilWindowCloses(...)) "
                "below.",
            )
        slides = isinstance(windows, SlidingWindows)
        size_ms = windows.timeDifferenceMs() if slides else windows.size()
        processor: Any = SlidingAggregate if slides else WindowAggregate
        builder = SlidingTableBuilder if slides else WindowTableBuilder
        return Shape(
            processor=partial(processor, windows, on_close=on_close, idle_ms=idle_ms),
            store=partial(builder, windows=windows, emit=emit),
            key_serde=partial(_windowed_serde, size_ms),
            count_wastes_number=not slides,
        )


class SessionWindowedKStream(Reducing[Windowed[K], K, V], WindowOperators[K, V]):
    """Records grouped by key and session; made by ``KGroupedStream.windowedBy``.

    An aggregation is a table with a row per key and session, whose time is the session's end. A
    session that grows, or is merged with others, is deleted and comes back with new bounds.

    Source: ``kstream.SessionWindowedKStream``.
    """

    def __init__(
        self, grouping: Grouping, windows: SessionWindows, emit: EmitStrategy | None = None
    ) -> None:
        super().__init__(grouping)
        self._windows = windows
        self._emit = emit

    def aggregate(
        self,
        initializer: Starts[A],
        aggregator: Adds[K, V, A],
        sessionMerger: Merges[K, A],
        named: Named | Materialized[K, Any, Any] = ABSENT,
        materialized: Materialized[K, Any, Any] = ABSENT,
    ) -> KTable[Windowed[K], A]:
        """Add values to an aggregate: ``aggregate(init, add, merge[, named][, materialized])``.

        ``sessionMerger`` makes one aggregate of two. It also gets the initializer's, as the first
        of the two, and must give back the other one then.
        """
        merge = plain(sessionMerger, "apply", "sessionMerger", MERGED)
        return self._aggregate(initializer, aggregator, named, materialized, merge)

    def emitStrategy(self, emitStrategy: EmitStrategy) -> SessionWindowedKStream[K, V]:
        """Give results at each update (the default), or once per closed session; returns itself.

        What has closed is emitted when a record comes, in order of time.

        Raises:
            ClassCastException: ``emitStrategy`` is no strategy.
        """
        self._emit = _strategy(emitStrategy)
        return self

    def shape(self) -> Shape:
        windows, emit = self._windows, self._emit
        on_close, idle_ms = emits_on_close(emit), idle_timeout(emit)
        return Shape(
            processor=partial(SessionAggregate, windows, on_close=on_close, idle_ms=idle_ms),
            store=partial(SessionTableBuilder, windows=windows, emit=emit),
            key_serde=_session_serde,
            merges=True,
        )


def _strategy(given: Any) -> EmitStrategy:
    """Return a strategy; ``EmitStrategy.onWindowClose`` without parentheses is the likely slip."""
    strategy: object = not_none(given, "emitStrategy")
    if isinstance(strategy, EmitStrategy):
        return strategy
    raise ClassCastException(
        f"emitStrategy cannot be {a_kind(given)}",
        hint="Write EmitStrategy.onWindowClose() or EmitStrategy.onWindowUpdate().",
    )


def _itself(key_serde: Any) -> Any:
    return key_serde


def _windowed_serde(size_ms: int, key_serde: Any) -> Any:
    return None if key_serde is None else TimeWindowedSerde(key_serde, size_ms)


def _session_serde(key_serde: Any) -> Any:
    return None if key_serde is None else SessionWindowedSerde(key_serde)


def _check_lengths(windows: Windows[Any]) -> None:
    """Refuse windows of a user's own class whose lengths are no numbers of milliseconds."""
    for method in ("size", "gracePeriodMs"):
        length = getattr(windows, method)()
        if not isinstance(length, int):
            raise ClassCastException(
                f"{method}() of {type(windows).__name__} returned {a_kind(length)}",
                detail=f"It is {length!r}.",
                hint="Return milliseconds, as an int.",
            )
