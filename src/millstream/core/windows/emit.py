"""Emit strategies of windowed aggregations."""

from __future__ import annotations

import enum
import logging
from dataclasses import dataclass, replace
from typing import ClassVar

from millstream.core.arguments import of_type
from millstream.core.durations import DurationLike, to_millis
from millstream.core.errors import IllegalArgumentException, IllegalStateException


class StrategyType(enum.Enum):
    """The kinds of ``EmitStrategy``."""

    ON_WINDOW_UPDATE = "on-window-update"
    ON_WINDOW_CLOSE = "on-window-close"

    @staticmethod
    def forType(type: StrategyType) -> EmitStrategy:
        """Return the strategy of that kind."""
        of_type(type, Kind, "type", "Give StrategyType.ON_WINDOW_CLOSE or ON_WINDOW_UPDATE.")
        return EmitStrategy(kind=type)


Kind = StrategyType


@dataclass(frozen=True, slots=True, kw_only=True)
class EmitStrategy:
    """Time at which a windowed aggregation emits results: each update, or the window's close.

    Source: ``kstream.EmitStrategy`` (KIP-825).
    """

    StrategyType: ClassVar = StrategyType
    log: ClassVar[logging.Logger] = logging.getLogger(__name__)

    kind: Kind
    idle_ms: int | None = None
    """Time without records after which the wall clock may close windows; None: never."""

    @staticmethod
    def onWindowUpdate() -> EmitStrategy:
        """Emit a result whenever a window changes; the default."""
        return EmitStrategy(kind=StrategyType.ON_WINDOW_UPDATE)

    @staticmethod
    def onWindowClose() -> EmitStrategy:
        """Emit one result per window, when stream time has passed its end and grace period."""
        return EmitStrategy(kind=StrategyType.ON_WINDOW_CLOSE)

    def orIdle(self, timeout: DurationLike) -> EmitStrategy:
        """Return a copy of ``onWindowClose`` that also closes windows when input stops.

        If the aggregation gets no record for ``timeout`` of wall-clock time, it also closes
        windows whose end and grace period the wall clock has passed, or stream time plus the idle
        time. A later record of such a window is late and dropped: ``timeout`` should be longer
        than any pause of the source. (Kafka does not have this.)

        Raises:
            IllegalArgumentException: ``timeout`` is below 1 ms.
            IllegalStateException: The strategy is ``onWindowUpdate``.
        """
        if self.kind is not Kind.ON_WINDOW_CLOSE:
            raise IllegalStateException(
                "orIdle() needs the strategy onWindowClose()",
                hint="Use EmitStrategy.onWindowClose().orIdle(...).",
            )
        idle_ms = to_millis(timeout, "timeout")
        if idle_ms < 1:
            raise IllegalArgumentException(
                "the timeout of orIdle() must be at least 1 ms", detail=f"It is {idle_ms} ms."
            )
        return replace(self, idle_ms=idle_ms)

    def type(self) -> Kind:
        """Return the kind."""
        return self.kind
