"""Durations of Spark's batches."""

from __future__ import annotations

from millstream import KafkaStreams


def batch_ms(streams: KafkaStreams) -> float | None:
    """Milliseconds of the newest batch; None before the first has ended."""
    for name, metric in streams.metrics().items():
        if name.name() == "batch-time-ms":
            return float(metric.metricValue())
    return None
