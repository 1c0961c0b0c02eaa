"""Which overload of Java's a call here is: by the number and the types of what was given."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from compat_tests.api.names import python_class
from compat_tests.api.surface import Form, kinds
from millstream.topology.dsl.functions import takes_key


def _is(*types: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, types)


def _number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _calls(method: str) -> Callable[[Any], bool]:
    return lambda value: callable(value) or callable(getattr(value, method, None))


def _with_key(values: int, wanted: bool) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        found = getattr(value, "apply", value)
        return callable(found) and takes_key(found, values) is wanted

    return check


def _serde(value: Any) -> bool:
    return hasattr(value, "serializer") and hasattr(value, "deserializer")


SIMPLE: dict[str, Callable[[Any], bool]] = {
    "String": _is(str),
    "Object": lambda value: True,
    "Class": lambda value: True,
    "boolean": _is(bool),
    "byte[]": _is(bytes, bytearray, memoryview),
    "Duration": lambda value: isinstance(value, timedelta) or _number(value),
    "Instant": lambda value: isinstance(value, datetime) or _number(value),
    "UUID": _is(UUID),
    "Map": _is(Mapping),
    "Properties": lambda value: isinstance(value, Mapping) or hasattr(value, "items"),
    "Set": _is(Iterable),
    "SortedSet": _is(Iterable),
    "List": _is(Iterable),
    "Collection": lambda value: isinstance(value, Iterable) and not isinstance(value, str),
    "Optional": lambda value: True,
    "OptionalInt": _number,
    "Pattern": lambda value: hasattr(value, "fullmatch"),
    "File": lambda value: True,
    "Bytes": _is(bytes),
    "Throwable": _is(BaseException),
    "Exception": _is(BaseException),
    "InvalidOffsetException": _is(BaseException),
    "Serde": _serde,
    "Serializer": _calls("serialize"),
    "Deserializer": _calls("deserialize"),
    "ValueMapper": _with_key(1, False),
    "ValueMapperWithKey": _with_key(1, True),
    "ValueJoiner": _with_key(2, False),
    "ValueJoinerWithKey": _with_key(2, True),
    "Function": lambda value: callable(value) and _arity(value) == 1,
    "BiFunction": lambda value: callable(value) and _arity(value) == 2,
    "Consumer": callable,
    "Time": lambda value: False,
}
SIMPLE |= dict.fromkeys(("int", "long", "Integer", "Long"), _number)
SIMPLE |= {name: _calls("get") for name in ("ProcessorSupplier", "FixedKeyProcessorSupplier")}


def _arity(function: Callable[..., Any]) -> int:
    try:
        return len(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return 1


def fits(form: Form, given: Sequence[Any]) -> bool:
    """Tell whether these arguments, in this order, are those of a form."""
    assert form.parameters is not None
    types = [kind for kind, _ in form.parameters]
    if types and types[-1].endswith("..."):
        rest = types.pop().removesuffix("...")
        types += [rest] * (len(given) - len(types))
    if len(types) != len(given):
        return False
    return all(
        value is None or accepts(kind, value) for kind, value in zip(types, given, strict=True)
    )


def accepts(kind: str, value: Any) -> bool:
    """Tell whether a value is of one of Java's types, by its short name."""
    if (check := SIMPLE.get(kind)) is not None:
        return check(value)
    names = [name for name in kinds() if name == kind or name.endswith(f".{kind}")]
    classes = [python_class(name) for name in names] or [python_class(kind)]
    if not any(isinstance(cls, type) for cls in classes):
        return True  # a type that is not of the public API
    if any(isinstance(cls, type) and cls in type(value).__mro__ for cls in classes):
        return True
    methods = [form.name for name in names for form in kinds()[name].forms if not form.static]
    interface = any(kinds()[name].kind == "interface" for name in names)
    duck = bool(methods) and all(hasattr(value, method) for method in methods[:1])
    return interface and (duck or (len(set(methods)) == 1 and callable(value)))
