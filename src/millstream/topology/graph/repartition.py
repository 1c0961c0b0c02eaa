"""Names and nodes of repartition topics."""

from __future__ import annotations

import re
from typing import Any

from millstream.topology.graph.internal_topics import Repartition
from millstream.topology.graph.names import Names

SUFFIX = "-repartition"
_GENERATED = re.compile(r"KSTREAM.*-[0-9]{10}")


def repartition_node(
    names: Names, prefix: str, *, key_serde: Any, value_serde: Any, **options: Any
) -> Repartition:
    """Return a node for a repartition topic whose name begins with ``prefix``.

    Takes the numbers of its three nodes whether it uses them or not: only a generated prefix gets
    generated names.
    """
    topic = prefix if prefix.endswith(SUFFIX) else prefix + SUFFIX
    sink, null_filter, source = (
        names.operator(kind) for kind in ("KSTREAM-SINK-", "KSTREAM-FILTER-", "KSTREAM-SOURCE-")
    )
    if not _GENERATED.fullmatch(prefix):
        sink, null_filter, source = f"{topic}-sink", f"{topic}-filter", f"{topic}-source"
    return Repartition(
        name=source,
        topic=topic,
        sink_name=sink,
        filter_name=null_filter,
        key_serde=key_serde,
        value_serde=value_serde,
        **options,
    )
