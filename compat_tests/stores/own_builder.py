"""A builder of a store of one's own, for tests: all that is the same, whatever it makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millstream.core.state import StoreBuilder


class OwnBuilder(StoreBuilder[Any]):
    """Builds what a function makes, logged unless told otherwise; keeps no cache."""

    def __init__(self, name: str, make: Callable[[], Any], *, logged: bool = True) -> None:
        self._name, self._make, self._is_logged = name, make, logged

    def name(self) -> str:
        return self._name

    def build(self) -> Any:
        return self._make()

    def loggingEnabled(self) -> bool:
        return self._is_logged

    def logConfig(self) -> dict[str, str]:
        return {}

    def withCachingEnabled(self) -> OwnBuilder:
        return self

    def withCachingDisabled(self) -> OwnBuilder:
        return self

    def withLoggingEnabled(self, config: Any) -> OwnBuilder:
        return self

    def withLoggingDisabled(self) -> OwnBuilder:
        return self
