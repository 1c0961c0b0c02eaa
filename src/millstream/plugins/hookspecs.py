"""What a plugin may implement."""

from __future__ import annotations

from millstream.core.state import StoreKinds
from millstream.core.store import ByteStore
from millstream.plugins.markers import hookspec


@hookspec
def millstream_register_stores() -> list[type[ByteStore]]:  # type: ignore[empty-body]
    """Offer byte stores.

    Called once per process, when the first topology is built. The classes travel to Spark's workers
    by import path, so they must be importable there: no class made inside a function.

    Returns:
        Concrete classes with distinct names.
    """


@hookspec(firstresult=True)
def millstream_store_kinds() -> StoreKinds | None:
    """Offer Kafka's kinds of stores over byte stores; the last plugin that answers wins.

    millstream brings its own; another one is for wrapping or replacing all stores of the DSL.
    """
