"""Facts about one program, old or new: nodes, edges, stores, partitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from millstream.topology.spark.checkpoint.store_notes import StoreNote


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFacts:
    """A node of a described topology."""

    name: str
    kind: str
    """``source``, ``processor`` or ``sink``."""
    subtopology: int
    topics: tuple[str, ...] = ()
    """Topics of a source or a sink, as described; a source's pattern as one text."""
    pattern: bool = False
    stores: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    children: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFacts:
    """A store of a program."""

    name: str
    subtopology: int | None
    """None for a global store."""
    note: StoreNote | None = None
    """None if the checkpoint has none, as those of the first versions."""
    partitions: int | None = None
    """Partitions of the topics that it is filled from; None if that is not known."""
    users: tuple[str, ...] = ()
    """The processors connected to it."""
    topics: Mapping[str, int] = field(default_factory=dict)
    """Topic that it is filled from, within its sub-topology -> its partitions; empty if they are
    not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A program, as far as a comparison needs it."""

    application_id: str
    nodes: Mapping[str, NodeFacts] = field(default_factory=dict)
    stores: Mapping[str, StoreFacts] = field(default_factory=dict)
    tasks: Mapping[int, int] = field(default_factory=dict)
    """Sub-topology -> number of tasks."""
    topics: Mapping[str, list[str]] = field(default_factory=dict)
    """Source node with a pattern -> the topics that matched."""
    store_format: str = "DEFAULT"
    """``dsl.store.format``."""
    partitions: Mapping[str, int] = field(default_factory=dict)
    """Topic, as described -> its number of partitions, as far as that is known."""
    words: frozenset[str] = frozenset()
    """Words for stores that have had their effect on this state: see ``words.py``."""
    every_word: bool = False
    """Whether all others are new: they have an effect though the program is the same."""
