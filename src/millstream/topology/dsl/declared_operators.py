"""Methods of millstream's own operator plugins, declared for type checkers and ``help``.

Each only calls the operator of its name, as calling an undeclared method would do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic

from millstream.core.durations import DurationLike
from millstream.core.windows import Windowed
from millstream.topology.dsl.arguments import ABSENT
from millstream.topology.dsl.functions import KeyValueMapper
from millstream.topology.dsl.options import Deduplicated, Materialized, Named
from millstream.topology.dsl.plugged import declares_operator, plugged
from millstream.topology.dsl.type_vars import KR, K, V

if TYPE_CHECKING:
    from millstream.topology.dsl.kstream import KStream
    from millstream.topology.dsl.ktable import KTable


SelectsId = KeyValueMapper[K, V, KR] | Callable[[K, V], KR]


class StreamOperators(Generic[K, V]):
    """Operators of ``KStream``."""

    __slots__ = ()

    @declares_operator
    def deduplicateByKey(
        self, deduplicationInterval: DurationLike, deduplicated: Deduplicated[K, V] = ABSENT
    ) -> KStream[K, V]:
        """Drop records whose key was seen before, at most the interval away in event time.

        The first that comes is passed on. A duplicate does not prolong the interval, whose ends
        belong to it; it reaches into the past as well. What is known expires when stream time has
        passed it by more than the interval: a record that comes later is passed on if no duplicate
        is known, and not stored if it has expired itself. A record without key is passed on.

        Raises:
            IllegalArgumentException: The interval is negative or None.

        Source: KIP-655.
        """
        return self._operated("deduplicateByKey", deduplicationInterval, deduplicated)

    @declares_operator
    def deduplicateByKeyValue(
        self,
        idSelector: SelectsId[K, V, KR],
        deduplicationInterval: DurationLike,
        deduplicated: Deduplicated[KR, V] = ABSENT,
    ) -> KStream[K, V]:
        """Drop records whose key and id were seen together before; see ``deduplicateByKey``.

        A record without key or id is passed on.
        """
        return self._operated(
            "deduplicateByKeyValue", idSelector, deduplicationInterval, deduplicated
        )

    @declares_operator
    def deduplicate(
        self,
        idSelector: SelectsId[K, V, KR],
        deduplicationInterval: DurationLike,
        deduplicated: Deduplicated[KR, V] = ABSENT,
    ) -> KStream[K, V]:
        """Drop records whose id was seen before, under any key; see ``deduplicateByKey``.

        The records go through a repartition topic, by id, and come out with the keys they had. They
        are then no longer where their keys belong: the next grouping or join repartitions. A record
        without id is passed on.
        """
        return self._operated("deduplicate", idSelector, deduplicationInterval, deduplicated)

    def _operated(self, name: str, *arguments: Any) -> KStream[K, V]:
        stream: KStream[K, V] = plugged(self, name, type(self))(*_given(arguments))
        return stream


class WindowOperators(Generic[K, V]):
    """Operators of windowed streams."""

    if not TYPE_CHECKING:
        # Hidden from type checkers, for which any name would then be a method.
        def __getattr__(self, name: str) -> Any:
            """Return an operator that a plugin offers under this name."""
            return plugged(self, name)

    @declares_operator
    def distinct(
        self,
        named: Named | Materialized[K, V, Any] = ABSENT,
        materialized: Materialized[K, V, Any] = ABSENT,
    ) -> KTable[Windowed[K], V]:
        """Keep the first record of each key and window: ``distinct([named][, materialized])``.

        It comes out at once, and its row never changes. A session's row has the bounds of its first
        record, also if the session grows or becomes one with others. Records without key or value,
        and those of closed windows, are dropped.

        Raises:
            UnsupportedOperationException: The windows slide, or are to be emitted on close.

        Source: KIP-655, its first form.
        """
        table: KTable[Windowed[K], V]
        table = plugged(self, "distinct")(*_given((named, materialized)))
        return table


def _given(arguments: tuple[Any, ...]) -> list[Any]:
    return [argument for argument in arguments if argument is not ABSENT]
