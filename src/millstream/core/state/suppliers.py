"""Suppliers and builders: descriptions of stores, before a task makes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from typing_extensions import Self

from millstream.core.errors import ClassCastException
from millstream.core.readable import ReadableByName
from millstream.core.state.key_value import KeyValueStore
from millstream.core.state.session import SessionStore
from millstream.core.state.store import StateStore
from millstream.core.state.window import WindowStore
from millstream.core.wording import a_kind

S = TypeVar("S", bound=StateStore)
S_co = TypeVar("S_co", bound=StateStore, covariant=True)


class StoreSupplier(ReadableByName, ABC, Generic[S]):
    """Name and maker of a store of bytes; a builder adds serdes, cache and changelog.

    Source: ``state.StoreSupplier``.
    """

    @abstractmethod
    def name(self) -> str:
        """Return the store's name."""

    @abstractmethod
    def get(self) -> S:
        """Return a new store of bytes."""

    @abstractmethod
    def metricsScope(self) -> str:
        """Return a word for the kind of store, for its metrics' names."""


class KeyValueBytesStoreSupplier(StoreSupplier[KeyValueStore[bytes, bytes]]):
    """Supplier of key-value stores of bytes."""


class WindowBytesStoreSupplier(StoreSupplier[WindowStore[bytes, bytes]]):
    """Supplier of window stores of bytes. Times are in milliseconds."""

    @abstractmethod
    def segmentIntervalMs(self) -> int:
        """Return the width of the segments in which old windows are dropped."""

    @abstractmethod
    def windowSize(self) -> int:
        """Return the size of the windows."""

    @abstractmethod
    def retainDuplicates(self) -> bool:
        """Tell whether a window keeps every value put into it."""

    @abstractmethod
    def retentionPeriod(self) -> int:
        """Return how long a window is kept after its start."""


class SessionBytesStoreSupplier(StoreSupplier[SessionStore[bytes, bytes]]):
    """Supplier of session stores of bytes. Times are in milliseconds."""

    @abstractmethod
    def segmentIntervalMs(self) -> int:
        """Return the width of the segments in which old sessions are dropped."""

    @abstractmethod
    def retentionPeriod(self) -> int:
        """Return how long a session is kept after its end."""


class VersionedBytesStoreSupplier(KeyValueBytesStoreSupplier):
    """Supplier of versioned stores of bytes."""

    @abstractmethod
    def historyRetentionMs(self) -> int:
        """Return how far back versions are kept."""


_MARKS = (
    (VersionedBytesStoreSupplier, "historyRetentionMs"),
    (WindowBytesStoreSupplier, "windowSize"),
    (SessionBytesStoreSupplier, "segmentIntervalMs"),
    (KeyValueBytesStoreSupplier, "get"),
)
"""Each type of supplier, with the method that tells it from those below."""

_FACTORIES: Mapping[type, str] = {
    VersionedBytesStoreSupplier: "persistentVersionedKeyValueStore",
    WindowBytesStoreSupplier: "persistentTimestampedWindowStore",
    SessionBytesStoreSupplier: "persistentSessionStore",
    KeyValueBytesStoreSupplier: "persistentTimestampedKeyValueStore",
}


def check_supplier(supplier: Any, *wanted: type[Any]) -> None:
    """Refuse a supplier of stores of another type, which Java's compiler would do.

    A user's own supplier need not inherit anything: then its methods tell what it makes.

    Args:
        supplier: What was given.
        wanted: The types of supplier that fit.

    Raises:
        ClassCastException: It is another supplier, or none.
    """
    factory = _FACTORIES[wanted[0]]
    if isinstance(supplier, type) or not callable(getattr(supplier, "name", None)):
        raise ClassCastException(
            f"supplier cannot be {a_kind(supplier)}", hint=f"Give Stores.{factory}(...)."
        )
    found = _supplied(supplier)
    if found not in wanted:
        raise ClassCastException(
            f'the supplier of store "{supplier.name()}" makes stores of another type',
            detail=f"It is a {found.__name__}, where a {wanted[0].__name__} is needed.",
            hint=f"Give Stores.{factory}(...), or another supplier of such stores.",
        )


def _supplied(supplier: Any) -> type[StoreSupplier[Any]]:
    """Return the type of a supplier."""
    for kind, _ in _MARKS:
        if isinstance(supplier, kind):
            return kind
    return next((kind for kind, mark in _MARKS if hasattr(supplier, mark)), StoreSupplier)


def changelog_settings(config: Any) -> dict[str, str]:
    """Return the settings of a changelog's topic as a dict of their own.

    Raises:
        ClassCastException: They are no mapping; ``True`` is the likely slip.
    """
    if not isinstance(config, Mapping):
        raise ClassCastException(
            f"the settings of a changelog cannot be {a_kind(config)}",
            hint='Give a mapping, such as {"retention.ms": "86400000"}, or {} for none.',
        )
    return dict(config)


class HeadersBytesStoreSupplier:
    """Mark of a supplier whose stores keep headers; the DSL then builds a store with headers on it.

    Source: KIP-1271, ``state.HeadersBytesStoreSupplier``.
    """


class StoreBuilder(ReadableByName, ABC, Generic[S_co]):
    """Builder of a store for each task. The ``with...`` methods change the builder and return it.

    Source: ``state.StoreBuilder``.
    """

    @abstractmethod
    def withCachingEnabled(self) -> Self:
        """Put a record cache in front, which passes on only the last change of a key."""

    @abstractmethod
    def withCachingDisabled(self) -> Self:
        """Use no record cache."""

    @abstractmethod
    def withLoggingEnabled(self, config: Mapping[str, str]) -> Self:
        """Keep a changelog, with these settings for its topic."""

    @abstractmethod
    def withLoggingDisabled(self) -> Self:
        """Keep no changelog: the contents are lost with the task."""

    @abstractmethod
    def build(self) -> S_co:
        """Return a new store."""

    @abstractmethod
    def logConfig(self) -> dict[str, str]:
        """Return the settings for the changelog's topic."""

    @abstractmethod
    def loggingEnabled(self) -> bool:
        """Tell whether there is a changelog."""

    @abstractmethod
    def name(self) -> str:
        """Return the store's name."""


AnyStoreBuilder = StoreBuilder[Any]
