"""Builders of stores: what a topology keeps until a task asks for its own."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

from typing_extensions import Self

from millstream.core.errors import IllegalStateException, NullPointerException
from millstream.core.serdes import Serde
from millstream.core.state import (
    DslStoreFormat,
    HeadersBytesStore,
    HeadersBytesStoreSupplier,
    KeyValueStore,
    SessionBytesStoreSupplier,
    SessionStore,
    SessionStoreWithHeaders,
    StateStore,
    StoreBuilder,
    StoreSupplier,
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
)
from millstream.core.state.identity import StoreIdentity
from millstream.core.wording import a_kind
from millstream.stores.above import Adapted, Logged, LoggedKey, Numbered, without_segment
from millstream.stores.codec import Codec
from millstream.stores.construction.suppliers import (
    OurKeyValueSupplier,
    OurSessionSupplier,
    OurVersionedSupplier,
    OurWindowSupplier,
)
from millstream.stores.header_stores import (
    SerdeKeyValueStoreWithHeaders,
    SerdeSessionStoreWithHeaders,
    SerdeWindowStoreWithHeaders,
)
from millstream.stores.identity import identity_of
from millstream.stores.key_value.store import SerdeKeyValueStore, SerdeTimestampedKeyValueStore
from millstream.stores.layers import ByteLayer, PointLayer, SuppliedBytes
from millstream.stores.session.keys import SessionKeys
from millstream.stores.session.layers import SessionLayer, SuppliedSessions
from millstream.stores.session.store import SerdeSessionStore
from millstream.stores.typed import OpenedStore
from millstream.stores.value_forms import Adapter, Log, adapter, log_with_headers_in_hand
from millstream.stores.versioned.above import CachedVersions, LoggedVersions, SuppliedVersions
from millstream.stores.versioned.bytes_stores import SuppliedVersionedBytes
from millstream.stores.versioned.layers import VersionLayer
from millstream.stores.versioned.store import SerdeVersionedStore
from millstream.stores.window.keys import WindowKeys, default_segment_interval
from millstream.stores.window.layers import SuppliedWindows, WindowLayer
from millstream.stores.window.store import SerdeTimestampedWindowStore, SerdeWindowStore

S = TypeVar("S", bound=StateStore)

logger = logging.getLogger("millstream.stores")


class BaseBuilder(StoreBuilder[S], Generic[S]):
    """Name, serdes, cache and changelog of a store: no cache and a changelog unless told."""

    makes: ClassVar[type[OpenedStore[Any]]] = SerdeKeyValueStore

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
        self._logs_headers = False
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
        """Keep a changelog, with these settings for its topic.

        Raises:
            NullPointerException: ``config`` is None; an empty one stands for no settings.
        """
        if config is None:
            raise NullPointerException("config can't be null")
        self._logging = True
        self._log_config = dict(config)
        return self

    def with_headers_logged(self) -> Self:
        """Note the headers of the record in hand in the changelog, if the store keeps none."""
        self._logs_headers = True
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

    def identity(self) -> StoreIdentity:
        """Return what the store's bytes mean."""
        return identity_of(self.makes, self._supplier, self._key_serde, self._value_serde)


class KeyValueStoreBuilder(BaseBuilder[KeyValueStore[Any, Any]]):
    """Builds plain key-value stores."""

    def build(self) -> KeyValueStore[Any, Any]:
        """Return a new store."""
        return build_key_value(SerdeKeyValueStore, self)


class TimestampedKeyValueStoreBuilder(BaseBuilder[TimestampedKeyValueStore[Any, Any]]):
    """Builds key-value stores with timestamps."""

    makes = SerdeTimestampedKeyValueStore

    def build(self) -> TimestampedKeyValueStore[Any, Any]:
        """Return a new store."""
        return build_key_value(SerdeTimestampedKeyValueStore, self)


class KeyValueStoreWithHeadersBuilder(BaseBuilder[TimestampedKeyValueStoreWithHeaders[Any, Any]]):
    """Builds key-value stores with timestamps and headers."""

    makes = SerdeKeyValueStoreWithHeaders

    def build(self) -> TimestampedKeyValueStoreWithHeaders[Any, Any]:
        """Return a new store."""
        return build_key_value(SerdeKeyValueStoreWithHeaders, self)


