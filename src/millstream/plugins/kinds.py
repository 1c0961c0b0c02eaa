"""The kinds of things that plugins offer by name."""

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
class Kind(Generic[T]):
    """One kind: what messages call it, and the hook that collects it."""

    noun: str
    hook: str


STORES: Kind[type[ByteStore]] = Kind("store", "millstream_register_stores")
BUFFERS: Kind[type[SuppressionBuffer]] = Kind("suppression buffer", "millstream_register_buffers")
OPERATORS: Kind[type[StreamOperator]] = Kind("operator", "millstream_register_operators")
SERDES: Kind[type[Serde[Any]]] = Kind("serde", "millstream_register_serdes")
CONNECTORS: Kind[type[Connector]] = Kind("connector", "millstream_register_connectors")
ASSIGNORS: Kind[type[TaskAssignor]] = Kind("task assignor", "millstream_register_assignors")
OBSERVERS: Kind[type[Observer]] = Kind("observer", "millstream_register_observers")

KINDS: tuple[Kind[Any], ...] = (
    STORES,
    BUFFERS,
    OPERATORS,
    SERDES,
    CONNECTORS,
    ASSIGNORS,
    OBSERVERS,
)
