"""Checks what a supplier of stores was asked for, and makes it."""

from __future__ import annotations

from millstream.core.durations import DurationLike, to_millis
from millstream.core.errors import IllegalArgumentException, NullPointerException
from millstream.core.java_shapes import java_duration
from millstream.stores.construction.suppliers import (
    OurHeadersKeyValueSupplier,
    OurHeadersSessionSupplier,
    OurHeadersWindowSupplier,
    OurKeyValueSupplier,
    OurSessionSupplier,
    OurVersionedSupplier,
    OurWindowSupplier,
)
from millstream.stores.versioned.rows import default_versioned_interval
from millstream.stores.window.keys import default_segment_interval


def key_value_supplier(
    name: str,
    kind: str,
    *,
    durable: bool,
    timestamped: bool,
    headers: bool = False,
    max_entries: int | None = None,
) -> OurKeyValueSupplier:
    """Return a supplier of key-value stores over the byte store called ``kind``."""
    supplier = OurHeadersKeyValueSupplier if headers else OurKeyValueSupplier
    return supplier(
        store=_named(name),
        kind=kind,
        durable=durable,
        timestamped=timestamped,
        max_entries=max_entries,
    )


def window_supplier(
    name: str,
    kind: str,
    retention: DurationLike,
    size: DurationLike,
    duplicates: bool,
    *,
    durable: bool,
    timestamped: bool,
    headers: bool = False,
    emits_final: bool = False,
    sliding: bool = False,
) -> OurWindowSupplier:
    """Return a supplier of window stores over the byte store called ``kind``."""
    name = _named(name)
    retention_ms = _length(retention, "retentionPeriod")
    size_ms = _length(size, "windowSize")
    if size_ms > retention_ms:
        raise IllegalArgumentException(
            f"The retention period of the window store {name} must be no smaller than its window "
            f"size. Got size=[{java_duration(size_ms)}], retention=[{java_duration(retention_ms)}]"
        )
    supplier = OurHeadersWindowSupplier if headers else OurWindowSupplier
    return supplier(
        store=name,
        kind=kind,
        durable=durable,
        timestamped=timestamped,
        retention=retention_ms,
        size=size_ms,
        duplicates=duplicates,
        segment_interval=default_segment_interval(retention_ms),
        emits_final=emits_final,
        sliding=sliding,
    )


def session_supplier(
    name: str,
    kind: str,
    retention: DurationLike,
    *,
    durable: bool,
    headers: bool = False,
    emits_final: bool = False,
) -> OurSessionSupplier:
    """Return a supplier of session stores over the byte store called ``kind``."""
    name = _named(name)
    retention_ms = _length(retention, "retentionPeriod")
    supplier = OurHeadersSessionSupplier if headers else OurSessionSupplier
    return supplier(
        store=name,
        kind=kind,
        durable=durable,
        retention=retention_ms,
        segment_interval=default_segment_interval(retention_ms),
        emits_final=emits_final,
    )


def versioned_supplier(
    name: str,
    kind: str,
    retention: DurationLike,
    interval: DurationLike | None,
    *,
    durable: bool,
    cached: bool = False,
) -> OurVersionedSupplier:
    """Return a supplier of versioned stores over the byte store called ``kind``."""
    name = _named(name)
    retention_ms = _length(retention, "historyRetention")
    interval_ms = (
        default_versioned_interval(retention_ms)
        if interval is None
        else to_millis(interval, "segmentInterval")
    )
    if interval_ms < 1:
        raise IllegalArgumentException(
            "segmentInterval cannot be zero or negative", detail=f"It is {interval_ms} ms."
        )
    return OurVersionedSupplier(
        store=name,
        kind=kind,
        durable=durable,
        retention=retention_ms,
        segment_interval=interval_ms,
        cached=cached,
    )


def _named(name: str) -> str:
    if name is None:
        raise NullPointerException("name cannot be null")
    return name


def _length(duration: DurationLike, name: str) -> int:
    length = to_millis(duration, name)
    if length < 0:
        raise IllegalArgumentException(f"{name} cannot be negative", detail=f"It is {length} ms.")
    return length
