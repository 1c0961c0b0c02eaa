"""Builders of stores: what a topology keeps until a task asks for its own."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from typing_extensions import Self

from millstream.core.errors import IllegalStateException, NullPointerException
from millstream.core.serdes import Serde
from millstream.core.state import (
    KeyValueStore,
    SessionBytesStoreSupplier,
    SessionStore,
    StateStore,
    StoreBuilder,
    StoreSupplier,
    TimestampedKeyValueStore,
    TimestampedWindowStore,
    VersionedBytesStoreSupplier,
    VersionedKeyValueStore,
    WindowBytesStoreSupplier,
    WindowStore,
)
from millstream.stores.key_value import SerdeKeyValueStore, SerdeTimestampedKeyValueStore
from millstream.stores.layers import ByteLayer, LoggedBytes, SuppliedBytes, UntimedBytes
from millstream.stores.session import SerdeSessionStore
from millstream.stores.session_keys import SessionKeys
from millstream.stores.session_layers import LoggedSessions, SessionLayer, SuppliedSessions
from millstream.stores.suppliers import (
    OurKeyValueSupplier,
    OurSessionSupplier,
    OurVersionedSupplier,
    OurWindowSupplier,
)
from millstream.stores.versioned import SerdeVersionedStore
from millstream.stores.versioned_layers import LoggedVersions, SuppliedVersions, VersionLayer
from millstream.stores.window import SerdeTimestampedWindowStore, SerdeWindowStore
from millstream.stores.window_keys import WindowKeys, default_segment_interval
from millstream.stores.window_layers import (
    LoggedWindows,
    SuppliedWindows,
    UntimedWindows,
    WindowLayer,
)

S = TypeVar("S", bound=StateStore)

logger = logging.getLogger("millstream.stores")


class BaseBuilder(StoreBuilder[S], Generic[S]):
    """Name, serdes, cache and changelog of a store: no cache and a changelog unless told."""

    def __init__(
        self,
        supplier: StoreSupplier[Any],
        key_serde: Serde[Any] | None,
        value_serde: Serde[Any] | None,
    ) -> None:
        if supplier is None:
            raise NullPointerException("supplier cannot be null")
        name = supplier.name()
        if name is None:
            raise NullPointerException("name cannot be null")
        self._supplier = supplier
        self._name = name
        self._key_serde = key_serde
        self._value_serde = value_serde
        self._caching = False
        self._logging = True
        self._log_config: dict[str, str] = {}

    def withCachingEnabled(self) -> Self:
        """Put a record cache in front, which passes on only the last change of a key."""
        self._caching = True
        return self

    def withCachingDisabled(self) -> Self:
        """Use no record cache."""
        self._caching = False
        return self

    def withLoggingEnabled(self, config: Mapping[str, str]) -> Self:
        """Keep a changelog, with these settings for its topic."""
        self._logging = True
        self._log_config = dict(config)
        return self

    def withLoggingDisabled(self) -> Self:
        """Keep no changelog: the contents are lost with the task."""
        self._logging = False
        self._log_config = {}
        return self

    @abstractmethod
    def build(self) -> S:
        """Return a new store."""

    def logConfig(self) -> dict[str, str]:
        """Return the settings for the changelog's topic."""
        return self._log_config

    def loggingEnabled(self) -> bool:
        """Tell whether there is a changelog."""
        return self._logging

    def name(self) -> str:
        """Return the store's name."""
        return self._name


class KeyValueStoreBuilder(BaseBuilder[KeyValueStore[Any, Any]]):
    """Builds plain key-value stores."""

    def build(self) -> KeyValueStore[Any, Any]:
        """Return a new store."""
        return build_key_value(SerdeKeyValueStore, self)


class TimestampedKeyValueStoreBuilder(BaseBuilder[TimestampedKeyValueStore[Any, Any]]):
    """Builds key-value stores with timestamps."""

    def build(self) -> TimestampedKeyValueStore[Any, Any]:
        """Return a new store."""
        return build_key_value(SerdeTimestampedKeyValueStore, self)


class WindowBuilder(BaseBuilder[S], Generic[S]):
    """What the two kinds of window stores share."""

    def __init__(
        self,
        supplier: WindowBytesStoreSupplier,
        key_serde: Serde[Any] | None,
        value_serde: Serde[Any] | None,
    ) -> None:
        super().__init__(supplier, key_serde, value_serde)
        self._windows = supplier

    def withCachingEnabled(self) -> Self:
        """Put a record cache in front, unless windows keep every value put into them."""
        if self._windows.retainDuplicates():
            logger.warning(
                'Store "%s" keeps duplicates in its windows, so it gets no record cache.',
                self._name,
            )
            return self
        return super().withCachingEnabled()

    def retentionPeriod(self) -> int:
        """Return how long a window is kept after its start, in milliseconds."""
        return self._windows.retentionPeriod()


class WindowStoreBuilder(WindowBuilder[WindowStore[Any, Any]]):
    """Builds plain window stores."""

    def build(self) -> WindowStore[Any, Any]:
        """Return a new store."""
        return build_window(SerdeWindowStore, self)


