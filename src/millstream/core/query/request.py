"""Request to query a store's partitions, and its result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Generic, TypeVar, cast

from millstream.core.arguments import of_type, text_or_none, whole
from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    IllegalStateException,
)
from millstream.core.java_shapes import java_object, java_value
from millstream.core.query.position import Position, PositionBound
from millstream.core.query.query import Query
from millstream.core.query.result import QueryResult
from millstream.core.readable import Readable
from millstream.core.wording import a_kind

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class InStore:
    """A request without a query yet: the store. ``withQuery`` completes it."""

    _name: str

    def withQuery(self, query: Query[R]) -> StateQueryRequest[R]:
        """Return the request of ``query`` to all partitions, without a position bound."""
        of_type(query, Query, "query", 'Give a query, such as KeyQuery.withKey("k").')
        return StateQueryRequest(self._name, query)


Begun = InStore


@dataclass(frozen=True, slots=True)
class StateQueryRequest(Generic[R]):
    """A query, its store and its partitions.

    Example:
        >>> from millstream.core.query import KeyQuery
        >>> request = StateQueryRequest.inStore("counts").withQuery(KeyQuery.withKey("k"))
        >>> request.withPartitions({0}).getPartitions()
        {0}

    Source: KIP-796, ``query.StateQueryRequest``.
    """

    InStore: ClassVar = InStore

    _store: str
    _query: Query[R]
    _bound: PositionBound = PositionBound.unbounded()  # noqa: RUF009 - never changed
    _partitions: frozenset[int] | None = None
    _info: bool = False
    _active: bool = False

    @staticmethod
    def inStore(name: str) -> Begun:
        """Return a request to the store called ``name``, still without a query."""
        # Kafka Streams finds None when it is asked.
        given: Any = text_or_none(name, "name", "Give the name of a store.")
        return Begun(given)

    def withPositionBound(self, positionBound: PositionBound) -> StateQueryRequest[R]:
        """Return the request to stores that have reached a position."""
        given: object = positionBound
        if not isinstance(given, PositionBound | None):
            raise ClassCastException(
                f"positionBound cannot be {a_kind(given)}",
                hint="Give PositionBound.at(position) or PositionBound.unbounded().",
            )
        return replace(self, _bound=positionBound)

    def withAllPartitions(self) -> StateQueryRequest[R]:
        """Return the request to every partition."""
        return replace(self, _partitions=None)

    def withPartitions(self, partitions: Iterable[int]) -> StateQueryRequest[R]:
        """Return the request to some partitions."""
        given: Any = partitions
        found = list(given) if isinstance(given, Iterable) else [given]
        if not isinstance(given, Iterable) or not all(isinstance(n, Integral) for n in found):
            raise ClassCastException(
                f"partitions cannot be {given!r}", hint="Give a set of whole numbers, such as {0}."
            )
        return replace(self, _partitions=frozenset(found))

    def enableExecutionInfo(self) -> StateQueryRequest[R]:
        """Return the request for results with execution info."""
        return replace(self, _info=True)

    def requireActive(self) -> StateQueryRequest[R]:
        """Return the request to active tasks only."""
        return replace(self, _active=True)

    def getStoreName(self) -> str:
        """Return the store's name."""
        return self._store

    def getQuery(self) -> Query[R]:
        """Return the query."""
        return self._query

    def getPositionBound(self) -> PositionBound:
        """Return the minimum position of a store."""
        return self._bound

    def isAllPartitions(self) -> bool:
        """Tell whether the request is to all partitions."""
        return self._partitions is None

    def getPartitions(self) -> set[int]:
        """Return the requested partitions.

        Raises:
            IllegalStateException: The request is to all partitions, which it does not list.
        """
        if self._partitions is None:
            raise IllegalStateException("Cannot list partitions of an 'all partitions' request")
        return set(self._partitions)

    def executionInfoEnabled(self) -> bool:
        """Tell whether results have execution info."""
        return self._info

    def isRequireActive(self) -> bool:
        """Tell whether only active tasks may answer."""
        return self._active


class StateQueryResult(Readable, Generic[R]):
    """The results of one request, by partition.

    Source: KIP-796, ``query.StateQueryResult``.
    """

    _shown = ("_partitions", "_global")

    def __init__(self) -> None:
        self._partitions: dict[int, QueryResult[R]] = {}
        self._global: QueryResult[R] | None = None

    def addResult(self, partition: int, result: QueryResult[R]) -> None:
        """Set the result of one partition."""
        of_type(result, QueryResult, "result", "Give a QueryResult.")
        self._partitions[whole(partition, "partition", 32)] = result

    def setGlobalResult(self, result: QueryResult[R]) -> None:
        """Set the result of a global store."""
        of_type(result, QueryResult, "result", "Give a QueryResult.")
        self._global = result

    def getPartitionResults(self) -> dict[int, QueryResult[R]]:
        """Return the results by partition."""
        return dict(self._partitions)

    def getOnlyPartitionResult(self) -> QueryResult[R] | None:
        """Return the one successful result that is not None; None if there is none.

        Raises:
            IllegalArgumentException: There are several such results.
        """
        found = [
            result
            for result in self._partitions.values()
            if result.isSuccess() and result.getResult() is not None
        ]
        if len(found) > 1:
            raise IllegalArgumentException(
                "The query did not return exactly one partition result: "
                + java_value(self._partitions)
            )
        return found[0] if found else None

    def getGlobalResult(self) -> QueryResult[R] | None:
        """Return the result of a global store; None if it is none."""
        return self._global

    def __str__(self) -> str:
        return java_object(
            "StateQueryResult", partitionResults=self._partitions, globalResult=self._global
        )

    def getPosition(self) -> Position:
        """Return the merged position of the stores; that of a global one may be None."""
        if self._global is not None:
            # As in Kafka Streams, whose queries of global stores fail before they have one.
            return cast("Position", self._global.getPosition())
        position = Position()
        for result in self._partitions.values():
            position.merge(result.getPosition())
        return position
