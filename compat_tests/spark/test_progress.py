"""Progress of Spark's query as metrics."""

from __future__ import annotations

from millstream.topology.spark.progress import progress_metrics


def test_progress_becomes_metrics() -> None:
    progress = {
        "batchId": 4,
        "numInputRows": 10,
        "processedRowsPerSecond": 20.0,
        "durationMs": {"triggerExecution": 500},
        "sources": [
            {"endOffset": {"t": {"0": 7, "1": 2}}, "latestOffset": {"t": {"0": 10, "1": 2}}},
            {"endOffset": 3, "latestOffset": 3},
        ],
    }
    found = {n.name(): m.metricValue() for n, m in progress_metrics("app", progress).items()}

    assert found == {
        "records": 10.0,
        "process-rate": 20.0,
        "batch-time-ms": 500.0,
        "batch-id": 4.0,
        "records-lag": 3.0,
    }
    assert progress_metrics("app", None) == {}
