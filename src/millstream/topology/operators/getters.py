"""Views and getters, by which a processor reads another table's current values.

A *view* says where a table's values are; it is a part of the graph, frozen and inert. A *getter* is
the view as the reading processor has opened it in its task.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from millstream.core.state.access import WindowAccess
from millstream.topology.operators.folding import identities

Cell = tuple[Any, int] | None
Compute = Callable[[Any, Any], Any]


class Getter(ABC):
    """Reads a table. A cell is ``(value, timestamp)``, or None where there is no row."""

    versioned: bool = False
    """``get_as_of`` can tell the past."""

    @abstractmethod
    def get(self, key: Any) -> Cell:
        """Return a key's row as it is now."""

    cached: bool = True
    """A look may go to a cache."""
    by_columns: bool = False
    """``get_many`` may return something."""

    def get_many(self, keys: Sequence[Any]) -> list[Cell] | None:
        """Return the rows of many keys, which may repeat; None if they have to be got one by one.

        That is so where a look into a cache could flush it.
        """
        return None

    def reads(self, access: Any) -> bool:
        """Tell whether the rows are those of a store, as they stand there."""
        del access
        return False

    def get_as_of(self, key: Any, timestamp: int) -> Cell:
        """Return the row as it was at ``timestamp``; only of versioned tables."""
        raise NotImplementedError

    def close(self) -> None:  # noqa: B027 - most have nothing to close
        """Close what reading opened; the reading processor calls it from its ``close``."""


class View(ABC):
    """Description of where a table's values are."""

    @property
    @abstractmethod
    def stores(self) -> tuple[str, ...]:
        """The stores that a reading processor has to be connected to."""

    @abstractmethod
    def open(self, context: Any) -> Getter:
        """Return the getter for the processor that owns ``context``."""


@dataclass(frozen=True, slots=True)
class StoreView(View):
    """A table with a store."""

    store: str

    @property
    def stores(self) -> tuple[str, ...]:
        return (self.store,)

    def open(self, context: Any) -> Getter:
        access = context.getStateStore(self.store).access()
        if isinstance(access, WindowAccess):
            return _WindowGetter(access)
        if hasattr(access, "find"):
            return _SessionGetter(access)
        return _KeyValueGetter(access)


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewAbove(View):
    """A table without a store, computed row by row from another one."""

    above: View

    @property
    def stores(self) -> tuple[str, ...]:
        """The stores that the values come from in the end."""
        return self.above.stores


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedView(ViewAbove):
    """A table computed by a function."""

    compute: Compute
    """Given key and the value above, not None, returns this table's value or None."""

    def open(self, context: Any) -> Getter:
        return _DerivedGetter(self.above.open(context), self.compute)


class _StoreGetter(Getter):
    def __init__(self, access: Any) -> None:
        self._access = access
        self.versioned = hasattr(access, "read_as_of")
        self.cached = access.cached


class _KeyValueGetter(_StoreGetter):
    def get(self, key: Any) -> Cell:
        access = self._access
        return access.read(access.serialize_key(key))  # type: ignore[no-any-return]

    @property
    def by_columns(self) -> bool:  # type: ignore[override]
        return not self.versioned

    def get_many(self, keys: Sequence[Any]) -> list[Cell] | None:
        access = self._access
        if not access.cached and access.plain is not None:
            # Nobody can change a row that is read once for several of them.
            slots, raw_keys = identities(list(keys), access.serialize_keys)
            return list(map(access.read_many(raw_keys).__getitem__, slots))
        raw_keys = access.serialize_keys(keys)
        return access.read_many(raw_keys) if access.reads_quietly(raw_keys) else None

    def reads(self, access: Any) -> bool:
        return self._access is access

    def get_as_of(self, key: Any, timestamp: int) -> Cell:
        access = self._access
        found = access.read_as_of(access.serialize_key(key), timestamp)
        return None if found is None else (found[0], found[1])


class _WindowGetter(_StoreGetter):
    def get(self, key: Any) -> Cell:
        access = self._access
        return access.read(access.serialize_key(key.key()), key.window().start())  # type: ignore[no-any-return]


class _SessionGetter(_StoreGetter):
    def get(self, key: Any) -> Cell:
        access, window = self._access, key.window()
        value = access.read(access.serialize_key(key.key()), window.start(), window.end())
        return None if value is None else (value, window.end())


class GetterAbove(Getter):
    """Reads the table above and computes the row."""

    def __init__(self, above: Getter) -> None:
        self._above = above
        self.versioned = above.versioned

    def get(self, key: Any) -> Cell:
        return self._row(key, self._above.get(key))

    def get_as_of(self, key: Any, timestamp: int) -> Cell:
        return self._row(key, self._above.get_as_of(key, timestamp))

    def close(self) -> None:
        self._above.close()

    @abstractmethod
    def _row(self, key: Any, cell: Cell) -> Cell:
        """Return the row for that of the table above."""


class _DerivedGetter(GetterAbove):
    def __init__(self, above: Getter, compute: Compute) -> None:
        super().__init__(above)
        self._compute = compute

    def _row(self, key: Any, cell: Cell) -> Cell:
        if cell is None:
            return None
        value = self._compute(key, cell[0])
        return None if value is None else (value, cell[1])
