"""How the DSL picks its stores, without knowing which there are."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from millstream.core.durations import DurationLike, to_millis
from millstream.core.errors import IllegalArgumentException, UnsupportedOperationException
from millstream.core.state.header_stores import (
    SessionStoreWithHeaders,
    TimestampedKeyValueStoreWithHeaders,
    TimestampedWindowStoreWithHeaders,
)
from millstream.core.state.key_value import KeyValueStore, TimestampedKeyValueStore
from millstream.core.state.session import SessionStore
from millstream.core.state.suppliers import (
    KeyValueBytesStoreSupplier,
    SessionBytesStoreSupplier,
    StoreBuilder,
    VersionedBytesStoreSupplier,
    WindowBytesStoreSupplier,
)
from millstream.core.state.versioned import VersionedKeyValueStore
from millstream.core.state.window import TimestampedWindowStore, WindowStore


class DslStoreFormat(enum.Enum):
    """What a value carries in a store of the DSL.

    Source: KIP-1285, ``org.apache.kafka.streams.DslStoreFormat``.
    """

    PLAIN = "plain"
    TIMESTAMPED = "timestamped"
    HEADERS = "headers"

    @staticmethod
    def of(name: str) -> DslStoreFormat:
        """Return the format called ``name``, in any case.

        Raises:
            IllegalArgumentException: There is no such format.
        """
        for candidate in DslStoreFormat:
            if candidate.value == name.lower():
                return candidate
        raise IllegalArgumentException(
            f'unknown store format "{name}"', hint="Use plain, timestamped or headers."
        )


class DslKeyValueParams:
    """What the DSL tells a supplier of key-value stores."""

    __slots__ = ("_format", "_name")

    def __init__(
        self,
        name: str,
        dslStoreFormat: DslStoreFormat = DslStoreFormat.TIMESTAMPED,
    ) -> None:
        self._name = name
        self._format = dslStoreFormat

    def name(self) -> str:
        """Return the store's name."""
        return self._name

    def dslStoreFormat(self) -> DslStoreFormat:
        """Return what values carry."""
        return self._format


class DslWindowParams:
    """What the DSL tells a supplier of window stores; times in milliseconds."""

    __slots__ = ("_duplicates", "_emit", "_format", "_name", "_retention", "_size", "_sliding")

    def __init__(
        self,
        name: str,
        retentionPeriod: DurationLike,
        windowSize: DurationLike,
        retainDuplicates: bool = False,
        emitStrategy: Any = None,
        isSlidingWindow: bool = False,
        dslStoreFormat: DslStoreFormat = DslStoreFormat.TIMESTAMPED,
    ) -> None:
        self._name = name
        self._retention = to_millis(retentionPeriod, "retentionPeriod")
        self._size = to_millis(windowSize, "windowSize")
        self._duplicates = retainDuplicates
        self._emit = emitStrategy
        self._sliding = isSlidingWindow
        self._format = dslStoreFormat

    def name(self) -> str:
        """Return the store's name."""
        return self._name

    def retentionPeriod(self) -> int:
        """Return how long a window is kept after its start."""
        return self._retention

    def windowSize(self) -> int:
        """Return the size of the windows."""
        return self._size

    def retainDuplicates(self) -> bool:
        """Tell whether a window keeps every value put into it."""
        return self._duplicates

    def emitStrategy(self) -> Any:
        """Return when results are passed on; None for every update."""
        return self._emit

    def isSlidingWindow(self) -> bool:
        """Tell whether the windows are sliding ones."""
        return self._sliding

    def dslStoreFormat(self) -> DslStoreFormat:
        """Return what values carry."""
        return self._format


class DslSessionParams:
    """What the DSL tells a supplier of session stores; times in milliseconds."""

    __slots__ = ("_emit", "_format", "_name", "_retention")

    def __init__(
        self,
        name: str,
        retentionPeriod: DurationLike,
        emitStrategy: Any = None,
        dslStoreFormat: DslStoreFormat = DslStoreFormat.PLAIN,
    ) -> None:
        self._name = name
        self._retention = to_millis(retentionPeriod, "retentionPeriod")
        self._emit = emitStrategy
        self._format = dslStoreFormat

    def name(self) -> str:
        """Return the store's name."""
        return self._name

    def retentionPeriod(self) -> int:
        """Return how long a session is kept after its end."""
        return self._retention

    def emitStrategy(self) -> Any:
        """Return when results are passed on; None for every update."""
        return self._emit

    def storeFormat(self) -> DslStoreFormat:
        """Return what values carry."""
        return self._format


class DslStoreSuppliers(ABC):
    """Chooses the stores behind a DSL's operators.

    Source: KIP-954, ``state.DslStoreSuppliers``.
    """

    def configure(self, configs: Mapping[str, Any]) -> None:  # noqa: B027 - optional
        """Take what is needed from the configuration."""

    @abstractmethod
    def keyValueStore(self, params: DslKeyValueParams) -> KeyValueBytesStoreSupplier:
        """Return the supplier of a key-value store."""

    @abstractmethod
    def windowStore(self, params: DslWindowParams) -> WindowBytesStoreSupplier:
        """Return the supplier of a window store."""

    def sessionStore(self, params: DslSessionParams) -> SessionBytesStoreSupplier:
        """Return the supplier of a session store.

        Raises:
            UnsupportedOperationException: There are none of this kind.
        """
        raise UnsupportedOperationException(
            f'cannot make session store "{params.name()}": '
            f"{type(self).__name__} has no session stores"
        )


class StoreKinds(ABC):
    """Kafka's kinds of stores, as the DSL asks for them. Serdes of None are the task's defaults."""

    @abstractmethod
    def dsl_suppliers(self, name: str) -> DslStoreSuppliers:
        """Return the suppliers called ``name``: Kafka's names, or that of a byte-store plugin.

        Raises:
            PluginError: No installed plugin is called so.
        """

    @abstractmethod
    def key_value(
        self, supplier: KeyValueBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[KeyValueStore[Any, Any]]:
        """Return a builder of plain key-value stores."""

    @abstractmethod
    def timestamped_key_value(
        self, supplier: KeyValueBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[TimestampedKeyValueStore[Any, Any]]:
        """Return a builder of key-value stores with timestamps."""

    @abstractmethod
    def window(
        self, supplier: WindowBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[WindowStore[Any, Any]]:
        """Return a builder of plain window stores."""

    @abstractmethod
    def timestamped_window(
        self, supplier: WindowBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[TimestampedWindowStore[Any, Any]]:
        """Return a builder of window stores with timestamps."""

    @abstractmethod
    def session(
        self, supplier: SessionBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[SessionStore[Any, Any]]:
        """Return a builder of session stores."""

    @abstractmethod
    def timestamped_key_value_with_headers(
        self, supplier: KeyValueBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[TimestampedKeyValueStoreWithHeaders[Any, Any]]:
        """Return a builder of key-value stores with timestamps and headers."""

    @abstractmethod
    def timestamped_window_with_headers(
        self, supplier: WindowBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[TimestampedWindowStoreWithHeaders[Any, Any]]:
        """Return a builder of window stores with timestamps and headers."""

    @abstractmethod
    def session_with_headers(
        self, supplier: SessionBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[SessionStoreWithHeaders[Any, Any]]:
        """Return a builder of session stores with headers."""

    @abstractmethod
    def versioned(
        self, supplier: VersionedBytesStoreSupplier, key_serde: Any, value_serde: Any
    ) -> StoreBuilder[VersionedKeyValueStore[Any, Any]]:
        """Return a builder of versioned stores."""
