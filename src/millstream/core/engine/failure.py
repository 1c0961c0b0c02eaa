"""Failures of users' code and serdes: handlers are asked, and errors name the record."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from millstream.core.config import StreamsConfig
from millstream.core.engine.output import Sent
from millstream.core.engine.unreadable import unreadable_store
from millstream.core.errors import (
    ClassCastException,
    ProcessorStateException,
    SchemaRegistryException,
    StreamsException,
    TaskCorruptedException,
    TaskMigratedException,
)
from millstream.core.handlers import (
    ErrorHandlerContext,
    ProcessingExceptionHandler,
    checked_answer,
)
from millstream.core.record_context import RecordContext
from millstream.core.records import Record
from millstream.core.user_code import NOTED as NOTED_CODE
from millstream.core.wording import hint_of_main, said

if TYPE_CHECKING:
    from millstream.core.engine.task import Task

log = logging.getLogger(__name__)

FATAL = (TaskCorruptedException, TaskMigratedException)
NOWHERE = RecordContext(None, -1, -1, -1)
FAILED = "its processing failed"
"""The reason for which a record is dropped that a processing exception handler gave up."""


_NO_NEXT = "next() found nothing: give it a second argument, which it then returns."

NOTED = "_millstream_record"
"""Where an error keeps the record it is of, if that is not the one that was read last."""


def note_record(error: BaseException, context: RecordContext | None) -> None:
    """Keep with an error which record it is of; the first who knows is right."""
    if context is not None and not hasattr(error, NOTED):
        with suppress(AttributeError):  # an error may have no room for it
            setattr(error, NOTED, context)


@dataclass(frozen=True, slots=True)
class FailedHandler:
    """An exception handler that has failed itself."""

    name: str
    """The class of the handler."""
    asks_about: str
    """What it is for: "processing" or "production"."""
    asked_about: BaseException
    """The error that it was asked about."""


class FailedProcessing(StreamsException):
    """A failure that a handler has decided on; nodes above must let it pass."""

    def __init__(
        self,
        node: str,
        error: BaseException,
        code: str = "",
        *,
        handler: FailedHandler | None = None,
    ) -> None:
        super().__init__(f'operator "{node}" failed')
        self.node = node
        self.error = error
        self.code = code
        """Where the functions are that the operator calls."""
        self.handler = handler
        """The handler whose own error it is, if it is one's."""


SKIPPING = "Set processing.exception.handler to skip such records."
_FOR_GLOBALS = StreamsConfig.PROCESSING_EXCEPTION_HANDLER_GLOBAL_ENABLED_CONFIG


