"""Stores and suppliers of one's own, for tests, that hand on what they lack to another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class HandsOn:
    """Has what a subclass has, and else what the object below has."""

    def __init__(self, below: Any) -> None:
        self.below = below

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


class SuppliesOver(HandsOn):
    """A supplier over another one's: its stores are made of those by a function."""

    def __init__(self, below: Any, over: Callable[[Any], Any]) -> None:
        super().__init__(below)
        self._over = over

    def get(self) -> Any:
        return self._over(self.below.get())
