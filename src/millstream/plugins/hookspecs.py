"""Hook specifications for plugins.

The ``millstream_register_`` hooks are called once per process. Spark's workers import the returned
classes by their paths: do not define a class inside a function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from millstream.core.buffers import SuppressionBuffer
from millstream.core.serdes import Serde
from millstream.core.state import StoreKinds
from millstream.core.store import ByteStore
from millstream.plugins.connectors import Connector
from millstream.plugins.markers import hookspec
from millstream.plugins.observers import Observer
from millstream.plugins.operators import StreamOperator

if TYPE_CHECKING:
    from millstream.core.assignment import TaskAssignor


@hookspec
def millstream_register_stores() -> list[type[ByteStore]]:  # type: ignore[empty-body]
    """Offer byte stores, which ``default.dsl.store`` chooses by name.

    Returns:
        Concrete classes with distinct names.
    """


@hookspec(firstresult=True)
def millstream_store_kinds() -> StoreKinds | None:
    """Offer Kafka's kinds of stores over byte stores; the last plugin with a result wins.

    millstream has its own; implement this hook to wrap or replace all stores of the DSL.
    """


@hookspec
def millstream_register_buffers() -> list[type[SuppressionBuffer]]:  # type: ignore[empty-body]
    """Offer suppression buffers, which ``BufferConfig.withBuffer`` chooses by name.

    Returns:
        Concrete classes with distinct names.
    """


@hookspec
def millstream_register_operators() -> list[type[StreamOperator]]:  # type: ignore[empty-body]
    """Offer operators, which become methods of ``KStream`` or ``KTable`` by their names.

    Returns:
        Concrete classes with distinct names.
    """


@hookspec
def millstream_register_serdes() -> dict[str, type[Serde[Any]]]:  # type: ignore[empty-body]
    """Offer serdes, which ``default.key.serde`` and the like choose by name.

    Returns:
        Classes that can be created without arguments, by name; ``configure`` is called then.
    """


@hookspec
def millstream_register_connectors() -> list[type[Connector]]:  # type: ignore[empty-body]
    """Offer connectors, which ``millstream.testing.replay`` chooses by name.

    Returns:
        Concrete classes with distinct names.
    """


@hookspec
def millstream_register_assignors() -> list[type[TaskAssignor]]:  # type: ignore[empty-body]
    """Offer task assignors, which ``task.assignor.class`` chooses by name.

    Returns:
        Concrete classes with distinct names that can be created without arguments.
    """


@hookspec
def millstream_register_observers() -> list[type[Observer]]:  # type: ignore[empty-body]
    """Offer observers, which ``millstream.observer.names`` chooses by name.

    Returns:
        Concrete classes with distinct names.
    """
