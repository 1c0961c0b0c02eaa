"""Value joiner in the form that processors call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Joiner:
    """A function of the left and the right value, and whether it wants the key before them."""

    function: Callable[..., Any]
    with_key: bool

    def of_key(self) -> Callable[[Any, Any, Any], Any]:
        """Return a function of key, left and right value."""
        function = self.function
        return function if self.with_key else lambda key, left, right: function(left, right)

    def of_key_reversed(self) -> Callable[[Any, Any, Any], Any]:
        """Return a function of key, right and left value."""
        function = self.function
        if self.with_key:
            return lambda key, right, left: function(key, left, right)
        return lambda key, right, left: function(left, right)
