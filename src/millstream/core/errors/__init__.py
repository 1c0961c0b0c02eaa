"""Errors that millstream raises on purpose, in Kafka's hierarchy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from millstream.core.errors.base import ABSENT as _ABSENT
from millstream.core.errors.base import ConfigException as ConfigException
from millstream.core.errors.base import ImpossibleEventError as ImpossibleEventError
from millstream.core.errors.base import KafkaException as KafkaException
from millstream.core.errors.base import MillstreamError as MillstreamError
from millstream.core.errors.base import PluginError as PluginError
from millstream.core.errors.base import raised as _raised

# Java's own run-time errors, as Kafka Streams raises them. Each is also the Python error that a
# caller would expect, so that ``except ValueError`` keeps its meaning.


class IllegalStateException(MillstreamError, RuntimeError):
    """A call came at a time, or on an object in a state, that does not allow it."""


class IllegalArgumentException(MillstreamError, ValueError):
    """An argument has the right type and a value that is not allowed."""


class NullPointerException(MillstreamError, TypeError):
    """An argument is ``None`` where something is required."""


class ClassCastException(MillstreamError, TypeError):
    """A value is not of the type that a serde, a store or a handler was made for."""


class UnsupportedOperationException(MillstreamError, NotImplementedError):
    """An object implements an interface in part, and this call is not in that part."""


class NoSuchElementException(MillstreamError, LookupError):
    """An iterator or an output topic has nothing left to give."""


class SerializationException(KafkaException):
    """A serde cannot turn an object into bytes, or bytes into an object."""


class ApiException(KafkaException):
    """A broker refused a request, or a request cannot be made."""


class RetriableException(ApiException):
    """The same request may succeed when it is sent again."""


class TimeoutException(RetriableException):
    """No answer came within the time that was allowed."""


class InvalidTopicException(ApiException):
    """A topic's name is not one that Kafka accepts."""


class RecordTooLargeException(ApiException):
    """A record is larger than the producer or the broker accepts."""


class AuthenticationException(ApiException):
    """A broker refuses a client, or a client a broker, whatever the request."""


class SaslAuthenticationException(AuthenticationException):
    """The user, the password or the mechanism of SASL is not one that the broker takes."""


class SslAuthenticationException(AuthenticationException):
    """The handshake of TLS failed: a certificate is missing, or not one that the other trusts."""


class AuthorizationException(ApiException):
    """A user is known, and may not do what was asked."""


class InvalidConfigurationException(ApiException):
    """An object is used before its configuration says what it needs."""


class SchemaRegistryException(SerializationException):
    """A schema registry did not do its part; the record is not to blame.

    No exception handler is asked: records would be dropped for as long as the registry fails.
    """


class SchemaRegistryUnavailableException(SchemaRegistryException, TimeoutException):
    """No answer came from a schema registry, or only that it cannot answer now."""


class SchemaRegistryAuthenticationException(SchemaRegistryException, AuthenticationException):
    """A schema registry does not accept the user, the password, the token or the certificate."""


class SchemaRegistryAuthorizationException(SchemaRegistryException, AuthorizationException):
    """A schema registry knows the user and does not allow the request."""


class ProducerFencedException(ApiException):
    """A newer producer has taken over this producer's transactional id."""


class StreamsException(KafkaException):
    """Base of the errors that stop a topology; names the task where one is to blame.

    Args:
        problem: What failed; or the exception that is the cause, whose text it becomes.
        cause: The exception that this one follows from; or the task.
        taskId: The task that failed.
        task_id: The same.

    Example:
        >>> str(StreamsException("cannot go on", ValueError("broken")))
        'cannot go on'
    """

    def __init__(
        self,
        problem: object = "",
        cause: object = None,
        taskId: object = None,
        *,
        detail: str = "",
        hint: str = "",
        task_id: object = None,
    ) -> None:
        super().__init__(problem, cause, detail=detail, hint=hint)
        named = None if _raised(cause) else cause
        self.task_id = next((each for each in (task_id, taskId, named) if each is not None), None)

    def taskId(self) -> object:
        """Return the ``TaskId`` of the task that failed, or ``None``."""
        return self.task_id

    def setTaskId(self, taskId: object) -> None:
        """Record the task that failed; the engine calls it where the task is known."""
        self.task_id = taskId


class TopologyException(StreamsException):
    """A topology is not well formed: a name taken twice, an unknown parent, a cycle."""

    prefix = "Invalid topology: "

    def __init__(
        self,
        problem: object = "",
        cause: object = None,
        taskId: object = None,
        *,
        detail: str = "",
        hint: str = "",
        task_id: object = None,
    ) -> None:
        super().__init__(problem, cause, taskId, detail=detail, hint=hint, task_id=task_id)
        if _raised(problem):
            self.__dict__["prefix"] = ""
        elif problem is None:
            self.__dict__["prefix"], self.problem = "Invalid topology", ""


class ProcessorStateException(StreamsException):
    """A state store cannot be opened, read, written, flushed or closed."""


class LockException(StreamsException):
    """Another process or task holds the lock of a state directory."""


class WorkerDiedException(StreamsException):
    """A worker process died while it processed records: nothing could be raised there."""


class BrokerNotFoundException(StreamsException):
    """No broker answers at ``bootstrap.servers``."""


