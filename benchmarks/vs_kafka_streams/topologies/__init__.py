"""What each workload does with its input topics, in Python; the same in Java is in `java`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from benchmarks.vs_kafka_streams.topologies import aggregations, joins, record_by_record
from millstream import StreamsBuilder, Topology

BUILDERS: Mapping[str, Callable[[StreamsBuilder, Sequence[str], str], None]] = {
    **record_by_record.BUILDERS,
    **aggregations.BUILDERS,
    **joins.BUILDERS,
}


def build(workload: str, sources: Sequence[str], output: str) -> Topology:
    """Return the topology of one workload."""
    builder = StreamsBuilder()
    BUILDERS[workload](builder, sources, output)
    return builder.build()