class Failures:
    """Failures of one task's nodes, and records that it drops.

    Args:
        task: The task.
        sends: False for a task that fills global stores: its dead letters are dropped.
    """

    def __init__(self, task: Task, *, sends: bool) -> None:
        self._task = task
        self._handler = task.settings.processing_handler
        self._sends = sends

    def handle(
        self,
        node: str,
        record: Record[Any, Any] | None,
        error: Exception,
        context: RecordContext | None,
    ) -> None:
        """Decide on a failure in ``node``: return to go on without the rest of its work, or raise.

        Raises:
            StreamsException: A serde met a type it does not know; nodes above may still go on.
            FailedProcessing: The handler says to fail, or a schema registry failed; it is final.
        """
        if isinstance(error, FailedProcessing):
            raise error
        if isinstance(error, FATAL):
            raise self.placed(error, node) from error.__cause__
        if isinstance(error, SchemaRegistryException):
            raise FailedProcessing(node, error) from error
        if isinstance(error, ClassCastException):
            failure = StreamsException(
                f'operator "{node}" met a value of the wrong type',
                detail=f"{_where(self._task.id, context)}; {error}",
                hint=""
                if error.hint
                else "Check that its serdes fit what the operators above it return.",
            )
            failure.more = told(self._task.code_of(node))
            raise failure from error
        response = self._ask(node, record, error, context or NOWHERE)
        if response.deadLetterQueueRecords():
            self.send_dead_letters(response.deadLetterQueueRecords(), node, FAILED)
        if response.result().name == "FAIL":
            raise FailedProcessing(node, error, self._task.code_of(node)) from error
        self._task.measures.dropped(node, FAILED)

    def guarded(self, process: Callable[[Any], None], item: Any) -> None:
        """Let a source pass on a record or a chunk; say in an error on which record it failed.

        Raises:
            StreamsException: It failed and the handlers say to fail.
        """
        try:
            process(item)
        except FATAL as error:
            raise self.placed(error) from error.__cause__
        except Exception as error:  # noqa: BLE001 - a node may raise anything
            # The cause is the user's own error, whatever it went through on its way here.
            failure = self.located("cannot process a record", error)
            raise failure from failure.__cause__

    def located(self, problem: str, error: Exception) -> StreamsException:
        """Return the error that leaves the task, with the current record and the task named."""
        if isinstance(error, StreamsException) and not isinstance(error, FailedProcessing):
            return self.placed(error)
        task = self._task
        app = task.settings.application_id
        return located(problem, task.id, error, task.record_context, app, skipping=self._skipping())

    def placed(self, error: StreamsException, node: str = "") -> StreamsException:
        """Add task, record and operator to what a sink or a store has raised."""
        detail = getattr(error, "detail", "")  # a class of a user may not have called __init__
        if f"Task {self._task.id}" not in detail:
            where = _where(self._task.id, self._task.record_context)
            if node:
                where = f'{where}, operator "{node}"'
            error.detail = f"{where}; {detail}" if detail else f"{where}."
        return error

    def _skipping(self) -> str:
        """Return what a user sets to skip a record that a processor refuses."""
        if self._sends or self._task.settings.configs.get(_FOR_GLOBALS):
            return SKIPPING
        return (
            f"It fills a global store: set {_FOR_GLOBALS} to true, and "
            "processing.exception.handler, to skip such records."
        )

    def of_flush(self, store: str, error: Exception) -> StreamsException:
        """Return the error of a store's flush; a ``StreamsException`` has its place already."""
        if not isinstance(error, StreamsException):
            failure = _flush_failure(store, self._task.id, error)
            failure.__cause__ = error
        elif isinstance(error, FailedProcessing):
            below = self.located("cannot process a record", error)
            failure = ProcessorStateException(
                f'cannot flush store "{store}"', detail=str(below), task_id=self._task.id
            )
            failure.__cause__ = below.__cause__
        else:
            return error
        return failure

    def drop(
        self, reason: str, node: str, context: RecordContext | None = None, *, told: bool = False
    ) -> None:
        """Count a record that is dropped by rule, and log it unless that was ``told`` before."""
        task = self._task
        task.measures.dropped(node, reason)
        if told:
            return
        context = context or task.record_context
        place = context and (context.topic(), context.partition(), context.offset())
        log.warning(
            "dropped a record reason=%r operator=%s task=%s topic=%s partition=%s offset=%s",
            *(reason, node, task.id),
            *(place or (None, None, None)),
        )

    def send_dead_letters(self, records: list[Any], node: str, reason: str) -> None:
        """Send records that a handler wants in the dead letter queue, and count them."""
        host = self._task.host
        for record in records:
            if not self._sends:
                topic = record.topic()
                log.warning("a global store cannot send to a dead letter queue topic=%s", topic)
                continue
            timestamp = record.timestamp()
            host.send(
                Sent(
                    record.topic(),
                    record.key(),
                    record.value(),
                    host.now_ms() if timestamp is None else timestamp,
                    record.headers(),
                    record.partition(),
                )
            )
            self._task.measures.dead_lettered(node, reason, record.topic())

    def _ask(self, node: str, record: Any, error: Exception, context: RecordContext) -> Any:
        try:
            asked = error_context(node, self._task.id, context)
            if not self._sends:  # as in Kafka Streams
                asked._raw_key = asked._raw_value = None
            response = self._handler.handleError(asked, record, error)
            return checked_answer(response, ProcessingExceptionHandler.Response, self._handler)
        except Exception as handler_error:
            log.exception("processing exception handler failed operator=%s", node)
            failure = failed_handler(node, self._handler, handler_error, "processing", error)
            raise failure from handler_error


