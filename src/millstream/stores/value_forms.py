"""Forms of values: adapters for bytes that keep less of a value, and changelog records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from millstream.core.errors import IllegalArgumentException
from millstream.core.headers import Headers
from millstream.core.serdes.header_bytes import headers_prefix, split_headers
from millstream.core.state import DslStoreFormat, StateStoreContext
from millstream.core.state.bytes_stores import NO_HEADERS, NO_TIME
from millstream.core.state.logged_rows import AsKept

Log = Callable[[StateStoreContext, str, bytes, "bytes | None"], None]
"""Logs a change of a store's key, in the form of Kafka's changelog topics."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """Conversion of values for a store that keeps less of them than it is given."""

    below: Callable[[bytes], bytes]
    """Returns what is kept."""
    above: Callable[[bytes], bytes]
    """Returns what is read; what was not kept has stand-ins, as in Kafka."""


def adapter(wanted: DslStoreFormat, *, timestamped: bool, headers: bool) -> Adapter | None:
    """Return the adapter between a typed store and persistent bytes; None if none is needed.

    Args:
        wanted: What the typed store's values carry.
        timestamped: The store of bytes is marked as one that keeps times.
        headers: It is marked as one that keeps headers.
    """
    if wanted is DslStoreFormat.TIMESTAMPED and not timestamped:
        return WITHOUT_TIME
    if wanted is DslStoreFormat.HEADERS and not headers:
        return WITHOUT_HEADERS if timestamped else WITHOUT_BOTH
    return None


def _after_time(value: bytes) -> bytes:
    return value[8:]


def _after_headers(value: bytes) -> bytes:
    return value[split_headers(value)[1] :]


def _after_both(value: bytes) -> bytes:
    return value[split_headers(value)[1] + 8 :]


WITHOUT_TIME = Adapter(_after_time, NO_TIME.__add__)
WITHOUT_HEADERS = Adapter(_after_headers, NO_HEADERS.__add__)
WITHOUT_BOTH = Adapter(_after_both, (NO_HEADERS + NO_TIME).__add__)


def as_kept(log: Log, adapts: Adapter | None) -> AsKept:
    """Return how bytes come back from what ``log`` has made of them, through the adapter if any."""

    def kept(value: bytes, time: int, headers: Headers | None) -> bytes:
        if log is log_timestamped or log is log_with_headers:
            value = time.to_bytes(8, "big", signed=True) + value
        if log is log_with_headers or log is log_aggregate_with_headers:
            value = headers_prefix(headers) + value
        return value if adapts is None else adapts.below(value)

    return AsKept(kept)


def log_plain(context: StateStoreContext, store: str, key: bytes, value: bytes | None) -> None:
    """Log a change with the time of the current record."""
    context.log_change(store, key, value, _record_time(context), None)


def log_timestamped(
    context: StateStoreContext, store: str, key: bytes, value: bytes | None
) -> None:
    """Log a change of a timestamped value, cut into plain value and record time."""
    if value is None:
        log_plain(context, store, key, None)
    else:
        context.log_change(store, key, value[8:], _time_at(value, 0), None)


def log_with_headers(
    context: StateStoreContext, store: str, key: bytes, value: bytes | None
) -> None:
    """Log a change of a value with headers and time, cut into plain value and those of a record.

    A deletion has the headers and the time of the current record.
    """
    if value is None:
        _log_deletion(context, store, key)
        return
    headers, start = split_headers(value)
    context.log_change(store, key, value[start + 8 :], _time_at(value, start), headers)


def log_with_record_headers(
    context: StateStoreContext, store: str, key: bytes, value: bytes | None
) -> None:
    """Log a change of a timestamped value, with the headers of the current record."""
    if value is None:
        _log_deletion(context, store, key)
    else:
        context.log_change(store, key, value[8:], _time_at(value, 0), _record_headers(context))


def log_aggregate_with_headers(
    context: StateStoreContext, store: str, key: bytes, value: bytes | None
) -> None:
    """Log a change of an aggregate with headers, with the time of the current record."""
    if value is None:
        _log_deletion(context, store, key)
        return
    headers, start = split_headers(value)
    context.log_change(store, key, value[start:], _record_time(context), headers)


def _log_deletion(context: StateStoreContext, store: str, key: bytes) -> None:
    context.log_change(store, key, None, _record_time(context), _record_headers(context))


def _record_headers(context: StateStoreContext) -> Headers | None:
    record = context.record_context
    # A copy, because the record's own can still be changed by later processors.
    return None if record is None or not record._headers else record._headers.copy()


def _record_time(context: StateStoreContext) -> int:
    record = context.record_context
    # A test may fill a store before the first record, or after a punctuation.
    return 0 if record is None else record.timestamp()


def _time_at(value: bytes, start: int) -> int:
    return check_logged_time(int.from_bytes(value[start : start + 8], "big", signed=True))


def check_logged_time(time: int) -> int:
    """Return the time of a value that goes to a changelog.

    Raises:
        IllegalArgumentException: It is negative, which no record of a topic is.
    """
    if time < 0:
        raise IllegalArgumentException(
            f"Invalid timestamp: {time}. Timestamp should always be non-negative or null.",
            hint="A store that is logged needs the time of each value.",
        )
    return time
