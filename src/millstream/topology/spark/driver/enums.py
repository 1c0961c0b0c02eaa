"""An ``Enum`` of a program's main module, made again in a worker with all that its members have.

cloudpickle sends the values of members: what ``__init__`` or ``__new__`` has set is lost, as in the
``Planet`` of Python's documentation, and so are second names and named sums of flags. Bytes or a
date whose ``__new__`` takes something else than the member's value cannot be made from it.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from enum import Enum
from typing import Any

from pyspark.cloudpickle import cloudpickle

_NEW: Any = vars(copyreg)["__newobj__"]
_with_state: Any = cloudpickle._class_setstate
Reduced = tuple[Any, ...]
Member = tuple[tuple[Any, ...], dict[str, Any], Any]
"""What makes the data of a member (bytes, a date), the attributes in its slots, and its value."""


def whole_enum(kind: type[Enum], made: Reduced) -> Reduced:
    """Return how to make an ``Enum`` again.

    Args:
        kind: The class.
        made: How cloudpickle makes it.
    """
    make, (bases, name, qualname, _, *others), (attributes, slots), *_ = made
    members = kind.__members__
    data: type = vars(kind)["_member_type_"]
    made_of = {each: _made_of(data, member) for each, member in members.items()}
    rest = {each: value for each, value in attributes.items() if each not in members}
    own = {
        each: {key: value for key, value in vars(member).items() if not _is_of_enum(key)}
        for each, member in members.items()
    }
    state = (rest, slots), {each: found for each, found in own.items() if found}
    arguments = make, data, made_of, bases, name, qualname, others
    return enum_of, arguments, state, None, None, with_members


def _is_of_enum(key: str) -> bool:
    return key.startswith("_") and key.endswith("_")


def _made_of(data: type, member: Enum) -> Member:
    value = member._value_
    if data is object:
        return (), {}, value
    # Not by the way of Enum, which is the value alone.
    reduced: Any = object.__reduce_ex__(member, 2)
    make, arguments, *states = reduced
    state = states[0] if states else None
    slots = state[1] if isinstance(state, tuple) and len(state) == 2 else None
    if make is _NEW:
        return arguments[1:], slots or {}, value
    return (arguments if make is type(member) else (value,)), slots or {}, value


def enum_of(
    make: Callable[..., Any],
    data: type,
    members: dict[str, Member],
    bases: tuple[type, ...],
    name: str,
    qualname: str,
    others: list[Any],
) -> Any:
    """Return an ``Enum`` whose members have their data and their values, and no more yet."""
    following = iter(members.values())

    def new(kind: type, *_: Any) -> Any:
        arguments, slots, value = next(following)
        member: Any = data.__new__(kind, *arguments)
        for slot, held in slots.items():
            object.__setattr__(member, slot, held)
        member._value_ = value
        return member

    def init(*_: Any) -> None:
        """Set nothing: that of the data wants its own arguments, and has set all already."""

    # A member of any value: a function would be taken for a method.
    names = dict.fromkeys(members, 0)
    found = make(bases, name, qualname, {"__new__": new, "__init__": init, **names}, *others)
    for each, temporary in {"__init__": init, "__new_member__": new, "_new_member_": new}.items():
        if vars(found).get(each) is temporary:
            type.__delattr__(found, each)
    return found


def with_members(kind: type[Enum], state: tuple[Any, dict[str, dict[str, Any]]]) -> Any:
    """Give an ``Enum`` its methods, and its members what they have."""
    made = _with_state(kind, state[0])
    for name, own in state[1].items():
        vars(made[name]).update(own)
    return made
