"""How the DSL picks its stores, without knowing which there are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from millstream.core.errors import UnsupportedOperationException
from millstream.core.state.dsl_params import (
    DslKeyValueParams,
    DslSessionParams,
    DslWindowParams,
)
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
