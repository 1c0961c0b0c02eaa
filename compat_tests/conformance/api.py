"""millstream's public names, looked up when a scenario needs them."""

from __future__ import annotations

from typing import Any

import millstream
import millstream.testing


class NotBuiltYetError(Exception):
    """A scenario needs a public name that millstream does not have."""


def public(path: str) -> Any:
    """The public object called `path`, such as `Materialized.StoreType.IN_MEMORY`."""
    first, *rest = path.split(".")
    for room in (millstream, millstream.testing):
        try:
            found = getattr(room, first)
            break
        except (AttributeError, ImportError):
            continue
    else:
        raise NotBuiltYetError(path)
    for name in rest:
        found = member(found, name)
    return found


def member(owner: Any, name: str) -> Any:
    """`owner.name`; a name that is not there is an operation not built, never a wrong result."""
    if not hasattr(owner, name):
        kind = owner if isinstance(owner, type) else type(owner)
        raise NotBuiltYetError(f"{kind.__name__}.{name}")
    return getattr(owner, name)


def call(owner: Any, name: str, *arguments: Any) -> Any:
    """Call a public method without the arguments that are None, as an overload without them."""
    return member(owner, name)(*(argument for argument in arguments if argument is not None))


def missing_name(error: BaseException) -> str | None:
    """The name that was missing, if that is what `error` comes down to."""
    return next((str(e) for e in causes(error) if isinstance(e, NotBuiltYetError)), None)


def causes(error: BaseException) -> list[BaseException]:
    """`error`, what it was raised from, and so on to the root."""
    found: list[BaseException] = []
    seen: BaseException | None = error
    while seen is not None and seen not in found:
        found.append(seen)
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    return found
