"""How the calls that are compared with Kafka's are written down: JSON that Java and Python read."""

from __future__ import annotations

from typing import Any

Expression = Any
COMMON = "org.apache.kafka.common."


def call(form: str, *args: Expression, on: Expression = None) -> Expression:
    """Call ``owner#method(types)``; a constructor is called by the name ``<init>``."""
    made: dict[str, Expression] = {"call": form, "args": list(args)}
    return made if on is None else made | {"on": on}


def use(name: str) -> Expression:
    """The value of an earlier step, or of a variable of `variables`."""
    return {"use": name}


def ms(millis: int) -> Expression:
    """A duration."""
    return {"ms": millis}


def at(millis: int) -> Expression:
    """An instant."""
    return {"at": millis}


def gives(value: Expression, interface: str) -> Expression:
    """An object of an interface whose methods return the value."""
    return {"gives": value, "of": interface}


def constant(name: str) -> Expression:
    """A static field, or a value of an enum."""
    return {"field": name}


def serializer(kind: str) -> Expression:
    return call(f"{COMMON}serialization.{kind}Serializer#<init>()")


def deserializer(kind: str) -> Expression:
    return call(f"{COMMON}serialization.{kind}Deserializer#<init>()")


def serde(kind: str) -> Expression:
    return call(f"{COMMON}serialization.Serdes#{kind}()")


def names(node: Expression) -> set[str]:
    """Return the names that an expression uses."""
    if isinstance(node, dict):
        own = {node["use"]} if "use" in node else set()
        return own.union(*(names(each) for each in node.values()))
    if isinstance(node, list):
        return set().union(*(names(each) for each in node))
    return set()
