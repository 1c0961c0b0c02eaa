"""Objects that a deserializer returns again and again, changed between calls.

Kafka Streams brings a record to the end of its way before it deserializes the next one, so a
deserializer may fill one message and return it each time. Many that are deserialized at once would
all show what the last one has.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from millstream.core.errors import StreamsException
from millstream.core.wording import a_kind, said

PLAIN: frozenset[type] = frozenset(
    {bool, bytes, complex, float, frozenset, int, range, str, tuple, type(None)}
)
"""Types whose objects cannot be changed."""


def cannot_change(kind: type) -> bool:
    """Tell whether objects of a type are known to stay as they are."""
    if kind in PLAIN or issubclass(kind, enum.Enum):
        return True
    return bool(getattr(getattr(kind, "__dataclass_params__", None), "frozen", False))


REUSED: set[Any] = set()
"""Classes and functions of users whose results were one object: each result is copied since.

A store reads its rows one by one, too, where nothing shows that an earlier result has changed.
"""


def own_objects(items: list[Any], again: Callable[[], Iterable[Any]], made_by: Any) -> list[Any]:
    """Return what a deserializer has made, where each item that can change is its own object.

    Args:
        items: The objects, in the order of the calls.
        again: Makes them anew, each one when it is asked for the next.
        made_by: The user's class or function; None for one of this library.

    Raises:
        StreamsException: An object is returned again and again, and cannot be copied.
    """
    kinds = {*map(type, items)}
    if len(items) < 2 or kinds <= PLAIN:
        return items
    if len({*map(id, items)}) == len(items):
        return items
    changing = {kind for kind in kinds if not cannot_change(kind)}
    places = [id(item) for item in items if type(item) in changing]
    if len({*places}) == len(places):
        return items
    if made_by is not None:
        REUSED.add(made_by)
    return [own_object(item) for item in again()]


def own_object(item: Any) -> Any:
    """Return a copy of what can change.

    Raises:
        StreamsException: It cannot be copied.
    """
    if cannot_change(type(item)):
        return item
    try:
        return deepcopy(item)
    except Exception as error:
        raise StreamsException(
            f"a deserializer returned {a_kind(item)} again and again, which cannot be copied",
            detail=said(error),
            hint="Let the deserializer return a new object for each record.",
        ) from error
