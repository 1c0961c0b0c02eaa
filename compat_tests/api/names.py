"""What a class or a method of Kafka Streams is called here."""

from __future__ import annotations

import keyword
from functools import cache, reduce
from typing import Any

import millstream
import millstream.testing
from compat_tests.api.surface import Form

HOME = "org.apache.kafka.streams."
DUNDER = {"equals": "__eq__", "hashCode": "__hash__", "toString": "__str__"}
# Java's own classes, as arguments of calls.
JAVA = {
    "java.lang.String": str,
    "java.lang.Long": int,
    "java.lang.Integer": int,
    "java.lang.Object": object,
}


@cache
def python_class(name: str) -> Any:
    """Return our class for a Java class, or None; packages do not count, enclosing classes do."""
    if name in JAVA:
        return JAVA[name]
    parts = [part for part in name.removeprefix(HOME).split(".") if part[:1].isupper()]
    for package in (millstream, millstream.testing):
        try:
            return reduce(getattr, parts, package)
        except AttributeError:
            continue
    return None


def python_name(name: str) -> str:
    """Return our name of a method: Python's where Java's is a reserved word or a part of Object."""
    if name == "<init>":
        return "__init__"
    return DUNDER.get(name, name + "_" if keyword.iskeyword(name) else name)


def counterpart(form: Form) -> bool:
    """Tell whether there is something here by the form's name."""
    owner = python_class(form.owner)
    if owner is None:
        return False
    name = python_name(form.name)
    made = getattr(owner.__init__, "__code__", None)
    own = (
        getattr(owner, "__dataclass_fields__", {}),
        getattr(owner, "__annotations__", {}),
        made.co_names if made is not None else (),
    )
    return hasattr(owner, name) or any(name in names for names in own)