class MissingSourceTopicException(StreamsException):
    """A topic that the topology reads does not exist."""


class MisconfiguredInternalTopicException(StreamsException):
    """An internal topic exists and its partitions or settings do not fit the topology."""


class InternalTopicsAlreadySetupException(StreamsException):
    """The internal topics that were to be created are there already."""


def _several(given: Any, parameter: str) -> Iterable[Any]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ClassCastException(
            f"{parameter} cannot be a {type(given).__name__}", hint="Give a list or a set."
        )
    return given


class MissingInternalTopicsException(StreamsException):
    """Internal topics that should be there are not.

    Args:
        topics: The names of the missing topics.
    """

    def __init__(
        self,
        problem: str = "",
        topics: Iterable[str] | None = (),
        *,
        detail: str = "",
        hint: str = "",
        task_id: object = None,
    ) -> None:
        super().__init__(problem, detail=detail, hint=hint, task_id=task_id)
        self.missing_topics = None if topics is None else list(_several(topics, "topics"))

    def topics(self) -> list[str] | None:
        """Return the names of the missing topics."""
        return self.missing_topics


class TaskAssignmentException(StreamsException):
    """A task assignor failed, or its assignment breaks the rules."""


class TaskCorruptedException(StreamsException):
    """The state of tasks cannot be trusted and has to be rebuilt from their changelogs.

    Args:
        problem: What happened; or the ids of those tasks.
        corrupted_tasks: The ids of those tasks; or the exception that this one follows from.
    """

    def __init__(
        self,
        problem: str | Iterable[object] = "",
        corrupted_tasks: Iterable[object] | BaseException = (),
        *,
        detail: str = "",
        hint: str = "",
        task_id: object = None,
    ) -> None:
        cause = corrupted_tasks if isinstance(corrupted_tasks, BaseException) else None
        tasks: Iterable[object] = (
            () if isinstance(corrupted_tasks, BaseException) else corrupted_tasks
        )
        if not isinstance(problem, str):
            tasks = () if problem is None else frozenset(_several(problem, "corruptedTasks"))
            listed = "null" if problem is None else f"[{', '.join(map(str, tasks))}]"
            problem = f"Tasks {listed} are corrupted and hence need to be re-initialized"
        super().__init__(problem, cause, detail=detail, hint=hint, task_id=task_id)
        self.corrupted_tasks = frozenset(_several(tasks, "corruptedTasks"))

    def corruptedTasks(self) -> frozenset[object]:
        """Return the ids of the tasks whose state has to be rebuilt."""
        return self.corrupted_tasks


class TaskIdFormatException(StreamsException):
    """A text is not the id of a task (``<sub-topology>_<partition>``).

    Args:
        problem: The text; or the exception that is the cause.
    """

    def __init__(
        self,
        problem: object = _ABSENT,
        cause: object = None,
        *,
        detail: str = "",
        hint: str = "",
    ) -> None:
        if problem is _ABSENT:
            problem = ""
        elif not _raised(problem):
            read = "" if problem is None else f" from {problem}"
            problem = f"Task id cannot be parsed correctly{read}"
        super().__init__(problem, cause, detail=detail, hint=hint)


class TaskMigratedException(StreamsException):
    """A task belongs to another member of the group by now.

    Args:
        problem: How that was noticed; what follows from it is added.
    """

    def __init__(
        self,
        problem: object = _ABSENT,
        cause: object = None,
        *,
        detail: str = "",
        hint: str = "",
    ) -> None:
        meaning = "it means all tasks belonging to this thread should be migrated."
        said = "null" if problem is None else problem
        text = "" if problem is _ABSENT else f"{said}; {meaning}"
        super().__init__(text, cause, detail=detail, hint=hint)


class InvalidStateStoreException(StreamsException):
    """A store cannot be queried here and now; the subclass says whether to try again."""


class InvalidStateStorePartitionException(InvalidStateStoreException):
    """The partition asked for is not one of the store's."""


class StateStoreMigratedException(InvalidStateStoreException):
    """The store has moved to another instance; look its place up again."""


class StateStoreNotAvailableException(InvalidStateStoreException):
    """The store is closed for good; look it up again or give up."""


class StreamsNotStartedException(InvalidStateStoreException):
    """The application has not been started; start it and try again."""


class StreamsRebalancingException(InvalidStateStoreException):
    """The application is still moving or restoring state; try again later."""


class StreamsStoppedException(InvalidStateStoreException):
    """The application has stopped, or is stopping; it answers no more queries."""


class UnknownStateStoreException(InvalidStateStoreException):
    """The topology has no store of that name."""


class UnknownTopologyException(InvalidStateStoreException):
    """The application has no topology of that name.

    Args:
        problem: What was asked for.
        cause: The exception that this one follows from; or the name of the topology.
        topology: The name of the topology.
    """

    def __init__(
        self,
        problem: object = _ABSENT,
        cause: object = None,
        topology: str | None = None,
        *,
        detail: str = "",
        hint: str = "",
    ) -> None:
        name = topology if _raised(cause) or topology is not None else cause
        said = "null" if problem is None else problem
        text = f"{said} due to being unable to locate a Topology named {name}"
        text = "" if problem is _ABSENT else text
        super().__init__(text, cause if _raised(cause) else None, detail=detail, hint=hint)
