"""Wall-clock ticks: one row per batch for every task, also without records."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

from millstream.topology.spark.compile import Layout
from millstream.topology.spark.wire import TICK
from millstream.topology.spark.worker.pack import PACKED_ARROW

TICK_SOURCE = "rate-micro-batch"


def ticker(layout: Layout) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return the function that Spark maps over the rows of the tick source."""
    places = [(stage.index, task) for stage in layout.stages for task in range(stage.tasks)]
    rows = [
        {"key": layout.keys[task], "stage": stage, "kind": TICK, "partition": task, "seq": 0}
        for stage, task in places
    ]

    def tick(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows:
                yield pa.RecordBatch.from_pylist(rows, schema=PACKED_ARROW)

    return tick
