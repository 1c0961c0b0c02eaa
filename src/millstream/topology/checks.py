"""Checks of a topology; each error names the node, topic or store."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from millstream.core.errors import (
    ClassCastException,
    NullPointerException,
    TopologyException,
)
from millstream.core.plan import GlobalStore, Node, SinkNode, SourceNode, StoreNode
from millstream.core.serdes import Deserializer, Serializer
from millstream.core.serdes.halves import check_half
from millstream.core.wording import a_kind, plain_text

T = TypeVar("T")


def not_none(value: T | None, name: str) -> T:
    """Return ``value``; None is an error that names the parameter."""
    if value is None:
        raise NullPointerException(f"{name} can't be null")
    return value


def checked_name(value: Any, what: str, hint: str = "Give it as text.") -> str:
    """Return the name of a node, store or topic as a plain text.

    Raises:
        NullPointerException: It is None.
        ClassCastException: It is no text.
    """
    if not isinstance(not_none(value, what), str):
        raise ClassCastException(f"{what} cannot be {a_kind(value)}", hint=hint)
    return plain_text(value)


def not_the_other_half(value: object, method: str) -> None:
    """Refuse a serde, or the other half of one, where an object with ``method`` belongs.

    Its method must take what it will be called with.
    """
    if isinstance(value, str | type):
        return
    if callable(getattr(value, method, None)):
        check_half(value, method)
        return
    shown = type(value).__name__
    if callable(getattr(value, f"{method}r", None)):
        raise ClassCastException(
            f"a {shown} is no {method}r", hint=f"Give the serde's .{method}r()."
        )
    if isinstance(value, Serializer | Deserializer):
        raise ClassCastException(
            f"a {shown} is no {method}r", hint=f"Give an object with a method {method}()."
        )


def checked_store_builder(builder: Any) -> Any:
    """Return a store's builder; refuse what is none, such as a supplier of ``Stores``."""
    not_none(builder, "storeBuilder")
    if not callable(getattr(builder, "build", None)):
        raise ClassCastException(
            f"storeBuilder cannot be {a_kind(builder)}",
            hint="Write Stores.keyValueStoreBuilder(supplier, keySerde, valueSerde), "
            "or the like for windows and sessions.",
        )
    return builder


def unused_name(name: str, nodes: Iterable[str]) -> None:
    """Refuse a node name that is taken."""
    if name in nodes:
        raise TopologyException(
            f"Processor {name} is already added.",
            hint="Give each source, processor and sink its own name.",
        )


def check_parents(
    kind: str, name: str, parents: Iterable[str], nodes: Mapping[str, Node]
) -> tuple[str, ...]:
    """Return the parents as a tuple: at least one, each there already, none a sink."""
    names = tuple(
        checked_name(parent, "parent name", "Give the parents' names one by one, not as a list.")
        for parent in not_none(parents, "parentNames")
    )
    if not names:
        raise TopologyException(
            "predecessorNames cannot be empty",
            detail=f'The {kind} "{name}" has no parent.',
            hint="Name at least one source or processor above it.",
        )
    for parent in names:
        if parent == name:
            raise TopologyException(
                f"Parent node {name} is unknown (self-reference).",
                detail="A topology has no cycles.",
            )
        if parent not in nodes:
            raise TopologyException(
                f"Parent node {parent} is unknown.",
                detail=f'It is to be above the {kind} "{name}". '
                f"Nodes so far: {', '.join(nodes) or 'none'}.",
                hint="Add parents before their children; a topology has no cycles.",
            )
        if isinstance(nodes[parent], SinkNode):
            raise TopologyException(
                f"Sink {parent} cannot be used a parent.",
                detail=f'The {kind} "{name}" names it.',
                hint="Read the sink's topic with a source instead.",
            )
    return names


def check_not_global(
    kind: str, name: str, parents: Iterable[str], stores: Mapping[str, GlobalStore]
) -> None:
    """Refuse a node below one that fills a global store: no task would have it."""
    for parent in parents:
        for store, filled in stores.items():
            if parent in (filled.source.name, filled.processor.name):
                raise TopologyException(
                    f"Parent node {parent} fills the global store {store}, and has no other child.",
                    detail=f'The {kind} "{name}" would get nothing.',
                    hint="Read the store from the processor instead; for each record of a topic, "
                    "read a topic that is not a global store's.",
                )


def check_one_source_topic(store: StoreNode, topic: str) -> None:
    """Refuse a store that two topics would fill."""
    if store.source_topic is not None:
        raise TopologyException(
            f"Source store {store.name} is already added.",
            detail=f"It is filled from {store.source_topic}, and would be from {topic} as well.",
            hint="Give each store its own name.",
        )


def check_unclaimed(
    name: str,
    topics: tuple[str, ...],
    pattern: re.Pattern[str] | None,
    sources: Iterable[SourceNode],
) -> None:
    """Refuse a topic that two sources would read, or one source twice."""
    for index, topic in enumerate(topics):
        if topic in topics[:index]:
            raise _claimed(f"Topic {topic} has already been registered", name, name)
    for other in sources:
        for topic in topics:
            if topic in other.topics:
                raise _claimed(f"Topic {topic} has already been registered", name, other.name)
            if other.reads(topic):
                problem = f"Topic {topic} matches a Pattern already registered"
                raise _claimed(problem, name, other.name)
        if pattern is not None:
            if any(pattern.fullmatch(topic) for topic in other.topics):
                problem = (
                    f"Pattern {pattern.pattern} will match a topic that has already been registered"
                )
                raise _claimed(problem, name, other.name)
            if other.pattern is not None and other.pattern.pattern == pattern.pattern:
                problem = f"Pattern {pattern.pattern} has already been registered"
                raise _claimed(problem, name, other.name)


def _claimed(problem: str, name: str, other: str) -> TopologyException:
    twice = f'The source "{name}" names it twice.'
    return TopologyException(
        f"{problem} by another source.",
        detail=twice if name == other else f'The source "{other}" reads it; "{name}" cannot.',
        hint="Read a topic once and give its source several children.",
    )
