"""Request of a query to a store's partitions, and its results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar

from millstream.core.errors import IllegalArgumentException, IllegalStateException
from millstream.core.java_shapes import java_object
from millstream.core.query.position import Position, PositionBound
from millstream.core.query.query import Query
from millstream.core.query.result import QueryResult

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class InStore:
    """The first half of a request: which store. ``withQuery`` completes it."""

    _name: str

    def withQuery(self, query: Query[R]) -> StateQueryRequest[R]:
        """Return the request that puts ``query`` to all partitions, however far they are."""
        return StateQueryRequest(self._name, query)


Begun = InStore


@dataclass(frozen=True, slots=True)
class StateQueryRequest(Generic[R]):
    """A query, the store it is for, and which partitions are to answer.

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
        """Begin a request to the store called ``name``."""
        return Begun(name)

    def withPositionBound(self, positionBound: PositionBound) -> StateQueryRequest[R]:
        """Return the request that only a store which has come that far answers."""
        return replace(self, _bound=positionBound)

    def withAllPartitions(self) -> StateQueryRequest[R]:
        """Return the request to every partition."""
        return replace(self, _partitions=None)

    def withPartitions(self, partitions: Iterable[int]) -> StateQueryRequest[R]:
        """Return the request to some partitions."""
        return replace(self, _partitions=frozenset(partitions))

    def enableExecutionInfo(self) -> StateQueryRequest[R]:
        """Return the request whose results say how they came about."""
        return replace(self, _info=True)

    def requireActive(self) -> StateQueryRequest[R]:
        """Return the request that only active tasks answer."""
        return replace(self, _active=True)

    def getStoreName(self) -> str:
        """Return the store's name."""
        return self._store

    def getQuery(self) -> Query[R]:
        """Return the query."""
        return self._query

    def getPositionBound(self) -> PositionBound:
        """Return how far a store must have come."""
        return self._bound

    def isAllPartitions(self) -> bool:
        """Tell whether every partition is to answer."""
        return self._partitions is None

    def getPartitions(self) -> set[int]:
        """Return the partitions that are to answer.

        Raises:
            IllegalStateException: All partitions are meant; which those are is not known here.
        """
        if self._partitions is None:
            raise IllegalStateException("Cannot list partitions of an 'all partitions' request")
        return set(self._partitions)

    def executionInfoEnabled(self) -> bool:
        """Tell whether results are to say how they came about."""
        return self._info

    def isRequireActive(self) -> bool:
        """Tell whether only active tasks may answer."""
        return self._active


class StateQueryResult(Generic[R]):
    """The results of one request, by partition.

    Source: KIP-796, ``query.StateQueryResult``.
    """

    def __init__(self) -> None:
        self._partitions: dict[int, QueryResult[R]] = {}
        self._global: QueryResult[R] | None = None

    def addResult(self, partition: int, result: QueryResult[R]) -> None:
        """Set the result of one partition."""
        self._partitions[partition] = result

    def setGlobalResult(self, result: QueryResult[R]) -> None:
        """Set the result of a global store."""
        self._global = result

    def getPartitionResults(self) -> dict[int, QueryResult[R]]:
        """Return the results by partition."""
        return dict(self._partitions)

    def getOnlyPartitionResult(self) -> QueryResult[R] | None:
        """Return the one success whose result is not None; None if there is none.

        Raises:
            IllegalArgumentException: There are several.
        """
        found = [
            result
            for result in self._partitions.values()
            if result.isSuccess() and result.getResult() is not None
        ]
        if len(found) > 1:
            raise IllegalArgumentException(
                "several partitions have a result", detail=f"Results: {self._partitions}."
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
        """Return how far the stores had come, taken together."""
        position = Position()
        results: list[QueryResult[Any]] = [*self._partitions.values()]
        for result in [self._global] if self._global is not None else results:
            position.merge(result.getPosition())
        return position
