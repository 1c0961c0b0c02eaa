"""The life of a store with serdes, whatever its kind."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

from millstream.core.errors import InvalidStateStoreException
from millstream.core.metrics import StoreMetrics
from millstream.core.serdes import Serde
from millstream.core.state import FlushListener, StateStore, StateStoreContext
from millstream.stores import metered
from millstream.stores.access import CachedAccess, DirectAccess, StoreAccess
from millstream.stores.codec import Codec, Part, PlainCodec, resolve
from millstream.stores.layers import Below, PointLayer
from millstream.stores.metered import Meter
from millstream.stores.value_forms import Adapter

A = TypeVar("A")


class OpenedStore(StateStore, Generic[A]):
    """Name, opening and closing. ``A`` is the operators' way in, there while it is open."""

    points_measured: ClassVar[Mapping[str, str]] = metered.POINTS
    scans_measured: ClassVar[Mapping[str, str]] = metered.SCANS
    access_measured: ClassVar[Mapping[str, str]] = metered.POINT_ACCESS
    """Which methods are which of Kafka's operations."""

    def __init__(
        self, name: str, key_serde: Serde[Any] | None, value_serde: Serde[Any] | None
    ) -> None:
        self._name = name
        self._key_serde = key_serde
        self._value_serde = value_serde
        self._access: A | None = None
        self._below: Below
        self.metrics_scope: str | None = None
        """What its supplier is called in metrics; None if nothing is measured."""

    def name(self) -> str:
        """Return the name."""
        return self._name

    def access(self) -> A:
        """Return the operators' way in."""
        return self._opened()

    def flush(self) -> None:
        """Write out what is only in memory."""
        if self._access is not None:
            self._below.flush()

    def reload(self) -> None:
        """Forget what is kept of the bytes below: they were changed behind the store."""
        self._opened()
        self._below.reload()

    def close(self) -> None:
        """Flush, and release everything."""
        access, self._access = self._access, None
        if access is not None:
            self._below.close()

    def isOpen(self) -> bool:
        """Tell whether the store can be used."""
        return self._access is not None

    @property
    def operations_measured(self) -> list[str]:
        """Which operations there are metrics of."""
        return sorted({*self.points_measured.values(), *self.scans_measured.values()})

    def measured_by(self, metrics: StoreMetrics) -> None:
        """Record what is done with the store, from now on."""
        table = (self, self.points_measured, self.scans_measured)
        Meter(metrics).measure(*table, (self._opened(), self.access_measured))

    def _parts(self, context: StateStoreContext) -> tuple[Part[Any], Part[Any]]:
        """Return the serdes of keys and values, bound to the changelog's topic as in Kafka."""
        topic = f"{context.applicationId()}-{self._name}-changelog"
        key_serde = resolve(self._key_serde, context.keySerde(), "key", self._name)
        value_serde = resolve(self._value_serde, context.valueSerde(), "value", self._name)
        return Part(key_serde, topic), Part(value_serde, topic)

    def _opened(self) -> A:
        access = self._access
        if access is None:
            raise closed(self._name)
        return access


class TypedStore(OpenedStore[A], Generic[A]):
    """A store of keys and values over bytes by key, perhaps with a record cache in front."""

    codec_class: type[Codec] = PlainCodec
    remembers = False
    """A cache also keeps what was only read."""

    def __init__(
        self,
        name: str,
        points: PointLayer,
        key_serde: Serde[Any] | None,
        value_serde: Serde[Any] | None,
        *,
        adapter: Adapter | None = None,
        caching: bool = False,
    ) -> None:
        """Describe it; ``adapter`` is that of ``points``, for what is read around them."""
        super().__init__(name, key_serde, value_serde)
        self._bytes = points
        self._adapter = adapter
        self._caching = caching

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        """Open the store for a task."""
        context = stateStoreContext
        keys, values = self._parts(context)
        self._bytes.init(context, root)
        self._keys = keys
        codec = self._codec = self.codec_class(values)
        self._decode = _decoder(codec, self._adapter)
        if self._caching and context.cache_budget.limit > 0:
            self._points: StoreAccess = CachedAccess(
                keys, codec, self._bytes, context, self._show_key, remembers=self.remembers
            )
        else:
            self._points = DirectAccess(keys, codec, self._bytes, context)
        self._below = self._points
        self._access = self._open(self._points, context)

    def measured_by(self, metrics: StoreMetrics) -> None:
        """Record what is done with the store and its cache, from now on."""
        super().measured_by(metrics)
        metrics.cached = self._points.cached
        if metrics.cached and metrics.debug:
            self._points.measure_reads(Meter(metrics).measure_cache)

    def set_flush_listener(self, listener: FlushListener, send_old_values: bool) -> bool:
        """Name who is told of flushed entries; False if the store has no cache."""
        self._opened()
        return self._points.set_flush_listener(listener, send_old_values)

    def persistent(self) -> bool:
        """Tell whether the contents survive the process."""
        return self._bytes.stores_durably

    @abstractmethod
    def _open(self, points: StoreAccess, context: StateStoreContext) -> A:
        """Return the operators' way in, in front of an access by key."""

    @abstractmethod
    def _show_key(self, stored_key: bytes, key: Any) -> Any:
        """Return what a flush listener is told of a key."""

    def _key_of(self, key_bytes: bytes, key: Any) -> Any:
        # An object that is not plain may have been changed since it was written.
        keys = self._keys
        return key if type(key) is keys.plain_type else keys.from_bytes(key_bytes)


def closed(store: str) -> InvalidStateStoreException:
    """Return the error for a call to a store that is not open."""
    return InvalidStateStoreException(
        f"Store {store} is currently closed",
        hint="Use it between the init and the close of a processor it is connected to.",
    )


def _decoder(codec: Codec, adapter: Adapter | None) -> Any:
    if adapter is None:
        return codec.decode
    decode, above = codec.decode, adapter.above
    return lambda data: decode(above(data))
