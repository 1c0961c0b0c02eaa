"""A global store as the processors see it that do not fill it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from millstream.core.errors import UnsupportedOperationException

_CHANGES = frozenset(
    {"put", "putIfAbsent", "putAll", "delete", "remove", "init", "flush", "commit", "close"}
)


class ReadOnlyStore:
    """A store that refuses what changes it; everything else is the store's own.

    What a processor wrote would be seen by its own task alone, and only until that moves: a global
    store is filled from its topic.
    """

    def __init__(self, store: Any) -> None:
        self._store = store
        self.get = getattr(store, "get", None)  # called for almost every record

    @property  # type: ignore[misc]
    def __class__(self) -> type[Any]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The store's class, for ``isinstance``."""
        return type(self._store)

    def __getattr__(self, name: str) -> Any:
        if name in _CHANGES:
            return self._refusing(name)
        return getattr(self._store, name)

    def __repr__(self) -> str:
        return repr(self._store)

    def _refusing(self, method: str) -> Callable[..., Any]:
        def refuse(*_: Any, **__: Any) -> Any:
            raise UnsupportedOperationException(
                "Global store is read only",
                detail=f'{method}() was called on store "{self._store.name()}".',
                hint="Write a record to the topic that the store is filled from.",
            )

        return refuse
