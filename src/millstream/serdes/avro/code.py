"""Generated functions: lines of Python, and the objects that they name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Code:
    """Lines of a module in the making.

    Only names of our own stand in the lines: what a schema says (names, symbols, classes) is an
    object in the namespace, or a literal written by ``repr``.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._depth = 0
        self._count = 0
        self.names: dict[str, Any] = {}

    def line(self, text: str) -> None:
        """Add lines at the present depth."""
        self._lines += ["    " * self._depth + each for each in text.split("\n")]

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Add a line with a colon, and let what follows be under it."""
        self.line(f"{head}:")
        self._depth += 1
        before = len(self._lines)
        yield
        if len(self._lines) == before:
            self.line("pass")
        self._depth -= 1

    def fresh(self, kind: str = "v") -> str:
        """Return a name that no other line has."""
        self._count += 1
        return f"{kind}{self._count}"

    def constant(self, value: Any) -> str:
        """Return the name of an object."""
        name = self.fresh("K")
        self.names[name] = value
        return name

    def compiled(self, title: str) -> dict[str, Any]:
        """Run the lines, and return the namespace with the functions."""
        text = "\n".join(self._lines)
        exec(compile(text, f"<{title}>", "exec"), self.names)  # noqa: S102 - see the class
        return self.names
