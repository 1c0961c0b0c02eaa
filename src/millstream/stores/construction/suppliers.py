"""Suppliers of millstream's own stores: a name, a byte store plugin, and the sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from millstream.core.durations import DurationLike, to_millis
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    NullPointerException,
)
from millstream.core.flags import checked_flag
from millstream.core.java_shapes import java_duration
from millstream.core.serdes import Serdes
from millstream.core.state import (
    HeadersBytesStore,
    HeadersBytesStoreSupplier,
    KeyValueBytesStoreSupplier,
    SessionBytesStoreSupplier,
    TimestampedBytesStore,
    VersionedBytesStore,
    VersionedBytesStoreSupplier,
    WindowBytesStoreSupplier,
)
from millstream.core.wording import a_kind, plain_text
from millstream.stores.key_value.store import SerdeKeyValueStore
from millstream.stores.layers import ByteLayer, LruBytes, StoredBytes
from millstream.stores.session.keys import SessionKeys
from millstream.stores.session.layers import StoredSessions
from millstream.stores.session.store import SerdeSessionStore
from millstream.stores.versioned.bytes_stores import OurVersionedBytes
from millstream.stores.versioned.layers import StoredVersions
from millstream.stores.versioned.rows import default_versioned_interval
from millstream.stores.versioned.store import SerdeVersionedStore
from millstream.stores.window.keys import WindowKeys, default_segment_interval
from millstream.stores.window.layers import StoredWindows
from millstream.stores.window.store import SerdeWindowStore

PlainBytes = SerdeKeyValueStore[bytes, bytes]
WindowBytes = SerdeWindowStore[bytes, bytes]
SessionBytes = SerdeSessionStore[bytes, bytes]

Foundation = tuple[Any, dict[str, Any]]
"""The layer of bytes under a store, and further arguments of the store: keys and sizes."""


class TimestampedBytes(PlainBytes, TimestampedBytesStore):
    """Key-value bytes with times."""


class HeadersBytes(PlainBytes, HeadersBytesStore):
    """Key-value bytes with headers."""


class TimestampedWindowBytes(WindowBytes, TimestampedBytesStore):
    """Window bytes with times."""


class HeadersWindowBytes(TimestampedWindowBytes, HeadersBytesStore):
    """Window bytes with headers."""


class HeadersSessionBytes(SessionBytes, HeadersBytesStore):
    """Session bytes with headers."""


@dataclass(frozen=True, kw_only=True)
class OurSupplier:
    """Base of the suppliers: a store over the byte store plugin called ``kind``.

    Raises:
        NullPointerException: The name is None.
    """

    store: str
    kind: str
    durable: bool
    """The store is persistent to users, and follows the rules of Kafka's persistent stores."""
    timestamped: bool = True
    """Its bytes are marked as values with their times."""

    bytes_classes: ClassVar[tuple[type[Any], type[Any], type[Any]]]
    """Classes of stores of bytes: plain values, with times, with headers."""
    metrics_suffix: ClassVar[str] = ""

    def __post_init__(self) -> None:
        if self.store is None:
            raise NullPointerException("name cannot be null")
        if not isinstance(self.store, str):
            raise ClassCastException(f"name cannot be {a_kind(self.store)}", hint="Give a text.")
        object.__setattr__(self, "store", plain_text(self.store))

    def name(self) -> str:
        """Return the store's name."""
        return self.store

    def metricsScope(self) -> str:
        """Return Kafka's name for the byte store."""
        return ("in-memory" if self.kind == "memory" else self.kind) + self.metrics_suffix

    def get(self) -> Any:
        """Return a new store of bytes, without cache and changelog."""
        plain, timestamped, headers = self.bytes_classes
        chosen = timestamped if self.timestamped else plain
        if isinstance(self, HeadersBytesStoreSupplier):
            chosen = headers
        layer, arguments = self.foundation()
        data = Serdes.ByteArray()
        return chosen(self.store, layer, data, data, **arguments)

    def foundation(self) -> Foundation:
        """Return the foundation of a new store."""
        raise NotImplementedError

    def layout(self) -> Mapping[str, Any]:
        """Return the layout: see ``StoreIdentity``."""
        return {}


@dataclass(frozen=True, kw_only=True)
class OurKeyValueSupplier(OurSupplier, KeyValueBytesStoreSupplier):
    """Supplier of key-value stores."""

    bytes_classes = (PlainBytes, TimestampedBytes, HeadersBytes)

    max_entries: int | None = None
    """The limit of a store of the entries used last; None: no limit."""

    def metricsScope(self) -> str:
        scope = super().metricsScope()
        return scope if self.max_entries is None else f"{scope}-lru"

    def foundation(self) -> Foundation:
        layer: ByteLayer = StoredBytes(self.store, self.kind, durable=self.durable)
        if self.max_entries is not None:
            layer = LruBytes(self.store, self.kind, self.max_entries)
        return layer, {}


class OurHeadersKeyValueSupplier(OurKeyValueSupplier, HeadersBytesStoreSupplier):
    """Supplier of key-value stores for values with headers."""


