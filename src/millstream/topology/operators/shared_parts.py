"""Parts of results that are one object again and again, changed between records.

A function may return a new ``dict`` for each record, and in all of them the same list, to which it
adds something each time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import chain, islice
from typing import Any

from millstream.core.serdes.reused import cannot_change

_CHANGING = (bytearray, deque, dict, list, set)
_ITEMS = (deque, frozenset, list, set, tuple)
_WITHOUT_PARTS = frozenset({bool, bytes, complex, float, int, str, type(None)})
_MOST = 64
"""So many parts of a result are looked at."""
_DEEPEST = 3
_LARGE = 256
"""Of a larger part only the size is looked at."""


class SharedParts:
    """Lists, dicts and the like within results, and what they had in them.

    Example:
        >>> shared, own = SharedParts(), [1]
        >>> shared.have_changed({"own": own, "other": [2]})
        False
        >>> own.append(3)
        >>> shared.have_changed({"own": own})
        True
    """

    def __init__(self) -> None:
        self._seen: dict[int, tuple[Any, Any]] = {}

    def have_changed(self, item: Any) -> bool:
        """Tell whether something in a result was in an earlier one, and has changed since."""
        for part in changing_parts(item):
            with suppress(Exception):  # a user's class may refuse to be looked at
                # Kept, so that no other object gets its id.
                _, before = self._seen.setdefault(id(part), (part, now := _state(part)))
                if before != now:
                    return True
        return False

    def clear(self) -> None:
        """Forget all of them."""
        self._seen.clear()


def changing_parts(item: Any) -> list[Any]:
    """Return lists, dicts and the like within an object: a few levels deep, and not too many.

    Example:
        >>> changing_parts({"a": 1, "b": ([2],)})
        [[2]]
    """
    found: list[Any] = []
    left, looked = [(item, 0)], 0
    while left and looked < _MOST:
        each, depth = left.pop()
        looked += 1
        with suppress(Exception):  # as above
            if depth and _can_change(each):
                found.append(each)
            if depth < _DEEPEST:
                parts = islice(_parts(each), _MOST)
                left += [(part, depth + 1) for part in parts if type(part) not in _WITHOUT_PARTS]
    return found


def _can_change(part: Any) -> bool:
    if isinstance(part, type | Enum):
        return False
    return isinstance(part, _CHANGING) or (
        not cannot_change(type(part)) and (bool(_names(part)) or hasattr(part, "__dict__"))
    )


def _parts(item: Any) -> Iterable[Any]:
    if isinstance(item, dict):
        return item.values()
    if isinstance(item, _ITEMS):
        return item
    if isinstance(item, type | Enum):
        return ()
    if names := _names(item):
        return [getattr(item, name, None) for name in names]
    own = getattr(item, "__dict__", None)
    return own.values() if isinstance(own, dict) else ()


def _names(item: Any) -> list[str]:
    """Return the fields of an object of a dataclass, or of one of msgspec's."""
    if is_dataclass(item):
        return [each.name for each in fields(item)]
    return list(getattr(type(item), "__struct_fields__", ()))


def _state(part: Any) -> Any:
    """Return what is in a part, without what has a state of its own."""
    if isinstance(part, _CHANGING) and len(part) > _LARGE:
        return len(part)
    if isinstance(part, bytearray):
        return bytes(part)
    items = chain.from_iterable(part.items()) if isinstance(part, dict) else _parts(part)
    return tuple(map(_mark, items))


def _mark(item: Any) -> Any:
    if isinstance(item, tuple | frozenset):
        return tuple(map(_mark, islice(item, _MOST)))
    return item if type(item) in _WITHOUT_PARTS else id(item)
