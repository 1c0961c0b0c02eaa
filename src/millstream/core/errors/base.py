"""Bases of millstream's errors, and the errors that Kafka has no name for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from millstream.core.java_text import java_text
from millstream.core.wording import a


class MillstreamError(Exception):
    """Base of millstream's errors: what failed, why, and what to do.

    Args:
        problem: One clause, no full stop; says what was attempted.
        detail: Facts that the reader cannot see from the call, as sentences.
        hint: One thing to try, as a sentence.

    >>> print(MillstreamError('cannot open store "sums"', hint="Close the other process first."))
    cannot open store "sums"
      hint: Close the other process first.
    """

    prefix: ClassVar[str] = ""

    # Python pickles an exception as its class, ``args`` and ``__dict__``. So every subclass must be
    # constructible from the problem alone, and keeps what else it knows in plain attributes.
    def __init__(self, problem: str = "", *, detail: str = "", hint: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.detail = detail
        self.hint = hint
        self.more: tuple[tuple[str, str], ...] = ()
        """What is known besides, as label and text, such as the user's own lines of the trace."""

    def __str__(self) -> str:
        lines = [f"{self.prefix}{self.problem}"]
        if self.detail:
            lines.append(f"  detail: {self.detail}")
        lines += [f"  {label}: {text}" for label, text in self.more]
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def getMessage(self) -> str:
        """Return what failed in one line, as Java's ``Throwable`` does; ``str()`` says more."""
        return f"{self.prefix}{self.problem}"


ABSENT: object = object()
"""No argument; None is one."""


class KafkaException(MillstreamError):
    """Base of the errors that Kafka names, on clients and in Kafka Streams.

    Args:
        problem: What failed; or the exception that is the cause, whose text it becomes.
        cause: The exception that this one follows from.
    """

    def __init__(
        self,
        problem: object = "",
        cause: object = None,
        *,
        detail: str = "",
        hint: str = "",
    ) -> None:
        text = f"{type(problem).__name__}: {problem}" if raised(problem) else str(problem)
        super().__init__(text, detail=detail, hint=hint)
        reason = problem if isinstance(problem, BaseException) else cause
        if isinstance(reason, BaseException):
            self.__cause__ = reason

    def getCause(self) -> BaseException | None:
        """Return the exception that this one follows from, or None."""
        return self.__cause__


def raised(value: object) -> bool:
    """Tell whether an argument is an exception."""
    return isinstance(value, BaseException)


class ConfigException(KafkaException):
    """A configuration entry is missing, of the wrong type, or out of its range.

    Args:
        problem: What is wrong; or the name of the entry, before its value.
        value: The value of the entry; or the exception that this one follows from.
        message: Why it is wrong.

    Example:
        >>> print(ConfigException("my.size", -1, "it must be positive"))
        Invalid value -1 for configuration my.size: it must be positive
    """

    def __init__(
        self,
        problem: object = "",
        value: object = ABSENT,
        message: str | None = None,
        *,
        cause: object = None,
        detail: str = "",
        hint: str = "",
    ) -> None:
        if raised(value):
            cause = value
        elif value is not ABSENT:
            reason = "" if message is None else f": {message}"
            problem = f"Invalid value {java_text(value)} for configuration {problem}{reason}"
        super().__init__(problem, cause, detail=detail, hint=hint)


class PluginError(MillstreamError):
    """A plugin is missing, clashes with another one, or breaks its contract."""


class ImpossibleEventError(MillstreamError, RuntimeError):
    """Something happened that the state of a group, a member or a task does not allow."""

    table = ""
    state = ""
    event = ""

    @classmethod
    def of(
        cls, table: str, state: str, event: str, *, possible: Iterable[str] = ()
    ) -> ImpossibleEventError:
        """Return the error for an event in a state of a table."""
        listed = ", ".join(f'"{each}"' for each in possible)
        error = cls(
            f'"{event}" cannot happen to {a(table)} in state "{state}"',
            detail=f"There can: {listed}." if listed else "It is an end.",
        )
        error.table, error.state, error.event = table, state, event
        return error