@dataclass(frozen=True, kw_only=True)
class _SegmentedSupplier(OurSupplier):
    """Base of the suppliers of window and session stores; times in milliseconds."""

    retention: DurationLike
    emits_final: bool = False
    """All keys are read by time, when windows or sessions close."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _set_length(self, "retention", "retentionPeriod")

    def retentionPeriod(self) -> int:
        """Return how long a window is kept after its start, or a session after its end."""
        return self.retention  # type: ignore[return-value]  # __post_init__ made it milliseconds

    def segmentIntervalMs(self) -> int:
        """Return the width of the segments; 1 for a store in memory, which has none in Kafka."""
        return self.segment_interval if self.durable else 1

    @property
    def segment_interval(self) -> int:
        """The width of the segments in the bytes."""
        return default_segment_interval(self.retentionPeriod())

    def layout(self) -> Mapping[str, Any]:
        return {"segment interval": self.segment_interval, "order by time": self.emits_final}


@dataclass(frozen=True, kw_only=True)
class OurWindowSupplier(_SegmentedSupplier, WindowBytesStoreSupplier):
    """Supplier of window stores.

    Raises:
        IllegalArgumentException: A time is negative, or the retention shorter than a window.
        ClassCastException: ``duplicates`` is no bool.
    """

    bytes_classes = (WindowBytes, TimestampedWindowBytes, HeadersWindowBytes)
    metrics_suffix = "-window"

    size: DurationLike
    duplicates: bool
    sliding: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_flag(self.duplicates, "retainDuplicates")
        size_ms, retention_ms = _set_length(self, "size", "windowSize"), self.retentionPeriod()
        if size_ms > retention_ms:
            raise IllegalArgumentException(
                f"The retention period of the window store {self.store} must be no smaller than "
                f"its window size. Got size=[{java_duration(size_ms)}], "
                f"retention=[{java_duration(retention_ms)}]"
            )

    def windowSize(self) -> int:
        return self.size  # type: ignore[return-value]  # __post_init__ made it milliseconds

    def retainDuplicates(self) -> bool:
        return self.duplicates

    def foundation(self) -> Foundation:
        keys = WindowKeys(self.segment_interval)
        layer = StoredWindows(
            self.store,
            self.kind,
            self.retentionPeriod(),
            keys,
            duplicates=self.duplicates,
            durable=self.durable,
            emits_final=self.emits_final,
            sliding=self.sliding,
        )
        return layer, {"keys": keys, "window_size": self.size}

    def layout(self) -> Mapping[str, Any]:
        return {
            "segment interval": self.segment_interval,
            "duplicates": self.duplicates,
            "order by time": self.emits_final,
        }


class OurHeadersWindowSupplier(OurWindowSupplier, HeadersBytesStoreSupplier):
    """Supplier of window stores for values with headers."""


@dataclass(frozen=True, kw_only=True)
class OurSessionSupplier(_SegmentedSupplier, SessionBytesStoreSupplier):
    """Supplier of session stores.

    Raises:
        IllegalArgumentException: The retention is negative.
    """

    bytes_classes = (SessionBytes, SessionBytes, HeadersSessionBytes)
    metrics_suffix = "-session"

    def foundation(self) -> Foundation:
        keys = SessionKeys(self.segment_interval)
        layer = StoredSessions(
            self.store,
            self.kind,
            self.retentionPeriod(),
            keys,
            durable=self.durable,
            indexed=self.emits_final,
        )
        return layer, {"keys": keys}


class OurHeadersSessionSupplier(OurSessionSupplier, HeadersBytesStoreSupplier):
    """Supplier of session stores for aggregates with headers."""


@dataclass(frozen=True, kw_only=True)
class OurVersionedSupplier(OurSupplier, VersionedBytesStoreSupplier):
    """Supplier of versioned stores; times in milliseconds.

    Raises:
        IllegalArgumentException: The retention is negative, or a segment shorter than 1 ms.
    """

    retention: DurationLike
    interval: DurationLike | None = None
    """The width of the segments in which old versions are dropped; None for Kafka's choice."""
    cached: bool = False
    """The latest versions used last stay in memory as well."""

    def __post_init__(self) -> None:
        super().__post_init__()
        retention_ms = _set_length(self, "retention", "historyRetention")
        if self.interval is None:
            interval_ms = default_versioned_interval(retention_ms)
        else:
            interval_ms = to_millis(self.interval, "segmentInterval")
        if interval_ms < 1:
            raise IllegalArgumentException(
                "segmentInterval cannot be zero or negative", detail=f"It is {interval_ms} ms."
            )
        object.__setattr__(self, "interval", interval_ms)

    def historyRetentionMs(self) -> int:
        return self.retention  # type: ignore[return-value]  # __post_init__ made it milliseconds

    def segmentIntervalMs(self) -> int:
        """Return the width of the segments in which old versions are dropped."""
        return self.interval  # type: ignore[return-value]  # __post_init__ made it milliseconds

    def get(self) -> VersionedBytesStore:
        data = Serdes.ByteArray()
        layer, _ = self.foundation()
        return OurVersionedBytes(SerdeVersionedStore(self.store, layer, data, data))

    def foundation(self) -> Foundation:
        retention_ms, interval_ms = self.historyRetentionMs(), self.segmentIntervalMs()
        layer = StoredVersions(
            self.store, self.kind, retention_ms, interval_ms, durable=self.durable
        )
        return layer, {}

    def layout(self) -> Mapping[str, Any]:
        return {"segment interval": self.interval}


def _set_length(supplier: Any, field: str, name: str) -> int:
    """Set a field, a duration as users give it, to its milliseconds; ``name`` is Kafka's."""
    length_ms = to_millis(getattr(supplier, field), name)
    if length_ms < 0:
        raise IllegalArgumentException(
            f"{name} cannot be negative", detail=f"It is {length_ms} ms."
        )
    object.__setattr__(supplier, field, length_ms)
    return length_ms