class TimestampedWindowStoreBuilder(WindowBuilder[TimestampedWindowStore[Any, Any]]):
    """Builds window stores with timestamps."""

    def build(self) -> TimestampedWindowStore[Any, Any]:
        """Return a new store."""
        return build_window(SerdeTimestampedWindowStore, self)


class SessionStoreBuilder(BaseBuilder[SessionStore[Any, Any]]):
    """Builds session stores."""

    def __init__(
        self,
        supplier: SessionBytesStoreSupplier,
        key_serde: Serde[Any] | None,
        value_serde: Serde[Any] | None,
    ) -> None:
        super().__init__(supplier, key_serde, value_serde)
        self._sessions = supplier

    def retentionPeriod(self) -> int:
        """Return how long a session is kept after its end, in milliseconds."""
        return self._sessions.retentionPeriod()

    def build(self) -> SessionStore[Any, Any]:
        """Return a new store."""
        supplier = self._sessions
        layer: SessionLayer
        if isinstance(supplier, OurSessionSupplier):
            keys = supplier.keys()
            layer = supplier.layer(keys)
        else:
            keys = SessionKeys(max(1, supplier.segmentIntervalMs()))
            layer = SuppliedSessions(supplier.get(), keys)
        if self._logging:
            layer = LoggedSessions(layer, self._name)
        return SerdeSessionStore(
            self._name,
            layer,
            self._key_serde,
            self._value_serde,
            keys=keys,
            caching=self._caching,
        )


class VersionedKeyValueStoreBuilder(BaseBuilder[VersionedKeyValueStore[Any, Any]]):
    """Builds versioned stores, which have no cache."""

    def __init__(
        self,
        supplier: VersionedBytesStoreSupplier,
        key_serde: Serde[Any] | None,
        value_serde: Serde[Any] | None,
    ) -> None:
        super().__init__(supplier, key_serde, value_serde)
        self._versions = supplier

    def withCachingEnabled(self) -> Self:
        """Refuse.

        Raises:
            IllegalStateException: Always: a cache would lose versions.
        """
        raise IllegalStateException(
            "Versioned stores do not support caching",
            detail=f'The store is "{self._name}".',
            hint="Leave out withCachingEnabled().",
        )

    def historyRetention(self) -> int:
        """Return how far back versions are kept, in milliseconds."""
        return self._versions.historyRetentionMs()

    def build(self) -> VersionedKeyValueStore[Any, Any]:
        """Return a new store."""
        supplier = self._versions
        layer: VersionLayer
        if isinstance(supplier, OurVersionedSupplier):
            layer = supplier.layer()
        else:
            supplied: Any = supplier.get()
            if not isinstance(supplied, VersionedKeyValueStore):
                raise IllegalStateException(
                    f'the supplier of versioned store "{self._name}" made no versioned store',
                    detail=f"It made a {type(supplied).__name__}.",
                )
            layer = SuppliedVersions(supplied)
        if self._logging:
            layer = LoggedVersions(layer, self._name)
        return SerdeVersionedStore(self._name, layer, self._key_serde, self._value_serde)


KV = TypeVar("KV", bound=SerdeKeyValueStore[Any, Any])
W = TypeVar("W", bound=SerdeWindowStore[Any, Any])


def build_key_value(store: type[KV], builder: BaseBuilder[Any]) -> KV:
    """Return a new store of that class, as ``builder`` describes it."""
    supplier = builder._supplier
    timestamped = store.codec_class.timestamped
    layer: ByteLayer
    if isinstance(supplier, OurKeyValueSupplier):
        layer = supplier.layer()
        persistent = supplier.durable
        if timestamped and supplier.drops_times():
            layer = UntimedBytes(layer)
    else:
        supplied = supplier.get()
        layer = SuppliedBytes(supplied)
        persistent = supplied.persistent()
    if builder._logging:
        layer = LoggedBytes(layer, builder._name, timestamped)
    return store(
        builder._name,
        layer,
        builder._key_serde,
        builder._value_serde,
        persistent=persistent,
        caching=builder._caching,
    )


def build_window(store: type[W], builder: WindowBuilder[Any]) -> W:
    """Return a new store of that class, as ``builder`` describes it."""
    supplier = builder._windows
    timestamped = store.codec_class.timestamped
    layer: WindowLayer
    if isinstance(supplier, OurWindowSupplier):
        keys = supplier.keys()
        layer = supplier.layer(keys)
        if timestamped and supplier.drops_times():
            layer = UntimedWindows(layer)
    else:
        keys = WindowKeys(default_segment_interval(supplier.retentionPeriod()))
        layer = SuppliedWindows(supplier.get(), keys)
    if builder._logging:
        layer = LoggedWindows(layer, builder._name, timestamped, supplier.retainDuplicates())
    return store(
        builder._name,
        layer,
        builder._key_serde,
        builder._value_serde,
        window_size=supplier.windowSize(),
        keys=keys,
        caching=builder._caching,
    )
