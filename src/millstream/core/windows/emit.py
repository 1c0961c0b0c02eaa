"""When a windowed aggregation gives its results."""

from __future__ import annotations

import enum
import logging
from dataclasses import dataclass
from typing import ClassVar


class StrategyType(enum.Enum):
    """The kinds of ``EmitStrategy``."""

    ON_WINDOW_UPDATE = "on-window-update"
    ON_WINDOW_CLOSE = "on-window-close"

    @staticmethod
    def forType(type: StrategyType) -> EmitStrategy:
        """Return the strategy of that kind."""
        return EmitStrategy(kind=type)


Kind = StrategyType


@dataclass(frozen=True, slots=True, kw_only=True)
class EmitStrategy:
    """When a windowed aggregation gives its results: at each update, or once at the end.

    Source: ``kstream.EmitStrategy`` (KIP-825).
    """

    StrategyType: ClassVar = StrategyType
    log: ClassVar[logging.Logger] = logging.getLogger(__name__)

    kind: Kind

    @staticmethod
    def onWindowUpdate() -> EmitStrategy:
        """Emit a result whenever a window changes; the default."""
        return EmitStrategy(kind=StrategyType.ON_WINDOW_UPDATE)

    @staticmethod
    def onWindowClose() -> EmitStrategy:
        """Emit one result for a window, once stream time has passed its end and its grace."""
        return EmitStrategy(kind=StrategyType.ON_WINDOW_CLOSE)

    def type(self) -> Kind:
        """Return the kind."""
        return self.kind
