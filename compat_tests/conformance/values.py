"""How a scenario writes values, keys and errors down."""

from __future__ import annotations

from typing import Any

from compat_tests.conformance.api import causes, public
from compat_tests.conformance.hostile import HEADER, BuilderSerde, chosen, hostile, unboxed

# What Java's own run-time errors are called where Python has the same idea.
PYTHON_ERRORS = {
    "NullPointerException": "TypeError",
    "ClassCastException": "TypeError",
    "IllegalArgumentException": "ValueError",
    "IllegalStateException": "RuntimeError",
    "UnsupportedOperationException": "NotImplementedError",
    "NoSuchElementException": "LookupError",
}


def text(value: Any) -> str:
    """The `str(x)` of the scenario format."""
    value = unboxed(value)
    if value is None:
        return "null"
    if isinstance(value, str | int):
        return str(value)
    if hasattr(value, "window"):
        window = value.window()
        return f"{text(value.key())}@{window.start()}/{window.end()}"
    if hasattr(value, "validTo"):
        until = value.validTo()
        end = "" if until is None else f"..{until}"
        return f"{text(value.value())}~{value.timestamp()}{end}"
    if hasattr(value, "timestamp"):
        return f"{text(value.value())}~{value.timestamp()}{_headers_of(value)}"
    if hasattr(value, "aggregation"):
        return text(value.aggregation()) + _headers_of(value)
    return str(value)


def _headers_of(value: Any) -> str:
    found = seen(value.headers()) if hasattr(value, "headers") else ()
    shown = [h.key() + ("" if h.value() is None else f"={h.value().decode()}") for h in found]
    return f"~{';'.join(shown)}" if shown else ""


def seen(headers: Any) -> list[Any]:
    """The headers but for those that hostile serializers have added."""
    return [header for header in headers if header.key() != HEADER]


def parsed_headers(word: str) -> Any:
    """The headers of a store command: `name=value;name`, a name alone for a value of null."""
    headers = public("Headers")()
    for part in word.split(";") if word else ():
        name, found, value = part.partition("=")
        headers.add(name, value.encode() if found else None)
    return headers


def serde(name: str | None) -> Any:
    """The serde of a type name, for a topology; None for none."""
    if name is None:
        return None
    kind, *parts = name.split(":")
    if kind in ("string", "long"):
        return chosen(kind)
    if kind == "builder":
        return BuilderSerde()
    if kind == "tw":
        return public("WindowedSerdes.TimeWindowedSerde")(serde(parts[0]), int(parts[1]))
    if kind == "sw":
        return public("WindowedSerdes.SessionWindowedSerde")(serde(parts[0]))
    raise ValueError(f"unknown type {name}")


def polite(name: str) -> Any:
    """The stock serde of a type name, for what is put into topics and read from them."""
    with hostile(None):
        return serde(name)


def serializer(name: str | None) -> Any:
    return None if name is None else serde(name).serializer()


def deserializer(name: str | None) -> Any:
    return None if name is None else serde(name).deserializer()


def error_record(error: BaseException) -> dict[str, Any]:
    """What is kept of a failure: its class, what that class also is, and the root cause's."""
    root = causes(error)[-1]
    record: dict[str, Any] = {"error": type(error).__name__}
    record["is"] = [kind.__name__ for kind in type(error).__mro__]
    if root is not error:
        record["cause"] = type(root).__name__
    record["message"] = str(error)
    return record


def is_error(expected: str, record: dict[str, Any]) -> bool:
    """Whether a recorded failure is what Java calls `expected`, or a kind of it."""
    names = record.get("is", [record.get("error")])
    return expected in names or PYTHON_ERRORS.get(expected) in names


def java_name(error: Exception) -> str:
    """The simple name of the Java error that `error` stands for."""
    kinds = [kind.__name__ for kind in type(error).__mro__]
    if "MillstreamError" in kinds:
        return kinds[0]
    return next((java for java, python in PYTHON_ERRORS.items() if python in kinds), kinds[0])
