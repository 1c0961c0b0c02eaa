"""Stores over another store, whose name and life they share."""

from __future__ import annotations

from typing import Any

from millstream.core.state.store import StateStore, StateStoreContext


class DelegatingStore(StateStore):
    """Base of stores that leave their name and life to the store that they are made over."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def name(self) -> str:
        return str(self._store.name())

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        self._store.init(stateStoreContext, root)

    def flush(self) -> None:
        self._store.flush()

    def reload(self) -> None:
        self._store.reload()

    def close(self) -> None:
        self._store.close()

    def persistent(self) -> bool:
        return bool(self._store.persistent())

    def isOpen(self) -> bool:
        return bool(self._store.isOpen())
