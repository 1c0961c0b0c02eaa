"""Builders of stores: the description that a topology holds until a task makes its store."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, ClassVar

from typing_extensions import Self

from millstream.core.errors import (
    IllegalStateException,
    NullPointerException,
)
from millstream.core.serdes import Serde
from millstream.core.serdes.checks import checked_serde
from millstream.core.state import (
    DslStoreFormat,
    HeadersBytesStore,
    HeadersBytesStoreSupplier,
    KeyValueBytesStoreSupplier,
    KeyValueStore,
    SessionBytesStoreSupplier,
    SessionStore,
    SessionStoreWithHeaders,
    StateStore,
    StoreBuilder,
    TimestampedBytesStore,
    TimestampedKeyValueStore,
    TimestampedKeyValueStoreWithHeaders,
    TimestampedWindowStore,
    TimestampedWindowStoreWithHeaders,
    VersionedBytesStore,
    VersionedBytesStoreSupplier,
    VersionedKeyValueStore,
    WindowBytesStoreSupplier,
    WindowStore,
    changelog_settings,
    check_supplier,
)
from millstream.core.state.identity import StoreIdentity
from millstream.core.wording import a_kind
from millstream.stores.construction.suppliers import Foundation, OurSupplier, OurVersionedSupplier
from millstream.stores.decorators import (
    AdaptedPoints,
    ChangeLoggingPoints,
    DuplicateNumbers,
    LoggedKey,
    without_segment,
)
from millstream.stores.key_value.store import (
    SerdeKeyValueStore,
    SerdeKeyValueStoreWithHeaders,
    SerdeTimestampedKeyValueStore,
)
from millstream.stores.key_value.supplied import SuppliedBytes
from millstream.stores.layers import PointLayer
from millstream.stores.session.keys import SessionKeys
from millstream.stores.session.layers import SuppliedSessions
from millstream.stores.session.store import SerdeSessionStore, SerdeSessionStoreWithHeaders
from millstream.stores.supplied import check_methods, supplied
from millstream.stores.typed import OpenedStore
from millstream.stores.value_forms import Adapter, adapter, as_kept, log_with_record_headers
from millstream.stores.versioned.decorators import CachedVersions, ChangeLoggingVersions
from millstream.stores.versioned.layers import SuppliedVersions, VersionLayer
from millstream.stores.versioned.store import SerdeVersionedStore
from millstream.stores.window.keys import WindowKeys, default_segment_interval
from millstream.stores.window.layers import SuppliedWindows
from millstream.stores.window.store import (
    SerdeTimestampedWindowStore,
    SerdeWindowStore,
    SerdeWindowStoreWithHeaders,
)

logger = logging.getLogger("millstream.stores")


class SerdeStoreBuilder(StoreBuilder[Any]):
    """Builder of stores over a supplier's bytes: without a cache and with a changelog by default.

    Raises:
        NullPointerException: The supplier or its name is None.
        ClassCastException: It is no supplier of such stores, or a serde is none.
    """

    shape: ClassVar[str]
    """As ``StoreIdentity`` names it."""
    supplied_by: ClassVar[type[Any]]
    """The type of supplier that fits."""

    def __init__(
        self,
        made: type[OpenedStore[Any]],
        supplier: Any,
        key_serde: Serde[Any] | None,
        value_serde: Serde[Any] | None,
    ) -> None:
        if supplier is None:
            raise NullPointerException("supplier cannot be null")
        check_supplier(supplier, self.supplied_by)
        name = supplier.name()
        if name is None:
            raise NullPointerException("name cannot be null")
        self._made: Any = made
        self._supplier = supplier
        self._name: str = name
        self._key_serde = checked_serde(key_serde, "keySerde")
        self._value_serde = checked_serde(value_serde, "valueSerde")
        self._caching = False
        self._logging = True
        self._logs_headers = False
        self._log_config: dict[str, str] = {}

    def withCachingEnabled(self) -> Self:
        self._caching = True
        return self

    def withCachingDisabled(self) -> Self:
        self._caching = False
        return self

    def withLoggingEnabled(self, config: Mapping[str, str]) -> Self:
        """Keep a changelog, with these settings for its topic beside those of earlier calls.

        Raises:
            NullPointerException: ``config`` is None; an empty one stands for no settings.
            ClassCastException: ``config`` is no mapping.
        """
        if config is None:
            raise NullPointerException("config can't be null")
        self._logging = True
        self._log_config = {**self._log_config, **changelog_settings(config)}
        return self

    def with_headers_logged(self) -> Self:
        """Log the headers of the current record with each change, if the store keeps none."""
        self._logs_headers = True
        return self

    def withLoggingDisabled(self) -> Self:
        self._logging = False
        self._log_config = {}
        return self

    def logConfig(self) -> dict[str, str]:
        return self._log_config

    def loggingEnabled(self) -> bool:
        return self._logging

    def name(self) -> str:
        return self._name

    def build(self) -> StateStore:
        layer, arguments, adapts = self._foundation()
        points: PointLayer = layer if adapts is None else AdaptedPoints(layer, adapts)
        if self._logging:
            points = self._logged(points)
        store = self._made(
            self._name,
            layer,
            self._key_serde,
            self._value_serde,
            points=points,
            adapter=adapts,
            caching=self._caching,
            **arguments,
        )
        if not isinstance(self._supplier, OurSupplier):
            store.as_kept = as_kept(self._made.codec_class.log, adapts)
        return self._scoped(store)

    def identity(self) -> StoreIdentity:
        """Return what the store's bytes mean."""
        supplier = self._supplier
        ours = isinstance(supplier, OurSupplier)
        return StoreIdentity(
            type=self.shape,
            values=self._values() if ours else "supplied",
            kind=supplier.kind if ours else None,
            layout=supplier.layout() if ours else {},
            sizes=self._sizes(),
            serdes={"key": self._key_serde, "value": self._value_serde},
        )

    def _supplied(self) -> tuple[StateStore, Foundation]:
        """Return a store of bytes that a user's own supplier made, and the foundation over it."""
        raise NotImplementedError

    def _sizes(self) -> dict[str, int]:
        return {}

    def _values(self) -> str:
        """Return what the bytes keep of a value, below the adapter."""
        wanted, supplier = self._made.codec_class.format, self._supplier
        if not supplier.durable or wanted is DslStoreFormat.PLAIN:
            return str(wanted.name.lower())
        if wanted is DslStoreFormat.HEADERS and isinstance(supplier, HeadersBytesStoreSupplier):
            return "headers"
        return "timestamped" if supplier.timestamped else "plain"

    def _foundation(self) -> tuple[Any, dict[str, Any], Adapter | None]:
        supplier = self._supplier
        if isinstance(supplier, OurSupplier):
            layer, arguments = supplier.foundation()
            persistent, timestamped = supplier.durable, supplier.timestamped
            headers = isinstance(supplier, HeadersBytesStoreSupplier)
        else:
            store, (layer, arguments) = self._supplied()
            persistent = store.persistent()
            timestamped = isinstance(store, TimestampedBytesStore | SessionStore)
            headers = isinstance(store, HeadersBytesStore)
        if not persistent:
            # Stores in memory keep whatever they are given.
            return layer, arguments, None
        wanted = self._made.codec_class.format
        return layer, arguments, adapter(wanted, timestamped=timestamped, headers=headers)

    def _logged(self, points: PointLayer) -> ChangeLoggingPoints:
        codec = self._made.codec_class
        log = codec.log
        if self._logs_headers and codec.format is DslStoreFormat.TIMESTAMPED:
            log = log_with_record_headers
        # Kafka does not see the LRU map below its adapter for timestamps.
        dropped = not codec.timestamped
        return ChangeLoggingPoints(
            points, self._name, log, self._logged_key(), logs_dropped=dropped
        )

    def _logged_key(self) -> LoggedKey | None:
        return without_segment

    def _scoped(self, store: OpenedStore[Any]) -> StateStore:
        # A supplier that only looks like one may have no name for metrics.
        scope = getattr(self._supplier, "metricsScope", None)
        store.metrics_scope = None if scope is None else scope()
        return store


