"""What the bytes of a store mean, as far as its definition tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreIdentity:
    """What must not change under a store that has something.

    A store builder that has one returns it from ``identity()``.
    """

    type: str
    """``key-value``, ``window``, ``session``, ``versioned``, or what an operator keeps."""
    values: str = "plain"
    """What is kept of each value: ``plain``, ``timestamped``, ``headers``; ``supplied``: what a
    user's own supplier keeps."""
    kind: str | None = None
    """The byte store's plugin, which may change; None if that is not known."""
    layout: Mapping[str, Any] = field(default_factory=dict)
    """What decides where entries lie; with another one they would not be found."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """What entries were made with, milliseconds; with another one they would mean another thing."""
    serdes: Mapping[str, Any] = field(default_factory=dict)
    """Role (``key``, ``value``, ...) -> serde; None is the application's default."""