def failed_handler(
    node: str, handler: Any, error: Exception, asks_about: str, asked_about: Exception
) -> FailedProcessing:
    """Return the failure of an exception handler itself; no other handler is asked.

    Args:
        node: The node that the handler was asked for.
        handler: The handler, or what wraps it.
        error: What it has raised.
        asks_about: What the handler is for.
        asked_about: The error that it was asked about.
    """
    name = type(getattr(handler, "made", handler)).__name__
    return FailedProcessing(node, error, handler=FailedHandler(name, asks_about, asked_about))


def error_context(node: str, task_id: Any, context: RecordContext) -> ErrorHandlerContext:
    """Return what an exception handler is told about the current record."""
    return ErrorHandlerContext(
        topic=context.topic(),
        partition=context.partition(),
        offset=context.offset(),
        headers=context.headers(),
        processor_node_id=node,
        task_id=task_id,
        timestamp=context.timestamp(),
        source_raw_key=context.sourceRawKey(),
        source_raw_value=context.sourceRawValue(),
    )


def _flush_failure(store: str, task_id: Any, error: Exception) -> ProcessorStateException:
    """Return the error of a store that failed itself while it was flushed."""
    return ProcessorStateException(
        f'cannot flush store "{store}"',
        detail=f"Task {task_id}; {said(error)}",
        hint="The store itself, one of its serdes or a sink below it failed; no exception handler "
        "is asked there. Check that the serdes fit what is stored.",
        task_id=task_id,
    )


def open_failure(store: str, task_id: Any, error: Exception) -> ProcessorStateException:
    """Return the error of a store that cannot be built, opened or filled."""
    return ProcessorStateException(
        f'cannot open store "{store}"',
        detail=f"Task {task_id}; {said(error)}",
        hint="Its builder, its init() or restore callback, one of its serdes, or the open() of the "
        "plugin's byte store below it raised.",
        task_id=task_id,
    )


def close_failure(store: str, error: Exception) -> ProcessorStateException:
    """Return the error of a store that cannot be closed."""
    return ProcessorStateException(
        f'cannot close store "{store}"',
        detail=said(error),
        hint="The close() of the store itself, or of the plugin's byte store below it, raised.",
    )


def _where(task_id: Any, context: RecordContext | None) -> str:
    if context is None or context.topic() is None:
        return f"Task {task_id}"
    place = f"{context.topic()}-{context.partition()} at offset {context.offset()}"
    return f"Task {task_id}, {place}, event time {context.timestamp()} ms"


def located(
    problem: str,
    task_id: Any,
    error: BaseException,
    context: RecordContext | None,
    application_id: str = "",
    skipping: str = "",
) -> StreamsException:
    """Return the error that leaves the task: what failed, and on which record."""
    node, cause, code, hint, handler = None, error, "", "", None
    if isinstance(error, FailedProcessing):
        node, cause, code, handler = error.node, error.error, error.code, error.handler
        hint = skipping or SKIPPING
    reason = said(cause)
    if handler is not None:
        problem = f"Fatal user code error in {handler.asks_about} error callback"
        reason = f"{said(handler.asked_about)}; the handler: {reason}"
        hint = (
            f"The handler itself, {handler.name}, failed when it was asked about the first error."
        )
    store = unreadable_store(cause, application_id)
    if isinstance(cause, SchemaRegistryException):
        store, hint = None, "No exception handler is asked: the record is not to blame."
    if store is not None:
        # The record at hand is as good as any other: skipping it would mend nothing.
        problem = f'cannot read store "{store}"'
        hint = (
            "Its bytes were written by another serde, or by another version of this one: use that "
            "one, or start with empty stores, with another application.id."
        )
    elif isinstance(cause, StopIteration):
        hint = f"{_NO_NEXT} {hint}".rstrip()
    hint = hint_of_main(cause) or hint
    where = _where(task_id, getattr(error, NOTED, context))
    if handler is not None:  # A program may look at the text, which is Kafka's.
        where = f'{where}, operator "{node}"'
    elif node is not None:
        problem = f'{problem} in operator "{node}"'
    failure = StreamsException(
        problem,
        detail=f"{where}; {reason}",
        hint=hint,
        task_id=task_id,
    )
    failure.more = told(getattr(cause, NOTED_CODE, code))
    failure.__cause__ = cause
    return failure


def told(code: str) -> tuple[tuple[str, str], ...]:
    """Return what an error says of the place of its functions."""
    return (("code", code),) if code else ()
