"""A store of the program that keeps its entries in a file of ``stateDir()``, for tests."""

from __future__ import annotations

import sqlite3
from typing import Any

from compat_tests.stores.own_builder import OwnBuilder
from millstream import StateStore


class FileTally(StateStore):
    """Texts by text, in a file of SQLite; each change is logged, and comes back from there."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._file: sqlite3.Connection | None = None

    def name(self) -> str:
        return self._name

    def init(self, stateStoreContext: Any, root: StateStore) -> None:
        self._context = stateStoreContext
        path = stateStoreContext.stateDir() / f"{self._name}.db"
        self._file = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._file.execute("create table if not exists entries (key blob primary key, value blob)")
        stateStoreContext.register(root, self._set)

    def put(self, key: str, value: str | None) -> None:
        """Set or, with None, delete an entry."""
        data = None if value is None else value.encode()
        self._set(key.encode(), data)
        self._context.log_change(self._name, key.encode(), data, None, None)

    def get(self, key: str) -> str | None:
        """Return the value of a key."""
        return self.entries().get(key)

    def entries(self) -> dict[str, str]:
        """Return all that is in the file."""
        assert self._file is not None
        rows = self._file.execute("select key, value from entries order by key").fetchall()
        return {key.decode(): value.decode() for key, value in rows}

    def persistent(self) -> bool:
        return True

    def isOpen(self) -> bool:
        return self._file is not None

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None

    def _set(self, key: bytes, value: bytes | None) -> None:
        assert self._file is not None
        if value is None:
            self._file.execute("delete from entries where key = ?", (key,))
        else:
            self._file.execute("replace into entries values (?, ?)", (key, value))


def file_tally(name: str) -> OwnBuilder:
    """Return the builder of such a store."""
    return OwnBuilder(name, lambda: FileTally(name))
