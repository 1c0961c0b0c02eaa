"""Results of calls on classes that are not Kafka's: collections, streams, optionals."""

from __future__ import annotations

from millstream.porting.checking.typed import OTHER, Typed, element

# What gives one of the elements, and what another holder of the same elements.
ELEMENTS = (
    "get", "getOrDefault", "next", "orElse", "orElseGet", "orElseThrow", "remove", "poll", "first",
    "last", "getFirst", "getLast", "elementAt", "removeFirst", "take",
)  # fmt: skip
KEEPING = (
    "stream", "filter", "peek", "iterator", "values", "findFirst", "findAny", "sorted", "limit",
    "skip", "distinct", "reversed", "subList", "asSequence",
)  # fmt: skip
JAVA_LANG = (
    "String", "Integer", "Long", "Double", "Float", "Short", "Byte", "Character", "Boolean", "Math",
    "System", "Thread", "Runtime", "Object", "Class", "StringBuilder", "Enum", "Void", "Number",
    "Iterable", "Record", "ProcessHandle", "Exception", "RuntimeException",
)  # fmt: skip


def of_other(receiver: Typed, method: str) -> Typed | None:
    """Return what a call gives; None where a class that was not read may give anything."""
    if _elsewhere(receiver, method):
        return None
    if method in KEEPING:
        return receiver
    return element(receiver) if method in ELEMENTS else OTHER


def _elsewhere(receiver: Typed, method: str) -> bool:
    if receiver.name.startswith(("java.", "javax.", "kotlin.", "[]")):
        return False
    if "." not in receiver.name:
        return receiver.static and receiver.name not in JAVA_LANG
    return not method.startswith(("get", "is", "set", "to", "new", "build"))
