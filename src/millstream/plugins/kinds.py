"""Kinds of plugin offers: stores, buffers, operators, serdes and others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from millstream.core.buffers import SuppressionBuffer
from millstream.core.serdes import Serde
from millstream.core.store import ByteStore
from millstream.plugins.connectors import Connector
from millstream.plugins.observers import Observer
from millstream.plugins.operators import StreamOperator

if TYPE_CHECKING:
    from millstream.core.assignment import TaskAssignor

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PluginKind(Generic[T]):
    """A kind of offer: its noun for messages, its hook, and the class that offers derive from."""

    noun: str
    hook: str
    base: type[Any] | None = None
    """None: what is offered need not be derived from anything."""
    later: frozenset[str] = frozenset()
    """Methods that came later: a class that is derived from nothing need not have them."""


STORES: PluginKind[type[ByteStore]] = PluginKind(
    "store", "millstream_register_stores", ByteStore, frozenset({"rest"})
)
BUFFERS: PluginKind[type[SuppressionBuffer]] = PluginKind(
    "suppression buffer", "millstream_register_buffers", SuppressionBuffer
)
OPERATORS: PluginKind[type[StreamOperator]] = PluginKind(
    "operator", "millstream_register_operators", StreamOperator
)
SERDES: PluginKind[type[Serde[Any]]] = PluginKind("serde", "millstream_register_serdes")
CONNECTORS: PluginKind[type[Connector]] = PluginKind(
    "connector", "millstream_register_connectors", Connector
)
ASSIGNORS: PluginKind[type[TaskAssignor]] = PluginKind(
    "task assignor", "millstream_register_assignors"
)
OBSERVERS: PluginKind[type[Observer]] = PluginKind(
    "observer", "millstream_register_observers", Observer
)

KINDS: tuple[PluginKind[Any], ...] = (
    STORES,
    BUFFERS,
    OPERATORS,
    SERDES,
    CONNECTORS,
    ASSIGNORS,
    OBSERVERS,
)
