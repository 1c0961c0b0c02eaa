"""Plugin of the deduplication operators, named by the entry point."""

from __future__ import annotations

from millstream.plugins.markers import hookimpl
from millstream.plugins.operators import StreamOperator


@hookimpl
def millstream_register_operators() -> list[type[StreamOperator]]:
    """Offer them."""
    # Every process loads every entry point, and few need the whole DSL.
    from millstream.topology.deduplication.distinct import Distinct
    from millstream.topology.deduplication.operators import (
        DeduplicateAll,
        DeduplicateByKey,
        DeduplicateByKeyValue,
    )

    return [DeduplicateByKey, DeduplicateByKeyValue, DeduplicateAll, Distinct]
