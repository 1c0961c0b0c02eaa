"""``GlobalKTable``: a table that every task sees whole."""

from __future__ import annotations

from typing import Generic

from millstream.topology.dsl.type_vars import K, V


class GlobalKTable(Generic[K, V]):
    """Rows by key, to join streams with by any key; made by ``StreamsBuilder.globalTable``.

    Its topic needs no partitioning in common with the stream's.

    Source: ``kstream.GlobalKTable``.
    """

    __slots__ = ("_store_name",)

    def __init__(self, store_name: str) -> None:
        self._store_name = store_name

    def __repr__(self) -> str:
        return f"GlobalKTable(store={self._store_name!r})"

    def queryableStoreName(self) -> str:
        """Return the name under which the table can be queried, given or made up."""
        return self._store_name
