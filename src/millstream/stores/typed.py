"""Bases of stores with serdes: opening, closing, serdes and the record cache."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Generic, TypeVar
from weakref import WeakSet

from millstream.core.errors import ClassCastException, InvalidStateStoreException
from millstream.core.headers import Headers
from millstream.core.metrics import StoreMetrics
from millstream.core.serdes import Serde
from millstream.core.state import CacheFlushListener, DslStoreFormat, StateStore, StateStoreContext
from millstream.core.state.logged_rows import AsKept
from millstream.core.wording import a_kind
from millstream.stores import metered
from millstream.stores.access import CachedAccess, DirectAccess, StoreAccess
from millstream.stores.codec import BoundSerde, Codec, PlainCodec, resolve
from millstream.stores.headed_keys import deletion, heading
from millstream.stores.iterators import Entries
from millstream.stores.layers import Below, PointLayer
from millstream.stores.metered import Meter
from millstream.stores.supplied import supplied_store
from millstream.stores.value_forms import Adapter

A = TypeVar("A")
E = TypeVar("E", bound=Entries[Any, Any])


class OpenedStore(StateStore, Generic[A]):
    """Name, opening and closing. ``A`` is the access for operators, while the store is open."""

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
        self._headed: A | None = None
        """The access for operators, where keys are serialized with the headers of values."""
        self._below: Below
        self._layer: Any
        self._iterators: WeakSet[Entries[Any, Any]] = WeakSet()
        self.wants_headers = False
        """Its serdes read or change the headers of the current record."""
        self.as_kept: AsKept | None = None
        """Makes what a user's own bytes are given back after a restart; None over ours."""
        self.metrics_scope: str | None = None
        """Its supplier's name in metrics; None if nothing is measured."""

    def name(self) -> str:
        return self._name

    def access(self) -> A:
        """Return the access for operators."""
        access: A = self._opened() if self._headed is None else self._headed
        return access

    def flush(self) -> None:
        if self._access is not None:
            self._below.flush()

    def reload(self) -> None:
        self._opened()
        self._below.reload()

    def close(self) -> None:
        access, self._access, self._headed = self._access, None, None
        if access is not None:
            for entries in list(self._iterators):
                self._end(entries)
            self._below.close()

    def isOpen(self) -> bool:
        return self._access is not None

    def query(self, query: Any, positionBound: Any, config: Any) -> Any:
        """Answer a query; one of a user's own kind is answered by the user's own bytes store."""
        ask = getattr(supplied_store(self._layer), "query", None)
        if ask is not None and _is_own(query, positionBound):
            return ask(query, positionBound, config)
        return super().query(query, positionBound, config)

    @property
    def operations_measured(self) -> list[str]:
        """Which operations there are metrics of."""
        return sorted({*self.points_measured.values(), *self.scans_measured.values()})

    def measured_by(self, metrics: StoreMetrics) -> None:
        """Record what is done with the store, from now on."""
        table = (self, self.points_measured, self.scans_measured)
        Meter(metrics).measure(*table, (self._opened(), self.access_measured))

    def _watched(self, entries: E) -> E:
        """Remember an iterator that is given to a user: it ends when the store is closed."""
        self._iterators.add(entries)
        return entries

    def _end(self, entries: Entries[Any, Any]) -> None:
        entries.end()

    def _settle(self, time_of: Callable[[bytes], int], first_kept: int | None) -> None:
        """Let open iterators read what is left before the layer below drops what has expired."""
        for entries in list(self._iterators):
            entries.settle(time_of, first_kept)

    def _parts(self, context: StateStoreContext) -> tuple[BoundSerde[Any], BoundSerde[Any]]:
        """Return the serdes of keys and values, bound to the changelog's topic as in Kafka."""
        if not hasattr(context, "changelog_topic"):
            raise ClassCastException(
                f'store "{self._name}" cannot be initialised with {a_kind(context)}',
                hint="It takes a StateStoreContext: in a test of a processor "
                "context.getStateStoreContext(); elsewhere the runtime initialises stores.",
            )
        topic = context.changelog_topic(self._name)
        key_serde = resolve(self._key_serde, context.keySerde(), "key", self._name)
        value_serde = resolve(self._value_serde, context.valueSerde(), "value", self._name)

        def headers() -> Headers:
            record = context.record_context
            return Headers() if record is None else record.headers()

        def bound(serde: Any, role: str, *, default: bool) -> BoundSerde[Any]:
            given = f"default.{role}.serde, for" if default else f"the {role} serde of"
            return BoundSerde(serde, topic, headers, f'{given} store "{self._name}"', role)

        parts = (
            bound(key_serde, "key", default=self._key_serde is None),
            bound(value_serde, "value", default=self._value_serde is None),
        )
        self.wants_headers = any(part.writes_headers or part.reads_headers for part in parts)
        return parts

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
    value_at = 0
    """The value's place among the arguments after the key, in the access's ``write``."""

    def __init__(
        self,
        name: str,
        layer: Any,
        key_serde: Serde[Any] | None,
        value_serde: Serde[Any] | None,
        *,
        points: PointLayer | None = None,
        adapter: Adapter | None = None,
        caching: bool = False,
    ) -> None:
        """Describe it.

        Ranges are read from ``layer``. Single keys go through ``points``, which wrap the layer;
        ``adapter`` is that of ``points``, for ranges.
        """
        super().__init__(name, key_serde, value_serde)
        self._layer = layer
        self._bytes: PointLayer = points or layer
        self._adapter = adapter
        self._caching = caching

    def init(self, stateStoreContext: StateStoreContext, root: StateStore) -> None:
        context = stateStoreContext
        keys, values = self._parts(context)
        self._bytes.init(context, root)
        self._keys = keys
        self._context = context
        codec = self._codec = self.codec_class(values)
        self._decode = _decoder(codec, self._adapter)
        if self._caching and context.cache_budget.limit > 0:
            self._points: StoreAccess = CachedAccess(
                keys,
                codec,
                self._bytes,
                context,
                self._show_keys,
                remembers=self.remembers,
                by_records=self.wants_headers,
            )
        else:
            self._points = DirectAccess(keys, codec, self._bytes, context)
        self._below = self._points
        context.opened(root, self)
        self._access = self._open(self._points, context)
        headed = codec.format is DslStoreFormat.HEADERS
        if headed and keys.writes_headers:
            self._headed = heading(self._access, keys, context, self.value_at)
        self._reads_headed_keys = headed and keys.reads_headers

    def measured_by(self, metrics: StoreMetrics) -> None:
        """Record what is done with the store and its cache, from now on."""
        super().measured_by(metrics)
        metrics.cached = self._points.cached
        if metrics.cached and metrics.debug:
            self._points.measure_reads(Meter(metrics).measure_cache)

    def set_flush_listener(self, listener: CacheFlushListener, send_old_values: bool) -> bool:
        """Set the listener for flushed entries; return False if the store has no cache."""
        self._opened()
        return self._points.set_flush_listener(listener, send_old_values)

    def persistent(self) -> bool:
        return self._bytes.stores_durably

    @contextmanager
    def _key_written(self, key: Any, shown: Any) -> Iterator[bytes]:
        """Yield a key's bytes, to be put with what a user gave.

        Where values have headers, the key's serializer is given those; with a deletion, a copy of
        those of the current record, which its record in the changelog then has.
        """
        keys = self._keys
        if self._headed is None:
            yield keys.to_bytes(key)  # type: ignore[misc]
        elif shown is not None:
            yield keys.to_bytes_with(shown.headers(), key)  # type: ignore[misc]
        else:
            with deletion(self._context) as headers:
                yield keys.to_bytes_with(headers, key)  # type: ignore[misc]

    def _key_and_cell(self, key_of: Callable[[bytes], bytes]) -> Callable[[bytes, Any], Any]:
        """Return what reads the key of an entry with the headers of its value."""
        keys, headers_of = self._keys, self._codec.headers_of
        return lambda raw, cell: keys.from_bytes_with(headers_of(cell), key_of(raw))

    @abstractmethod
    def _open(self, points: StoreAccess, context: StateStoreContext) -> A:
        """Return the access for operators, in front of an access by raw key."""

    @abstractmethod
    def _show_keys(self, stored_keys: Sequence[bytes], keys: Sequence[Any]) -> list[Any]:
        """Return keys as flush listeners receive them."""

    def _keys_of(self, keys_bytes: Iterable[bytes], keys: Sequence[Any]) -> list[Any]:
        # An object that is not plain may have been changed since it was written.
        plain, from_bytes = self._keys.plain_type, self._keys.from_bytes
        if set(map(type, keys)) == {plain}:
            return list(keys)
        return [
            key if type(key) is plain else from_bytes(data)
            for data, key in zip(keys_bytes, keys, strict=True)
        ]


def _is_own(query: Any, bound: Any) -> bool:
    """Return whether a query is whole, and of a kind that millstream does not have."""
    # As in the base: few programs ask queries.
    from millstream.core.query.answer import HANDLERS

    return query is not None and bound is not None and type(query) not in HANDLERS


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