class KeyValueBuilder(SerdeStoreBuilder):
    """Builder of key-value stores."""

    shape = "key-value"
    supplied_by = KeyValueBytesStoreSupplier

    def _supplied(self) -> tuple[StateStore, Foundation]:
        store = supplied(self._supplier, "key-value", "get", "put")
        return store, (SuppliedBytes(store), {})

    def _logged_key(self) -> LoggedKey | None:
        return None


class WindowBuilder(SerdeStoreBuilder):
    """Builder of window stores."""

    shape = "window"
    supplied_by = WindowBytesStoreSupplier

    def withCachingEnabled(self) -> Self:
        """Put a record cache in front, unless windows keep every value put into them."""
        if self._supplier.retainDuplicates():
            logger.warning(
                'Store "%s" keeps duplicates in its windows, so it gets no record cache.',
                self._name,
            )
            return self
        return super().withCachingEnabled()

    def retentionPeriod(self) -> int:
        """Return how long a window is kept after its start, in milliseconds."""
        found: int = self._supplier.retentionPeriod()
        return found

    def _supplied(self) -> tuple[StateStore, Foundation]:
        keys = WindowKeys(default_segment_interval(self._supplier.retentionPeriod()))
        store = supplied(self._supplier, "window", "fetch", "put")
        arguments = {"keys": keys, "window_size": self._supplier.windowSize()}
        return store, (SuppliedWindows(store, keys), arguments)

    def _logged_key(self) -> LoggedKey | None:
        return DuplicateNumbers() if self._supplier.retainDuplicates() else without_segment

    def _sizes(self) -> dict[str, int]:
        return {"window": self._supplier.windowSize()}


