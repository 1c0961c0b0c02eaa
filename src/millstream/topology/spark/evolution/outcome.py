"""Outcome of a comparison: what becomes of each store, source and sub-topology."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field


class Fate(enum.Enum):
    """What becomes of a part of the state; the value is the word that reports use."""

    SAME = "same"
    NEW = "new and empty"
    RENUMBERED = "goes on under another number"
    """Also: under another generated name."""
    CONVERTED = "converted"
    NEEDS_WORD = "needs a word from you"
    REFUSED = "refused"
    DROPPED = "dropped"
    """By the user's word, or a part without state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StateOutcome:
    """What becomes of one store, source or sub-topology."""

    kind: str
    """``store``, ``source`` or ``sub-topology``."""
    name: str
    """In the new program; in the old one if it has no counterpart."""
    fate: Fate
    former: str | None = None
    """In the old program; None for what is new."""
    how: str = ""
    """What is converted and how, or which word is needed: a sentence."""
    why: str = ""
    """Why it is refused, or why a word is needed: a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A new program compared with an old one."""

    outcomes: tuple[StateOutcome, ...] = ()
    stores: Mapping[str, str] = field(default_factory=dict)
    """New store -> the old store whose entries it goes on with; new and empty ones are absent."""
    nodes: Mapping[str, str] = field(default_factory=dict)
    """New node -> the old node whose saved times, schedules and state it goes on with."""
    conversions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """New store -> names of the conversions of its entries, in order: see ``convert.py``."""
    topics: Mapping[str, str] = field(default_factory=dict)
    """New internal topic -> the old one that had the same records; both as described."""
    words: tuple[str, ...] = ()
    """Words that have their effect on this change, to be noted in the new checkpoint along with
    those of the old one that the configuration still has."""
    same: bool = False
    """Whether the checkpoint can go on as it is: nothing moved, was renamed or converted."""

    @property
    def refused(self) -> tuple[StateOutcome, ...]:
        """What keeps the new program from starting on the state."""
        stops = (Fate.NEEDS_WORD, Fate.REFUSED)
        return tuple(each for each in self.outcomes if each.fate in stops)
