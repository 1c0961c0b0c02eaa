"""Execution of queries by the public methods of millstream's stores."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from typing import Any

from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    InvalidStateStoreException,
    NullPointerException,
    TaskCorruptedException,
    UnsupportedOperationException,
)
from millstream.core.query.drained import entries_of
from millstream.core.query.keys import (
    KeyQuery,
    RangeQuery,
    ResultOrder,
    TimestampedKeyQuery,
    TimestampedRangeQuery,
)
from millstream.core.query.plain import PlainEntries, aggregate_of, timestamped_of, value_of
from millstream.core.query.position import PositionBound
from millstream.core.query.query import QueryConfig
from millstream.core.query.result import FailureReason, QueryResult
from millstream.core.query.versions import (
    MultiVersionedKeyQuery,
    MultiVersionedRangeQuery,
    VersionedKeyQuery,
    VersionedRecordIterator,
)
from millstream.core.query.windows import WindowKeyQuery, WindowRangeQuery
from millstream.core.state.header_stores import (
    SessionStoreWithHeaders,
    TimestampedKeyValueStoreWithHeaders,
    TimestampedWindowStoreWithHeaders,
)
from millstream.core.state.key_value import KeyValueStore, TimestampedKeyValueStore
from millstream.core.state.session import SessionStore
from millstream.core.state.store import StateStore
from millstream.core.state.values import VersionedRecord
from millstream.core.state.versioned import VersionedKeyValueStore
from millstream.core.state.window import WindowStore
from millstream.core.user_code import NOTED
from millstream.core.wording import a_kind

WITH_TIMES = (TimestampedKeyValueStore, TimestampedKeyValueStoreWithHeaders)


class NotForThisStore(Exception):
    """The store cannot answer that kind of query."""


def answer(
    store: StateStore, query: Any, bound: PositionBound, config: QueryConfig
) -> QueryResult[Any]:
    """Execute a query; failures are results, but for those of the store's serdes.

    Raises:
        NullPointerException: The query, the bound or the options are None.
        ClassCastException: The bound or the options are of another type.
        StreamsException: The store's serializer does not take the key.
        UnsupportedOperationException: A query of key-value stores is for a versioned store.
        IllegalArgumentException: A query of versions has a time to begin after that to end.

    Source: ``state.internals.StoreQueryUtils``.
    """
    for name, given in (("query", query), ("positionBound", bound), ("config", config)):
        if given is None:
            raise NullPointerException(f"{name} can't be null")
    _check_types(bound, config)
    started = time.perf_counter_ns()
    position = store.getPosition()
    result: QueryResult[Any]
    handler = HANDLERS.get(type(query))
    placed = not _is_of_the_other_kind(store, query)
    if handler is None or not placed or _is_unknown_below(store, query):
        result = QueryResult.forUnknownQueryType(query, store)
    else:
        _check_versioned(store, query)
        if store.partition is None or not bound.met_by(position, store.partition):
            result = QueryResult.notUpToBound(position, bound, store.partition)
        else:
            result = _answered(handler, store, query)
    if config.isCollectExecutionInfo():
        taken = time.perf_counter_ns() - started
        result.addExecutionInfo(f"Handled in {type(store).__name__} in {taken}ns")
    if placed:
        result.setPosition(position.copy())
    return result


def _is_of_the_other_kind(store: StateStore, query: Any) -> bool:
    """Tell whether a query of windows has what only the other kind of store can look up.

    Kafka's stores refuse it before they look at a position.
    """
    if not isinstance(query, WindowRangeQuery):
        return False
    by_key = query.getKey() is not None
    return isinstance(store, WindowStore if by_key else SessionStore)


def _is_unknown_below(store: StateStore, query: Any) -> bool:
    """Tell whether only a store with timestamps knows a query: others do not look at the bound."""
    timed = isinstance(query, TimestampedKeyQuery | TimestampedRangeQuery)
    return timed and not isinstance(store, WITH_TIMES)


def _check_types(bound: object, config: object) -> None:
    for given, parameter, kind in (
        (bound, "positionBound", PositionBound),
        (config, "config", QueryConfig),
    ):
        if not isinstance(given, kind):
            raise ClassCastException(
                f"{parameter} cannot be {a_kind(given)}", hint=f"Give a {kind.__name__}."
            )


def _answered(handler: Callable[[Any, Any], Any], store: Any, query: Any) -> QueryResult[Any]:
    try:
        return QueryResult.forResult(handler(store, query))
    except NotForThisStore:
        return QueryResult.forUnknownQueryType(query, store)
    except Exception as error:
        if not _is_of_the_store(store, error):
            raise
        failed = QueryResult.forFailure(
            FailureReason.STORE_EXCEPTION,
            f"{type(store).__name__} failed to answer {query!r}:\n"
            + "".join(traceback.format_exception(error)),
        )
        failed._error = error
        return failed


def _is_of_the_store(store: Any, error: Exception) -> bool:
    """Tell whether an error is one of a store's bytes, and so a result.

    What a serde of the store raises reaches the caller, as in Kafka Streams: a result that nobody
    looks at would seem to be a key without a value.
    """
    has_serdes = hasattr(store, "access")
    of_bytes = isinstance(error, InvalidStateStoreException | TaskCorruptedException)
    return not has_serdes or of_bytes or hasattr(error, NOTED)


def _check_versioned(store: Any, query: Any) -> None:
    if not isinstance(store, VersionedKeyValueStore):
        return
    if isinstance(query, KeyQuery | RangeQuery):
        raise UnsupportedOperationException(
            f"Versioned stores do not support {type(query).__name__} queries at this time.",
            hint="Use VersionedKeyQuery, MultiVersionedKeyQuery or MultiVersionedRangeQuery.",
        )
    if isinstance(query, MultiVersionedKeyQuery) and _ends_first(query._from_ms, query._to_ms):
        raise IllegalArgumentException(
            "The `fromTime` timestamp must be smaller than the `toTime` timestamp.",
            detail=f"They are {query._from_ms} and {query._to_ms} ms.",
        )


def _ends_first(first: int | None, last: int | None) -> bool:
    return first is not None and last is not None and last < first


def _without_headers(store: Any, found: Any) -> Any:
    if isinstance(store, TimestampedWindowStoreWithHeaders):
        return PlainEntries(found, timestamped_of)
    return (
        PlainEntries(found, aggregate_of) if isinstance(store, SessionStoreWithHeaders) else found
    )


def _demand(store: Any, kind: type | tuple[type, ...]) -> None:
    if not isinstance(store, kind):
        raise NotForThisStore


def _key(store: Any, query: KeyQuery[Any, Any]) -> Any:
    _demand(store, KeyValueStore)
    found = store.get(query.getKey())
    return value_of(found) if isinstance(store, WITH_TIMES) else found


def _timestamped_key(store: Any, query: TimestampedKeyQuery[Any, Any]) -> Any:
    _demand(store, WITH_TIMES)
    found = store.get(query.key())
    return timestamped_of(found) if isinstance(store, WITH_TIMES[1]) else found


def _range(store: Any, query: RangeQuery[Any, Any]) -> Any:
    _demand(store, KeyValueStore)
    entries = _entries(store, query.getLowerBound(), query.getUpperBound(), query.resultOrder())
    return PlainEntries(entries) if isinstance(store, WITH_TIMES) else entries


def _timestamped_range(store: Any, query: TimestampedRangeQuery[Any, Any]) -> Any:
    _demand(store, WITH_TIMES)
    entries = _entries(store, query.lowerBound(), query.upperBound(), query.resultOrder())
    return PlainEntries(entries, timestamped_of) if isinstance(store, WITH_TIMES[1]) else entries


def _entries(store: Any, lower: Any, upper: Any, order: ResultOrder) -> Any:
    backward = order is ResultOrder.DESCENDING
    if lower is None and upper is None:
        method = "reverseAll" if backward else "all"
        return entries_of(getattr(store, method)(), method, store)
    method = "reverseRange" if backward else "range"
    return entries_of(getattr(store, method)(lower, upper), method, store)


def _window_key(store: Any, query: WindowKeyQuery[Any, Any]) -> Any:
    _demand(store, WindowStore)
    if query._from_ms is None or query._to_ms is None:
        raise NotForThisStore
    # Kafka's queries of windows and sessions do not look into the record cache.
    fetch = getattr(store, "fetch_stored", store.fetch)
    found = fetch(query.getKey(), query._from_ms, query._to_ms)
    return _without_headers(store, entries_of(found, "fetch", store))


def _window_range(store: Any, query: WindowRangeQuery[Any, Any]) -> Any:
    if isinstance(store, WindowStore) and query._from_ms is not None and query._to_ms is not None:
        fetch_all = getattr(store, "fetch_all_stored", store.fetchAll)
        found = fetch_all(query._from_ms, query._to_ms)
        return _without_headers(store, entries_of(found, "fetchAll", store))
    if isinstance(store, SessionStore) and query.getKey() is not None:
        fetch = getattr(store, "fetch_stored", store.fetch)
        return _without_headers(store, entries_of(fetch(query.getKey()), "fetch", store))
    raise NotForThisStore


def _version(store: Any, query: VersionedKeyQuery[Any, Any]) -> Any:
    _demand(store, VersionedKeyValueStore)
    if query._as_of_ms is None:
        return store.get(query.key())
    open_access = getattr(store, "access", None)
    if open_access is None:
        return store.get(query.key(), query._as_of_ms)
    # Unlike the store's get, the query returns the end of the version's validity.
    access = open_access()
    found = access.read_as_of(access.serialize_key(query.key()), query._as_of_ms)
    return None if found is None else VersionedRecord(*found)


def _versions(store: Any, query: MultiVersionedKeyQuery[Any, Any]) -> Any:
    _demand(store, VersionedKeyValueStore)
    history = getattr(store, "history", None)
    if history is None:
        raise NotForThisStore
    newest_first = history(query.key(), query._from_ms, query._to_ms)
    if newest_first is None:
        raise NotForThisStore
    ascending = query.resultOrder() is ResultOrder.ASCENDING
    return VersionedRecordIterator(newest_first[::-1] if ascending else newest_first)


def _versions_of_range(store: Any, query: MultiVersionedRangeQuery[Any, Any]) -> Any:
    _demand(store, VersionedKeyValueStore)
    histories = getattr(store, "histories", None)
    if histories is None:
        raise NotForThisStore
    return histories(
        query.lowerKeyBound(),
        query.upperKeyBound(),
        query._from_ms,
        query._to_ms,
        reverse=query.keyOrder() is ResultOrder.DESCENDING,
        oldest_first=query.timestampOrder() is ResultOrder.ASCENDING,
    )


HANDLERS: dict[type, Callable[[Any, Any], Any]] = {
    KeyQuery: _key,
    TimestampedKeyQuery: _timestamped_key,
    RangeQuery: _range,
    TimestampedRangeQuery: _timestamped_range,
    WindowKeyQuery: _window_key,
    WindowRangeQuery: _window_range,
    VersionedKeyQuery: _version,
    MultiVersionedKeyQuery: _versions,
    MultiVersionedRangeQuery: _versions_of_range,
}
