"""The names that a place of a source can see: locals, fields and methods of its classes."""

from __future__ import annotations

from dataclasses import dataclass, field

from millstream.porting.checking.typed import Typed
from millstream.porting.reading.syntax import Class


@dataclass(slots=True)
class Scope:
    """The locals of a block, inside those around it.

    Attributes:
        inside: The class whose body this is, if it is one's.
        receiver: What plain calls are made on first (Kotlin's ``apply``).
        returns: The type of what is returned here, if it is declared.
    """

    outer: Scope | None = None
    inside: Class | None = None
    receiver: Typed | None = None
    returns: Typed | None = None
    names: dict[str, Typed | None] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Tell whether the name is a local or a field here."""
        return name in self.names or (self.outer is not None and self.outer.has(name))

    def get(self, name: str) -> Typed | None:
        """Return the type of a local or a field; None if it is not known."""
        if name in self.names or self.outer is None:
            return self.names.get(name)
        return self.outer.get(name)

    def enclosing(self) -> list[Class]:
        """Return the classes around this place, innermost first."""
        around = [] if self.outer is None else self.outer.enclosing()
        return around if self.inside is None else [self.inside, *around]

    def receivers(self) -> list[Typed]:
        """Return what plain calls may be made on, innermost first."""
        around = [] if self.outer is None else self.outer.receivers()
        return around if self.receiver is None else [self.receiver, *around]

    def returned(self) -> Typed | None:
        """Return the declared type of what the function around this place returns."""
        if self.returns is not None or self.outer is None or self.inside is not None:
            return self.returns
        return self.outer.returned()