class WindowBuilder(BaseBuilder[S], Generic[S]):
    """What the two kinds of window stores share."""

    _supplier: WindowBytesStoreSupplier

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
        return self._supplier.retentionPeriod()


class WindowStoreBuilder(WindowBuilder[WindowStore[Any, Any]]):
    """Builds plain window stores."""

    makes = SerdeWindowStore

    def build(self) -> WindowStore[Any, Any]:
        """Return a new store."""
        return build_window(SerdeWindowStore, self)


class TimestampedWindowStoreBuilder(WindowBuilder[TimestampedWindowStore[Any, Any]]):
    """Builds window stores with timestamps."""

    makes = SerdeTimestampedWindowStore

    def build(self) -> TimestampedWindowStore[Any, Any]:
        """Return a new store."""
        return build_window(SerdeTimestampedWindowStore, self)


class WindowStoreWithHeadersBuilder(WindowBuilder[TimestampedWindowStoreWithHeaders[Any, Any]]):
    """Builds window stores with timestamps and headers."""

    makes = SerdeWindowStoreWithHeaders

    def build(self) -> TimestampedWindowStoreWithHeaders[Any, Any]:
        """Return a new store."""
        return build_window(SerdeWindowStoreWithHeaders, self)


class SessionBuilder(BaseBuilder[S], Generic[S]):
    """What the two kinds of session stores share."""

    _supplier: SessionBytesStoreSupplier

    def retentionPeriod(self) -> int:
        """Return how long a session is kept after its end, in milliseconds."""
        return self._supplier.retentionPeriod()


class SessionStoreBuilder(SessionBuilder[SessionStore[Any, Any]]):
    """Builds session stores."""

    makes = SerdeSessionStore

    def build(self) -> SessionStore[Any, Any]:
        """Return a new store."""
        return build_session(SerdeSessionStore, self)


class SessionStoreWithHeadersBuilder(SessionBuilder[SessionStoreWithHeaders[Any, Any]]):
    """Builds session stores with headers."""

    makes = SerdeSessionStoreWithHeaders

    def build(self) -> SessionStoreWithHeaders[Any, Any]:
        """Return a new store."""
        return build_session(SerdeSessionStoreWithHeaders, self)


class VersionedKeyValueStoreBuilder(BaseBuilder[VersionedKeyValueStore[Any, Any]]):
    """Builds versioned stores."""

    makes = SerdeVersionedStore
    _supplier: VersionedBytesStoreSupplier

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
        return self._supplier.historyRetentionMs()

    def build(self) -> VersionedKeyValueStore[Any, Any]:
        """Return a new store."""
        supplier = self._supplier
        layer: VersionLayer
        if isinstance(supplier, OurVersionedSupplier):
            layer = supplier.layer()
        else:
            supplied: Any = supplier.get()
            if isinstance(supplied, VersionedBytesStore):
                layer = SuppliedVersionedBytes(supplied)
            elif isinstance(supplied, VersionedKeyValueStore):
                layer = SuppliedVersions(supplied)
            else:
                raise IllegalStateException(
                    f'the supplier of versioned store "{self._name}" made no versioned store',
                    detail=f"It made {a_kind(supplied)}.",
                    hint="Let it make a VersionedBytesStore.",
                )
        if self._logging:
            layer = LoggedVersions(layer, self._name)
        if isinstance(supplier, OurVersionedSupplier) and supplier.cached:
            layer = CachedVersions(layer)
        made: SerdeVersionedStore[Any, Any] = SerdeVersionedStore(
            self._name, layer, self._key_serde, self._value_serde
        )
        return _scoped(made, supplier)


O = TypeVar("O", bound=OpenedStore[Any])
KV = TypeVar("KV", bound=SerdeKeyValueStore[Any, Any])
W = TypeVar("W", bound=SerdeWindowStore[Any, Any])
SS = TypeVar("SS", bound=SerdeSessionStore[Any, Any])


