"""This library's serializers and deserializers, called with headers that they do not need.

In Kafka every one has both forms, so that a serializer around another one passes the headers on
without asking whether the inner one wants them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from types import FunctionType, MethodType
from typing import Any

_OWN = "_without_headers"
"""Where the method that leaves headers out keeps the one that it calls."""
_WITH_HEADERS = 3
_OURS = __name__.partition(".")[0] + "."


def accept_headers(class_: type, method: str) -> None:
    """Let ``method`` of one of this library's classes take topic, headers and data, too.

    A user's class keeps the form that it was written in.
    """
    own = vars(class_).get(method)
    if not class_.__module__.startswith(_OURS) or not isinstance(own, FunctionType):
        return
    parameters = list(inspect.signature(own).parameters.values())[1:]
    if [each.name for each in parameters] != ["topic", "data"]:
        return

    @wraps(own)
    def either(self: Any, *given: Any, **named: Any) -> Any:
        if len(given) == _WITH_HEADERS:
            given = given[0], given[2]
        return own(self, *given, **named)

    setattr(either, _OWN, own)
    setattr(class_, method, either)


def without_headers(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method that takes topic and data alone: what is called for each record."""
    bound: Any = method
    own = getattr(method, _OWN, None)
    return method if own is None else MethodType(own, bound.__self__)
