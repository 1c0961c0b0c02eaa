"""Metrics of ``suppress``, recorded around the calls that they measure."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from millstream.core.chunk import Chunk
from millstream.core.durations import LONG_MAX
from millstream.core.record_context import RecordContext
from millstream.topology.operators.operator import AnyRecord
from millstream.topology.operators.suppression_store import (
    Encoded,
    Evicted,
    EvictedColumns,
    SuppressionStore,
)

if TYPE_CHECKING:
    from millstream.core.engine.context import NodeContext
    from millstream.topology.operators.suppress import SuppressTable


def measure_suppression(
    operator: SuppressTable, context: NodeContext, store: SuppressionStore
) -> None:
    """Measure an operator and its store.

    Always: by how much updates were overdue when they were forwarded. At level DEBUG: updates that
    are forwarded, that a later update of their key replaces, and that are forwarded early.
    """
    measures, node = context.measures, context.node_name
    families = ("suppression-emit", "kip-emit", "kip-suppressed", "kip-evicted", "kip-overtime")
    emitted, emitted_kip, suppressed, evicted_early, overtime = (
        measures.node_sensor(family, node) for family in families
    )
    forward, forward_chunk = operator.forward, context.forward_chunk
    put, evict, evict_columns = store.put, store.evict, store.evict_columns

    def count_forward(record: AnyRecord) -> None:
        forward(record)
        for sensor in (emitted, emitted_kip):
            sensor.record()

    def count_forward_chunk(chunk: Chunk) -> None:
        forward_chunk(chunk)
        for sensor in (emitted, emitted_kip):
            sensor.record_many(len(chunk), len(chunk), 1, 1)

    def count_put(time: int, update: Encoded, context: RecordContext) -> None:
        before = store.count()
        put(time, update, context)
        if before == store.count():
            suppressed.record()
        store.record_size()

    def count_evict(until: int) -> Generator[Evicted, None, None]:
        count = 0
        try:
            for update in evict(until):
                count += 1
                yield update
        finally:
            if count:
                store.record_size()
                if until == LONG_MAX:
                    evicted_early.record_many(count, count, 1, 1)

    def size_after_columns(until: int, most: int) -> Generator[EvictedColumns, None, None]:
        count = 0
        try:
            for columns in evict_columns(until, most):
                count += len(columns[0])
                yield columns
        finally:
            if count:
                store.record_size()

    store.overtime = overtime
    if measures.debug:
        owner: Any = operator
        owner.forward = count_forward
        owner.context.forward_chunk = count_forward_chunk
        owner = store
        owner.put, owner.evict = count_put, count_evict
        owner.evict_columns = size_after_columns
