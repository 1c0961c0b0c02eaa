"""The class or member of this package that has the name of one of Kafka Streams."""

from __future__ import annotations

import keyword
from functools import cache, reduce
from importlib import import_module
from typing import Any

PACKAGES = ("millstream", "millstream.testing", "millstream.serdes")
DUNDERS = {"equals": "__eq__", "hashCode": "__hash__", "toString": "__str__", "<init>": "__init__"}


@cache
def python_class(name: str) -> Any:
    """Return the class here for a Java class, or None; packages do not count."""
    parts = [part for part in name.split(".") if part[:1].isupper()]
    for package in PACKAGES if parts else ():
        try:
            return reduce(getattr, parts, import_module(package))
        except AttributeError:
            continue
    return None


def python_name(name: str) -> str:
    """Return what a method is called here: reserved words have a line below after them."""
    return DUNDERS.get(name, f"{name}_" if keyword.iskeyword(name) else name)


def has_member(owner: Any, name: str) -> bool:
    """Tell whether a class has a method, a constant or an attribute of that name."""
    made = getattr(getattr(owner, "__init__", None), "__code__", None)
    own = (
        getattr(owner, "__dataclass_fields__", {}),
        getattr(owner, "__annotations__", {}),
        made.co_names if made is not None else (),
    )
    return hasattr(owner, name) or any(name in names for names in own)
