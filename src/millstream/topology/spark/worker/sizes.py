"""Sizes and times of whole columns of records, for metrics."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from millstream.core.metrics.measured import NULL_BYTES, Measured, measured_column


def consumed(topic: str, columns: Mapping[str, pa.Array]) -> Measured | None:
    """Return the measures of records that a source has received; None if there are none."""
    keys, values = columns["keys"], columns["values"]
    return _measured(topic, columns, (keys.null_count + values.null_count) * NULL_BYTES)


def produced(topic: str, columns: Mapping[str, pa.Array]) -> Measured | None:
    """Return the measures of records that were sent; None if there are none."""
    return _measured(topic, columns, 0)


def _measured(topic: str, columns: Mapping[str, pa.Array], extra_bytes: int) -> Measured | None:
    times = columns["timestamps"].to_numpy()
    if not len(times):
        return None
    content = sum(_bytes(columns[name]) for name in ("keys", "values"))
    if "headers" in columns:
        content += sum(map(_bytes, columns["headers"].flatten().flatten()))
    spread = len(times), int(times.min()), int(times.max()), int(times.sum())
    return measured_column(topic, content, spread, extra_bytes)


def _bytes(column: pa.Array) -> int:
    # By name: pyarrow creates these functions at import, so type checkers do not know them.
    lengths = pc.call_function("binary_length", [column])
    return pc.call_function("sum", [lengths]).as_py() or 0
