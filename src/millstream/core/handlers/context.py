"""Context and results of exception handlers."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, ClassVar, Generic, TypeVar

from typing_extensions import Self

from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.headers import Headers
from millstream.core.kafka import ProducerRecord
from millstream.core.record_context import SourceContext
from millstream.core.wording import a_kind

R = TypeVar("R", bound=enum.Enum)


class ErrorHandlerContext(SourceContext):
    """The operator and the record at which processing failed.

    Source: ``errors.ErrorHandlerContext`` (KIP-1033).
    """

    __slots__ = ("_processor_node_id", "_task_id")

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
        super().__init__(
            topic, partition, offset, timestamp, headers, source_raw_key, source_raw_value
        )
        self._processor_node_id = processor_node_id
        self._task_id = task_id

    def processorNodeId(self) -> str:
        """Return the name of the operator that failed."""
        return self._processor_node_id

    def taskId(self) -> Any:
        """Return the ``TaskId`` of the task that failed."""
        return self._task_id

    def __repr__(self) -> str:
        return (
            f"ErrorHandlerContext(topic={self._topic!r}, partition={self._partition}, "
            f"offset={self._offset}, processorNodeId={self._processor_node_id!r}, "
            f"taskId={self._task_id})"
        )


class AnyResponse(Generic[R]):
    """A handler's response: a result, and records to send to a dead letter queue."""

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
        records: Any = () if deadLetterQueueRecords is None else deadLetterQueueRecords
        if isinstance(records, str | bytes) or not isinstance(records, Iterable):
            raise ClassCastException(
                f"deadLetterQueueRecords cannot be {a_kind(records)}",
                hint="Give a list of ProducerRecord objects, also of a single one.",
            )
        self._result = result
        self._records = list(records)

    @classmethod
    def fail(cls, deadLetterQueueRecords: Iterable[ProducerRecord[Any, Any]] | None = None) -> Self:
        """Return the response that stops the application."""
        return cls(cls.results["FAIL"], deadLetterQueueRecords)  # type: ignore[arg-type]

    @classmethod
    def resume(
        cls, deadLetterQueueRecords: Iterable[ProducerRecord[Any, Any]] | None = None
    ) -> Self:
        """Return the response that drops the record."""
        return cls(cls.results["RESUME"], deadLetterQueueRecords)  # type: ignore[arg-type]

    def result(self) -> R:
        """Return the result."""
        return self._result

    def deadLetterQueueRecords(self) -> list[ProducerRecord[Any, Any]]:
        """Return the records for the dead letter queue; they are sent even if the task fails."""
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
