"""Objects that a deserializer returns again and again, changed between calls.

Kafka Streams brings a record to the end of its way before it deserializes the next one, so a
deserializer may fill one message and return it each time. Many that are deserialized at once would
all show what the last one has.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
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


def own_objects(
    items: list[Any],
    given: Callable[[], Sequence[Any]],
    make: Callable[[Any], Any],
    made_by: Any,
) -> list[Any]:
    """Return what a deserializer has made, where each item that has changed is its own object.

    An object that stays as it is may be returned again: one that a cache keeps for the same bytes,
    or one that stands for all bytes of a kind.

    Args:
        items: The objects, in the order of the calls.
        given: Returns what each was made from, in the same order.
        make: Makes one anew.
        made_by: The user's class or function; None for one of this library.

    Raises:
        StreamsException: An object is returned for different bytes, and cannot be copied.
    """
    kinds = {*map(type, items)}
    if len(items) < 2 or kinds <= PLAIN or len({*map(id, items)}) == len(items):
        return items
    changing = {kind for kind in kinds if not cannot_change(kind)}
    inputs = given()
    made_from: dict[int, Any] = {}
    if all(
        made_from.setdefault(id(item), each) == each
        for item, each in zip(items, inputs, strict=True)
        if type(item) in changing
    ):
        return items
    copies, changed = _copied(map(make, inputs))
    if not changed:
        return items
    if made_by is not None:
        REUSED.add(made_by)
    return copies


def _copied(items: Iterable[Any]) -> tuple[list[Any], bool]:
    """Return a copy of each, made before the next; and whether one has changed in between."""
    copies: list[Any] = []
    # Kept, so that no other object gets the id of one.
    first: dict[int, tuple[Any, Any]] = {}
    changed = False
    for item in items:
        copies.append(own_object(item))
        _, before = first.setdefault(id(item), (item, copies[-1]))
        changed = changed or not _are_same(before, copies[-1])
    return copies, changed


def _are_same(one: Any, other: Any) -> bool:
    """Tell whether two copies of an object say the same, as far as that can be seen."""
    if one is other:
        return True
    try:
        kind: Any = type(one)
        if kind.__eq__ is object.__eq__:
            # What pickle would keep beside the class.
            one, other = (each.__reduce_ex__(2)[2:] for each in (one, other))
        return bool(one == other)
    except Exception:  # noqa: BLE001 - a user's class may refuse; then it is copied
        return False


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
