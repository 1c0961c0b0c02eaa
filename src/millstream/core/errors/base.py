"""Base of millstream's errors, and the errors that Kafka has no name for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

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
