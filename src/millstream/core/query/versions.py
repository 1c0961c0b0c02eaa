"""Queries of versioned stores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Generic

from typing_extensions import Self, TypeVar

from millstream.core.durations import InstantLike, to_epoch_millis
from millstream.core.errors import NoSuchElementException, NullPointerException
from millstream.core.java_time import Instant, from_epoch_millis
from millstream.core.query.keys import ResultOrder, required_key
from millstream.core.query.query import Query
from millstream.core.readable import Closing, ReadOnly
from millstream.core.state.iterators import KeyValueIterator
from millstream.core.state.values import VersionedRecord

# A key alone does not tell the type of values.
K = TypeVar("K", default=Any)
V = TypeVar("V", default=Any)
# A static method's own: the class's are unknown to a type checker there.
K_ = TypeVar("K_", default=Any)
V_ = TypeVar("V_", default=Any)

_GIVEN_NOTHING: Any = object()
NO_KEY = "key cannot be null."


class VersionedRecordIterator(Closing, ReadOnly, Iterator[VersionedRecord[V]], Generic[V]):
    """Iterator over versions of one key. Close it, preferably by a ``with`` block.

    Source: ``state.VersionedRecordIterator``.
    """

    def __init__(self, records: Iterable[VersionedRecord[V]]) -> None:
        self._left = list(records)[::-1]

    def hasNext(self) -> bool:
        """Tell whether ``next`` has something to return."""
        return bool(self._left)

    def next(self) -> VersionedRecord[V]:
        """Return the next version.

        Raises:
            NoSuchElementException: There is none left.
        """
        if not self._left:
            raise NoSuchElementException("there is no version left")
        return self._left.pop()

    def close(self) -> None:
        """Release the iterator; calling it twice is fine."""
        self._left.clear()

    def forEachRemaining(self, action: Callable[[VersionedRecord[V]], Any]) -> None:
        """Call ``action`` with each version that is left."""
        for version in self:
            action(version)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> VersionedRecord[V]:
        if not self._left:
            raise StopIteration
        return self._left.pop()


@dataclass(frozen=True, slots=True)
class VersionedKeyQuery(Query[VersionedRecord[V]], Generic[K, V]):
    """Query of one key's latest version, or of the version valid at a time.

    Source: KIP-960, ``query.VersionedKeyQuery``.
    """

    _key: K
    _as_of_ms: int | None = None

    @staticmethod
    def withKey(key: K_) -> VersionedKeyQuery[K_, V_]:
        """Return the query of the latest version of ``key``."""
        return VersionedKeyQuery(required_key(key, NO_KEY))

    def asOf(self, asOfTimestamp: InstantLike) -> VersionedKeyQuery[K, V]:
        """Return the query of the version valid at a time (inclusive).

        Raises:
            NullPointerException: The time is None.
        """
        if asOfTimestamp is None:
            raise NullPointerException("asOf timestamp cannot be null.")
        return replace(self, _as_of_ms=to_epoch_millis(asOfTimestamp, "asOfTimestamp"))

    def key(self) -> K:
        """Return the key."""
        return self._key

    def asOfTimestamp(self) -> Instant | None:
        """Return the time; None for the latest version."""
        return None if self._as_of_ms is None else from_epoch_millis(self._as_of_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class _InTime:
    _from_ms: int | None = None
    _to_ms: int | None = None
    _order: ResultOrder = ResultOrder.ANY

    def fromTime(self, fromTime: InstantLike | None = _GIVEN_NOTHING) -> Any:
        """Return the range's start; with an argument, the query with that start (inclusive).

        None stands for no bound.
        """
        if fromTime is _GIVEN_NOTHING:
            return None if self._from_ms is None else from_epoch_millis(self._from_ms)
        start = None if fromTime is None else to_epoch_millis(fromTime, "fromTime")
        return replace(self, _from_ms=start)

    def toTime(self, toTime: InstantLike | None = _GIVEN_NOTHING) -> Any:
        """Return the range's end; with an argument, the query with that end (inclusive).

        None stands for no bound.
        """
        if toTime is _GIVEN_NOTHING:
            return None if self._to_ms is None else from_epoch_millis(self._to_ms)
        end = None if toTime is None else to_epoch_millis(toTime, "toTime")
        return replace(self, _to_ms=end)

    def withAscendingTimestamps(self) -> Self:
        """Return the same query, oldest version first."""
        return replace(self, _order=ResultOrder.ASCENDING)

    def withDescendingTimestamps(self) -> Self:
        """Return the same query, newest version first."""
        return replace(self, _order=ResultOrder.DESCENDING)


@dataclass(frozen=True, slots=True)
class MultiVersionedKeyQuery(_InTime, Query[VersionedRecordIterator[V]], Generic[K, V]):
    """Query of the versions of one key valid at any time in a range, newest first.

    Source: KIP-968, ``query.MultiVersionedKeyQuery``.
    """

    _key: K

    @staticmethod
    def withKey(key: K_) -> MultiVersionedKeyQuery[K_, V_]:
        """Return the query of all versions of ``key`` in the store."""
        return MultiVersionedKeyQuery(required_key(key, NO_KEY))

    def key(self) -> K:
        """Return the key."""
        return self._key

    def resultOrder(self) -> ResultOrder:
        """Return the requested order; the default is newest first."""
        return self._order


@dataclass(frozen=True, slots=True)
class MultiVersionedRangeQuery(
    _InTime, Query[KeyValueIterator[K, VersionedRecord[V]]], Generic[K, V]
):
    """Query of the versions of a key range valid at any time in a range.

    Keys are in byte order, lowest first; versions of a key are newest first. Not in Kafka 4.3.

    Source: KIP-969.
    """

    _lower: K | None
    _upper: K | None
    _key_order: ResultOrder = ResultOrder.ANY

    @staticmethod
    def withKeyRange(lower: K_ | None, upper: K_ | None) -> MultiVersionedRangeQuery[K_, V_]:
        """Return the query of a key range, both ends inclusive; None: no bound."""
        return MultiVersionedRangeQuery(lower, upper)

    @staticmethod
    def withLowerKeyBound(lower: K_) -> MultiVersionedRangeQuery[K_, V_]:
        """Return the query of keys from ``lower`` (inclusive)."""
        return MultiVersionedRangeQuery(lower, None)

    @staticmethod
    def withUpperKeyBound(upper: K_) -> MultiVersionedRangeQuery[K_, V_]:
        """Return the query of keys up to ``upper`` (inclusive)."""
        return MultiVersionedRangeQuery(None, upper)

    @staticmethod
    def allKeys() -> MultiVersionedRangeQuery[Any, Any]:
        """Return the query of all keys."""
        return MultiVersionedRangeQuery(None, None)

    def withAscendingKeys(self) -> Self:
        """Return the same query, lowest key first."""
        return replace(self, _key_order=ResultOrder.ASCENDING)

    def withDescendingKeys(self) -> Self:
        """Return the same query, highest key first."""
        return replace(self, _key_order=ResultOrder.DESCENDING)

    def lowerKeyBound(self) -> K | None:
        """Return the lowest key, inclusive; None for no bound."""
        return self._lower

    def upperKeyBound(self) -> K | None:
        """Return the highest key, inclusive; None for no bound."""
        return self._upper

    def keyOrder(self) -> ResultOrder:
        """Return the requested order of keys."""
        return self._key_order

    def timestampOrder(self) -> ResultOrder:
        """Return the requested order of a key's versions; the default is newest first."""
        return self._order
