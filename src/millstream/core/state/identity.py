"""Meaning of a store's bytes, as its definition gives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreIdentity:
    """What must not change while a store has entries.

    A store builder that has one returns it from ``identity()``.
    """

    type: str
    """``key-value``, ``window``, ``session``, ``versioned``, or an operator's own."""
    values: str = "plain"
    """The bytes' form of a value: ``plain``, ``timestamped``, ``headers``; ``supplied``: that of a
    user's own supplier."""
    kind: str | None = None
    """The byte store's plugin, which may change; None if that is not known."""
    layout: Mapping[str, Any] = field(default_factory=dict)
    """Settings that decide the bytes of keys; with other ones, entries would not be found."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Sizes in milliseconds that entries were made with; with other ones their meaning changes."""
    serdes: Mapping[str, Any] = field(default_factory=dict)
    """Role (``key``, ``value``, ...) -> serde; None is the application's default."""
