"""State tables: the events of each state, the state that follows, and the action."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from millstream.core.errors import ImpossibleEventError

S = TypeVar("S", bound=enum.Enum)
E = TypeVar("E", bound=enum.Enum)


@dataclass(frozen=True, slots=True)
class Rule(Generic[S, E]):
    """One row of a table: in ``state``, upon ``event``, go to ``target`` and do ``action``."""

    state: S
    event: E
    target: S
    action: str


class Table(Generic[S, E]):
    """A life cycle. What no rule allows cannot happen.

    Args:
        name: Whose life it is.
        initial: The state it begins in.
        states: What each state means, in the order of a diagram.
        rules: At most one for each state and event.
    """

    __slots__ = ("_targets", "initial", "name", "rules", "states")

    def __init__(
        self, name: str, initial: S, states: Mapping[S, str], rules: Iterable[Rule[S, E]]
    ) -> None:
        self.name = name
        self.initial = initial
        self.states = states
        self.rules = tuple(rules)
        self._targets = {(rule.state, rule.event): rule.target for rule in self.rules}

    def after(self, state: S, event: E) -> S:
        """Return the state that follows.

        Raises:
            ImpossibleEventError: The event cannot happen in that state.
        """
        target = self._targets.get((state, event))
        if target is None:
            raise ImpossibleEventError.of(
                self.name,
                str(state.value),
                str(event.value),
                possible=[str(rule.event.value) for rule in self.rules if rule.state is state],
            )
        return target


def rules(states: Iterable[S], event: E, target: S, action: str) -> list[Rule[S, E]]:
    """Return a rule for each of several states in which an event means the same."""
    return [Rule(state, event, target, action) for state in states]
