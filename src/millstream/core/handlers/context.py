"""Context and results of exception handlers."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar

from typing_extensions import Self

from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.headers import Headers
from millstream.core.kafka import ProducerRecord

R = TypeVar("R", bound=enum.Enum)


class ErrorHandlerContext:
    """Where and on which record something failed.

    Source: ``errors.ErrorHandlerContext`` (KIP-1033).
    """

    __slots__ = (
        "_headers",
        "_offset",
        "_partition",
        "_processor_node_id",
        "_source_raw_key",
        "_source_raw_value",
        "_task_id",
        "_timestamp",
        "_topic",
    )

    def __init__(
        self,
        *,
        topic: str | None,
        partition: int,
        offset: int,
        headers: Headers | None = None,
        processor_node_id: str,
        task_id: Any,
        timestamp: int,
        source_raw_key: bytes | None = None,
        source_raw_value: bytes | None = None,
    ) -> None:
        self._topic = topic
        self._partition = partition
        self._offset = offset
        self._headers = Headers() if headers is None else headers
        self._processor_node_id = processor_node_id
        self._task_id = task_id
        self._timestamp = timestamp
        self._source_raw_key = source_raw_key
        self._source_raw_value = source_raw_value

    def topic(self) -> str | None:
        """Return the source topic; None in a punctuator."""
        return self._topic

    def partition(self) -> int:
        """Return the source partition; -1 in a punctuator."""
        return self._partition

    def offset(self) -> int:
        """Return the source offset; -1 in a punctuator."""
        return self._offset

    def headers(self) -> Headers:
        """Return the headers of the source record."""
        return self._headers

    def processorNodeId(self) -> str:
        """Return the name of the operator that failed."""
        return self._processor_node_id

    def taskId(self) -> Any:
        """Return the ``TaskId`` of the task that failed."""
        return self._task_id

    def timestamp(self) -> int:
        """Return the event time of the current record, in epoch milliseconds."""
        return self._timestamp

    def sourceRawKey(self) -> bytes | None:
        """Return the key of the source record as it was read."""
        return self._source_raw_key

    def sourceRawValue(self) -> bytes | None:
        """Return the value of the source record as it was read."""
        return self._source_raw_value

    def __repr__(self) -> str:
        return (
            f"ErrorHandlerContext(topic={self._topic!r}, partition={self._partition}, "
            f"offset={self._offset}, processorNodeId={self._processor_node_id!r}, "
            f"taskId={self._task_id})"
        )


class AnyResponse(Generic[R]):
    """A handler's answer: what to do, and records to send to a dead letter queue."""

    __slots__ = ("_records", "_result")

    results: ClassVar[type[enum.Enum]]

    def __init__(
        self, result: R, deadLetterQueueRecords: Iterable[ProducerRecord[Any, Any]] | None = None
    ) -> None:
        if result is None:
            raise NullPointerException("result can't be null")
        if not isinstance(result, enum.Enum) or result.name not in self.results.__members__:
            listed = ", ".join(self.results.__members__)
            raise ClassCastException(
                f"{result!r} is no result of a handler", hint=f"Give one of Result: {listed}."
            )
        self._result = result
        self._records = list(deadLetterQueueRecords or ())

    @classmethod
    def fail(cls, deadLetterQueueRecords: Iterable[ProducerRecord[Any, Any]] | None = None) -> Self:
        """Return the answer that stops the application."""
        return cls(cls.results["FAIL"], deadLetterQueueRecords)  # type: ignore[arg-type]

    @classmethod
    def resume(
        cls, deadLetterQueueRecords: Iterable[ProducerRecord[Any, Any]] | None = None
    ) -> Self:
        """Return the answer that drops the record and goes on."""
        return cls(cls.results["RESUME"], deadLetterQueueRecords)  # type: ignore[arg-type]

    def result(self) -> R:
        """Return what to do."""
        return self._result

    def deadLetterQueueRecords(self) -> list[ProducerRecord[Any, Any]]:
        """Return what to send to a dead letter queue, whether the application stops or not."""
        return self._records

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, AnyResponse)
            and self._result is other._result
            and self._records == other._records
        )

    __hash__ = None  # type: ignore[assignment]  # holds a list

    def __repr__(self) -> str:
        return f"Response({self._result.name}, {self._records!r})"
