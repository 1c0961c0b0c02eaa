"""A value that does not fit a schema, and where in the value it is."""

from __future__ import annotations

import reprlib

from millstream.core.errors import ClassCastException
from millstream.core.wording import a_kind


class Misfit(Exception):
    """A part of a value does not fit; what encloses it adds the way that leads there.

    Args:
        value: That part.
        expected: What was expected in its place.
        hint: What to do.
        clause: What is wrong, where "must be ..." does not say it.
    """

    def __init__(self, value: object, expected: str, hint: str = "", clause: str = "") -> None:
        super().__init__(expected)
        self.value = value
        self.expected = expected
        self.hint = hint
        self.clause = clause
        self.path: list[str] = []

    def under(self, step: str) -> Misfit:
        """Return self, with one more step before the others: ``.name`` or ``[5]``."""
        self.path.insert(0, step)
        return self

    def where(self) -> str:
        """Return the way from the value to the part, such as ``items[3].price``."""
        return "".join(self.path).lstrip(".")

    def error(self, schema: str, topic: str | None) -> ClassCastException:
        """Return the error for the caller."""
        where = self.where()
        place = f'the field "{where}"' if where else "the value"
        clause = self.clause or f"must be {self.expected}"
        told = f'; the topic is "{topic}"' if topic is not None else ""
        return ClassCastException(
            f"cannot write {a_kind(self.value)} as {schema}: {place} {clause}",
            detail=f"It is {reprlib.repr(self.value)}{told}.",
            hint=self.hint or "Change the value, or the schema that the serde was made with.",
        )
