"""Queries of key-value stores."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Any, Generic

from typing_extensions import Self, TypeVar

from millstream.core.errors import NullPointerException
from millstream.core.query.query import Query
from millstream.core.state.iterators import KeyValueIterator
from millstream.core.state.values import ValueAndTimestamp

# A key alone does not tell the type of values.
K = TypeVar("K", default=Any)
V = TypeVar("V", default=Any)


class ResultOrder(enum.Enum):
    """Requested order of results.

    Source: ``query.ResultOrder``.
    """

    ANY = "any"
    ASCENDING = "ascending"
    DESCENDING = "descending"


@dataclass(frozen=True, slots=True)
class _ForKey(Generic[K]):
    _key: K
    _skip_cache: bool = False

    @classmethod
    def withKey(cls, key: K) -> Self:
        """Return the query of ``key``.

        Raises:
            NullPointerException: The key is None.
        """
        return cls(required_key(key))

    def skipCache(self) -> Self:
        """Return a query that reads the store without its record cache."""
        return replace(self, _skip_cache=True)

    def isSkipCache(self) -> bool:
        """Tell whether the query skips the record cache."""
        return self._skip_cache


class KeyQuery(_ForKey[K], Query[V]):
    """Query of one key's value; a store with timestamps returns the value without them.

    Example:
        >>> KeyQuery.withKey("k").getKey()
        'k'

    Source: ``query.KeyQuery``.
    """

    def getKey(self) -> K:
        """Return the key."""
        return self._key


class TimestampedKeyQuery(_ForKey[K], Query[ValueAndTimestamp[V]]):
    """Query of one key's value and timestamp.

    Source: KIP-992, ``query.TimestampedKeyQuery``.
    """

    def key(self) -> K:
        """Return the key."""
        return self._key


@dataclass(frozen=True, slots=True)
class _ForRange(Generic[K]):
    _lower: K | None
    _upper: K | None
    _order: ResultOrder = ResultOrder.ANY

    @classmethod
    def withRange(cls, lower: K | None, upper: K | None) -> Self:
        """Return the query of a key range, both ends inclusive, in byte order; None: no bound."""
        return cls(lower, upper)

    @classmethod
    def withLowerBound(cls, lower: K) -> Self:
        """Return the query of keys from ``lower`` (inclusive).

        Raises:
            NullPointerException: The key is None.
        """
        return cls(required_key(lower), None)

    @classmethod
    def withUpperBound(cls, upper: K) -> Self:
        """Return the query of keys up to ``upper`` (inclusive).

        Raises:
            NullPointerException: The key is None.
        """
        return cls(None, required_key(upper))

    @classmethod
    def withNoBounds(cls) -> Self:
        """Return the query of all keys."""
        return cls(None, None)

    def withAscendingKeys(self) -> Self:
        """Return the same query, lowest key first."""
        return replace(self, _order=ResultOrder.ASCENDING)

    def withDescendingKeys(self) -> Self:
        """Return the same query, highest key first."""
        return replace(self, _order=ResultOrder.DESCENDING)

    def resultOrder(self) -> ResultOrder:
        """Return the requested order."""
        return self._order


class RangeQuery(_ForRange[K], Query[KeyValueIterator[K, V]]):
    """Query of the values of a key range; a store with timestamps returns values without them.

    Source: KIP-805, ``query.RangeQuery``.
    """

    def getLowerBound(self) -> K | None:
        """Return the lowest key, inclusive; None for no bound."""
        return self._lower

    def getUpperBound(self) -> K | None:
        """Return the highest key, inclusive; None for no bound."""
        return self._upper


class TimestampedRangeQuery(_ForRange[K], Query[KeyValueIterator[K, ValueAndTimestamp[V]]]):
    """Query of the values and timestamps of a key range.

    Source: KIP-992, ``query.TimestampedRangeQuery``.
    """

    def lowerBound(self) -> K | None:
        """Return the lowest key, inclusive; None for no bound."""
        return self._lower

    def upperBound(self) -> K | None:
        """Return the highest key, inclusive; None for no bound."""
        return self._upper


def required_key(key: Any, message: str = "the key should not be null") -> Any:
    """Return ``key``; None is an error."""
    if key is None:
        raise NullPointerException(message)
    return key
