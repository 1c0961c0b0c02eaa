"""``QueryResult``: the result of one query of one store."""

from __future__ import annotations

import enum
from typing import Any, Generic, TypeVar

from millstream.core.arguments import of_type, text_or_none, whole
from millstream.core.errors import IllegalArgumentException, NullPointerException
from millstream.core.java_shapes import java_object, java_value
from millstream.core.java_text import java_text
from millstream.core.query.position import Position, PositionBound

R = TypeVar("R")
# A static method's own: the class's are unknown to a type checker there.
R_ = TypeVar("R_")


class FailureReason(enum.Enum):
    """Reason of a failed query.

    Source: ``query.FailureReason``.
    """

    UNKNOWN_QUERY_TYPE = "the store does not support this kind of query"
    NOT_ACTIVE = "the partition is not active here, and the query requires active tasks"
    NOT_UP_TO_BOUND = "the store has not reached the query's position bound"
    NOT_PRESENT = "the partition is not here"
    DOES_NOT_EXIST = "the store has no such partition"
    STORE_EXCEPTION = "the store raised an error"


class QueryResult(Generic[R]):
    """A result, which may be None, or a failure; with the store's position at that time.

    Source: KIP-796, ``query.QueryResult``.
    """

    __slots__ = ("_error", "_failed", "_info", "_message", "_position", "_reason", "_result")

    def __init__(
        self,
        result: Any = None,
        reason: FailureReason | None = None,
        message: str = "",
        *,
        failed: bool = False,
    ) -> None:
        self._result = result
        self._failed = failed or reason is not None
        self._reason = reason
        self._message = message
        self._position: Position | None = None
        self._info: list[str] = []
        self._error: Exception | None = None
        """What the store raised."""

    @staticmethod
    def forResult(result: R_) -> QueryResult[R_]:
        """Return a success."""
        return QueryResult(result)

    @staticmethod
    def forFailure(failureReason: FailureReason, failureMessage: str) -> QueryResult[Any]:
        """Return a failure."""
        of_type(
            failureReason, FailureReason, "failureReason", "Give FailureReason.NOT_PRESENT, ..."
        )
        message: Any = text_or_none(failureMessage, "failureMessage")
        return QueryResult(None, failureReason, message, failed=True)

    @staticmethod
    def forUnknownQueryType(query: Any, store: Any) -> QueryResult[Any]:
        """Return the failure of a store that cannot answer a kind of query."""
        if store is None:
            raise NullPointerException("store can't be null")
        return QueryResult.forFailure(
            FailureReason.UNKNOWN_QUERY_TYPE,
            f"This store ({type(store).__name__}) doesn't know how to execute the given query "
            f"({java_value(query)}). Contact the store maintainer if you need support for a new "
            "query type.",
        )

    @staticmethod
    def notUpToBound(
        currentPosition: Position, positionBound: PositionBound, partition: int | None
    ) -> QueryResult[Any]:
        """Return the failure of a store below the bound; a partition of None: it is not open."""
        of_type(currentPosition, Position, "currentPosition", "Give a Position.")
        of_type(positionBound, PositionBound, "positionBound", "Give PositionBound.at(position).")
        if partition is not None:
            partition = whole(partition, "partition", 32)
        bound = f"not yet up to the bound {java_value(positionBound)}"
        if partition is None:
            message = f"The store is not initialized yet, so it is {bound}"
        else:
            place = f"For store partition {partition}, the current position"
            message = f"{place} {java_value(currentPosition)} is {bound}"
        return QueryResult.forFailure(FailureReason.NOT_UP_TO_BOUND, message)

    def isSuccess(self) -> bool:
        """Tell whether the query succeeded."""
        return not self._failed

    def isFailure(self) -> bool:
        """Tell whether the query failed."""
        return self._failed

    def getResult(self) -> R:
        """Return the result.

        Raises:
            IllegalArgumentException: The query failed.
        """
        if self._failed:
            name = None if self._reason is None else self._reason.name
            raise IllegalArgumentException(
                f"Cannot get result for failed query. Failure is {java_text(name)}: "
                f"{java_text(self._message)}"
            )
        result: R = self._result
        return result

    def getFailureReason(self) -> FailureReason:
        """Return the reason of the failure.

        Raises:
            IllegalArgumentException: The query did not fail.
        """
        self._of_failure("reason")
        reason: Any = self._reason
        return reason  # type: ignore[no-any-return]

    def getFailureMessage(self) -> str:
        """Return the message of the failure.

        Raises:
            IllegalArgumentException: The query did not fail.
        """
        self._of_failure("message")
        return self._message

    def _of_failure(self, what: str) -> None:
        if not self._failed:
            raise IllegalArgumentException(
                f"Cannot get failure {what} because this query did not fail."
            )

    def getPosition(self) -> Position | None:
        """Return the store's position; None if it is not known."""
        return self._position

    def setPosition(self, position: Position) -> None:
        """Set the store's position."""
        of_type(position, Position, "position", "Give a Position.")
        self._position = position

    def getExecutionInfo(self) -> list[str]:
        """Return the execution info; empty unless the query requested it."""
        return list(self._info)

    def addExecutionInfo(self, message: str) -> None:
        """Add a line of execution info."""
        text_or_none(message, "message")
        self._info.append(message)

    def __str__(self) -> str:
        told: dict[str, Any] = {"executionInfo": self._info, "position": self._position}
        if not self._failed:
            return java_object("SucceededQueryResult", result=self._result, **told)
        reason = None if self._reason is None else self._reason.name
        failure = f"'{java_text(self._message)}'"
        return java_object("FailedQueryResult", failureReason=reason, failure=failure, **told)

    def __repr__(self) -> str:
        what = f"result={self._result!r}" if self._reason is None else f"failed={self._reason.name}"
        return f"QueryResult({what}, position={self._position!r})"
