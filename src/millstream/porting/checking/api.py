"""The classes of Kafka Streams, their members and what these return."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
STREAMS = "org.apache.kafka.streams."
KAFKA = ("org.apache.kafka.", "io.confluent.kafka.")
OBJECT = ("equals", "hashCode", "toString", "getClass", "wait", "notify", "notifyAll")
KOTLIN = ("apply", "let", "also", "run", "use", "takeIf", "takeUnless", "to")


@cache
def classes() -> dict[str, dict[str, Any]]:
    """Return all known classes by full name: their ``methods``, ``fields`` and ``extends``."""
    return {
        **json.loads((HERE / "clients.json").read_text(encoding="utf-8")),
        **json.loads((HERE / "api.json").read_text(encoding="utf-8")),
    }


@cache
def method_names() -> frozenset[str]:
    """Return the names of all methods of Kafka Streams itself, without those of Object."""
    known = (facts for name, facts in classes().items() if name.startswith(STREAMS))
    return frozenset(name for facts in known for name in facts["methods"]) - set(OBJECT)


@cache
def owners(method: str) -> tuple[str, ...]:
    """Return the classes of Kafka Streams that declare a method of this name."""
    return tuple(
        name
        for name, facts in classes().items()
        if name.startswith(STREAMS) and method in facts["methods"]
    )


def is_kafka(name: str) -> bool:
    """Tell whether a full name is of Kafka or of Confluent's serdes."""
    return name.startswith(KAFKA)


def ancestors(name: str) -> Iterator[str]:
    """Yield a class and those it extends, nearest first."""
    yield name
    for parent in classes().get(name, {}).get("extends", ()):
        yield from ancestors(parent)


def declaring(owner: str, member: str) -> str | None:
    """Return the class that declares a method or a field which `owner` has."""
    for name in ancestors(owner):
        facts = classes().get(name, {"methods": {}, "fields": {}})
        if member in facts["methods"] or member in facts["fields"]:
            return name
    return None


def returns(owner: str, method: str, hint: str = "") -> str | None:
    """Return the full name of what a method gives: "" if not Kafka's, None if that is not known.

    Args:
        owner: The full name of the class.
        method: The method, or a field.
        hint: Of several forms, the one that gives a class beginning like this.
    """
    holder = declaring(owner, method)
    if holder is None:
        return None
    facts = classes()[holder]
    given: list[str] = facts["methods"].get(method) or [facts["fields"].get(method, "?")]
    alike = [name for name in given if name.rpartition(".")[2].startswith(hint)]
    name = (alike or given)[0]
    return None if name == "?" else name