def build_key_value(store: type[KV], builder: BaseBuilder[Any]) -> KV:
    """Return a new store of that class, as ``builder`` describes it."""
    supplier = builder._supplier
    codec = store.codec_class
    layer: ByteLayer
    if isinstance(supplier, OurKeyValueSupplier):
        layer = supplier.layer()
        adapts = _ours(codec, supplier)
    else:
        supplied = supplier.get()
        layer = SuppliedBytes(supplied)
        adapts = _users(codec, supplied)
    return _scoped(store(builder._name, layer, **_around(layer, adapts, codec, builder)), supplier)


def build_window(store: type[W], builder: WindowBuilder[Any]) -> W:
    """Return a new store of that class, as ``builder`` describes it."""
    supplier = builder._supplier
    codec = store.codec_class
    layer: WindowLayer
    if isinstance(supplier, OurWindowSupplier):
        keys = supplier.keys()
        layer = supplier.layer(keys)
        adapts = _ours(codec, supplier)
    else:
        keys = WindowKeys(default_segment_interval(supplier.retentionPeriod()))
        supplied = supplier.get()
        layer = SuppliedWindows(supplied, keys)
        adapts = _users(codec, supplied)
    logged_key = Numbered() if supplier.retainDuplicates() else without_segment
    around = _around(layer, adapts, codec, builder, logged_key)
    size = supplier.windowSize()
    made = store(builder._name, layer, window_size=size, keys=keys, **around)
    return _scoped(made, supplier)


def build_session(store: type[SS], builder: SessionBuilder[Any]) -> SS:
    """Return a new store of that class, as ``builder`` describes it."""
    supplier = builder._supplier
    codec = store.codec_class
    layer: SessionLayer
    if isinstance(supplier, OurSessionSupplier):
        keys = supplier.keys()
        layer = supplier.layer(keys)
        adapts = _ours(codec, supplier)
    else:
        keys = SessionKeys(max(1, supplier.segmentIntervalMs()))
        supplied = supplier.get()
        layer = SuppliedSessions(supplied, keys)
        adapts = _users(codec, supplied)
    around = _around(layer, adapts, codec, builder, without_segment)
    return _scoped(store(builder._name, layer, keys=keys, **around), supplier)


def _scoped(store: O, supplier: StoreSupplier[Any]) -> O:
    # A supplier that only looks like one may have no name for metrics.
    scope = getattr(supplier, "metricsScope", None)
    store.metrics_scope = None if scope is None else scope()
    return store


def _around(
    layer: PointLayer,
    adapts: Adapter | None,
    codec: type[Codec],
    builder: BaseBuilder[Any],
    logged_key: LoggedKey | None = None,
) -> dict[str, Any]:
    """Return what a store of any kind is given besides its bytes."""
    points = layer if adapts is None else Adapted(layer, adapts)
    if builder._logging:
        # Kafka does not see the LRU map below its adapter for timestamps.
        notes_dropped = not codec.timestamped
        log = _log(codec, builder)
        points = Logged(points, builder._name, log, logged_key, notes_dropped=notes_dropped)
    return {
        "key_serde": builder._key_serde,
        "value_serde": builder._value_serde,
        "points": points,
        "adapter": adapts,
        "caching": builder._caching,
    }


def _log(codec: type[Codec], builder: BaseBuilder[Any]) -> Log:
    if builder._logs_headers and codec.format is DslStoreFormat.TIMESTAMPED:
        return log_with_headers_in_hand
    return codec.log


def _ours(codec: type[Codec], supplier: Any) -> Adapter | None:
    # Stores in memory keep whatever they are given, and sessions have no times.
    if not supplier.durable:
        return None
    headers = isinstance(supplier, HeadersBytesStoreSupplier)
    return adapter(
        codec.format, timestamped=getattr(supplier, "timestamped", True), headers=headers
    )


def _users(codec: type[Codec], supplied: StateStore) -> Adapter | None:
    if not supplied.persistent():
        return None
    timed = isinstance(supplied, TimestampedBytesStore | SessionStore)
    headers = isinstance(supplied, HeadersBytesStore)
    return adapter(codec.format, timestamped=timed, headers=headers)