class SessionBuilder(SerdeStoreBuilder):
    """Builder of session stores."""

    shape = "session"
    supplied_by = SessionBytesStoreSupplier

    def retentionPeriod(self) -> int:
        """Return how long a session is kept after its end, in milliseconds."""
        found: int = self._supplier.retentionPeriod()
        return found

    def _supplied(self) -> tuple[StateStore, Foundation]:
        keys = SessionKeys(max(1, self._supplier.segmentIntervalMs()))
        store = supplied(self._supplier, "session", "findSessions", "fetchSession", "put")
        return store, (SuppliedSessions(store, keys), {"keys": keys})

    def _values(self) -> str:
        # Sessions have no times.
        kept = super()._values()
        return "plain" if kept == "timestamped" else kept


class VersionedBuilder(SerdeStoreBuilder):
    """Builder of versioned stores."""

    shape = "versioned"
    supplied_by = VersionedBytesStoreSupplier

    def withCachingEnabled(self) -> Self:
        """Refuse, as Kafka does.

        Raises:
            IllegalStateException: Always.
        """
        raise IllegalStateException(
            "Versioned stores do not support caching",
            detail=f'The store is "{self._name}".',
            hint="Call Stores.persistentVersionedKeyValueStore(..., cached=True) instead.",
        )

    def historyRetention(self) -> int:
        """Return how far back versions are kept, in milliseconds."""
        found: int = self._supplier.historyRetentionMs()
        return found

    def build(self) -> StateStore:
        layer = self._layer()
        if self._logging:
            layer = ChangeLoggingVersions(layer, self._name)
        if isinstance(self._supplier, OurVersionedSupplier) and self._supplier.cached:
            layer = CachedVersions(layer)
        return self._scoped(self._made(self._name, layer, self._key_serde, self._value_serde))

    def _layer(self) -> VersionLayer:
        if isinstance(self._supplier, OurVersionedSupplier):
            layer: VersionLayer = self._supplier.foundation()[0]
            return layer
        made: Any = self._supplier.get()
        if isinstance(made, VersionedBytesStore | VersionedKeyValueStore):
            check_methods(made)
            return SuppliedVersions(made)
        raise IllegalStateException(
            f'the supplier of versioned store "{self._name}" made no versioned store',
            detail=f"It made {a_kind(made)}.",
            hint="Let it make a VersionedBytesStore.",
        )

    def _values(self) -> str:
        return "plain"


_BUILT: Mapping[type, tuple[type[SerdeStoreBuilder], type[OpenedStore[Any]]]] = {
    KeyValueStore: (KeyValueBuilder, SerdeKeyValueStore),
    TimestampedKeyValueStore: (KeyValueBuilder, SerdeTimestampedKeyValueStore),
    TimestampedKeyValueStoreWithHeaders: (KeyValueBuilder, SerdeKeyValueStoreWithHeaders),
    WindowStore: (WindowBuilder, SerdeWindowStore),
    TimestampedWindowStore: (WindowBuilder, SerdeTimestampedWindowStore),
    TimestampedWindowStoreWithHeaders: (WindowBuilder, SerdeWindowStoreWithHeaders),
    SessionStore: (SessionBuilder, SerdeSessionStore),
    SessionStoreWithHeaders: (SessionBuilder, SerdeSessionStoreWithHeaders),
    VersionedKeyValueStore: (VersionedBuilder, SerdeVersionedStore),
}
"""Each interface of Kafka's stores, with its builder and the class that implements it."""


def store_builder(
    store: type[Any],
    supplier: Any,
    key_serde: Serde[Any] | None,
    value_serde: Serde[Any] | None,
) -> SerdeStoreBuilder:
    """Return a builder of stores: the one way from a description to a store.

    Args:
        store: The interface that the store is to have, such as ``TimestampedWindowStore``.
        supplier: Makes the bytes: one of ours, or a user's own.
        key_serde: None for the application's default.
        value_serde: None for the application's default.
    """
    builder, made = _BUILT[store]
    return builder(made, supplier, key_serde, value_serde)
