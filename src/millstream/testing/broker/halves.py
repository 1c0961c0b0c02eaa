"""The serde of a call, in the form that it needs."""

from __future__ import annotations

from typing import Any

from millstream.core.errors import ClassCastException
from millstream.core.serdes import Serde, Serdes
from millstream.core.serdes.checks import deserializer_of, serializer_of
from millstream.core.wording import a_kind


def half(serde: Serde[Any] | None, which: str, name: str) -> Any:
    """Return a serde's serializer or deserializer; those of `Serdes.String()` for None.

    Args:
        serde: A serde.
        which: `serializer` or `deserializer`.
        name: The parameter's name, for the error.

    Raises:
        ClassCastException: It is not a serde, or gives something else than such a half.
    """
    given = Serdes.String() if serde is None else serde
    if isinstance(given, type) or not callable(getattr(given, which, None)):
        shown = f"the class {given.__name__}" if isinstance(given, type) else a_kind(given)
        raise ClassCastException(f"{name} cannot be {shown}", hint="Give one like Serdes.Long().")
    return (serializer_of if which == "serializer" else deserializer_of)(given, name)
