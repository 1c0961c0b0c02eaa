"""Check of the responses of users' exception handlers."""

from __future__ import annotations

from typing import Any

from millstream.core.errors import ClassCastException, NullPointerException
from millstream.core.handlers.context import AnyResponse
from millstream.core.kafka import ProducerRecord


def checked_answer(answer: Any, response: type[AnyResponse[Any]], handler: object) -> Any:
    """Return a handler's response after a check.

    Args:
        answer: The object that the handler returned.
        response: The expected class.
        handler: The handler, for the error.

    Raises:
        NullPointerException: The response is None.
        ClassCastException: The response is of another class, or has dead letter records whose
            keys or values are not bytes.
    """
    name = type(getattr(handler, "made", handler)).__name__
    hint = f"Return {response.__name__}.resume() or {response.__name__}.fail()."
    if answer is None:
        raise NullPointerException(f"Invalid response: {name} returned None", hint=hint)
    if not isinstance(answer, AnyResponse) or not isinstance(answer.result(), response.results):
        raise ClassCastException(f"Invalid response: {name} returned {answer!r}", hint=hint)
    for record in answer.deadLetterQueueRecords():
        if not isinstance(record, ProducerRecord) or not (
            _is_bytes(record.key()) and _is_bytes(record.value())
        ):
            raise ClassCastException(
                f"{name} asks for a dead letter that cannot be sent: {record!r}",
                hint="Give ProducerRecord objects whose keys and values are bytes or None.",
            )
    return answer


def _is_bytes(data: Any) -> bool:
    return data is None or isinstance(data, bytes)
