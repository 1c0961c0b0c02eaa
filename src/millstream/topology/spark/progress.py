"""Spark's progress report of a batch, as metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millstream.core.metrics import Metric, MetricName, Metrics

GROUP = "stream-metrics"
HISTORY = "millstream-history"
"""Name of the source of a run over history."""
SEGMENT_BYTES = "millstreamSegmentBytes"
"""Among the measurements of an operator: the bytes of its segments that are files."""
_CHUNK_SOURCE = "PythonMicroBatchStream"
"""Part of Spark's description of that source, the only one in Python."""
_GONE = "millstreamGone"
_RECORDS, _READ_MS = "millstreamRecords", "millstreamReadMs"
"""What the source that makes chunks in the JVM measures; in ChunkStream.java."""


def progress_metrics(
    application_id: str, progress: Mapping[str, Any] | None
) -> dict[MetricName, Metric]:
    """Return the metrics of the last batch; none before the first has ended.

    ``records``: read in the batch; ``process-rate``: records a second; ``batch-time-ms``;
    ``batch-id``; ``records-lag``: records on the source topics not read yet, where
    it is known; after a batch that has written state, ``state-size-bytes``: the stores' files in
    the checkpoint.
    """
    metrics = Metrics()
    if progress is not None:
        tags = (("client-id", application_id),)
        values = {
            "records": progress.get("numInputRows") or 0,
            "process-rate": progress.get("processedRowsPerSecond") or 0.0,
            "batch-time-ms": (progress.get("durationMs") or {}).get("triggerExecution", 0),
            "batch-id": progress.get("batchId", -1),
        }
        if (lag := lag_of(progress)) is not None:
            values["records-lag"] = lag
        operators = progress.get("stateOperators") or ()
        if operators:
            values["state-size-bytes"] = sum(map(state_size, operators))
        for name, value in values.items():
            metrics.gauge(MetricName(name, GROUP, tags), float(value))
    return metrics.asMap()


def with_records(progress: dict[str, Any]) -> dict[str, Any]:
    """Return a progress report that counts records where Spark counts their chunks.

    What makes chunks in the JVM counts their records. Those of a run over history are counted by
    offsets.
    """
    sources = progress.get("sources") or ()
    chunked = [each for each in sources if _is_chunked(each)]
    for source in chunked:
        counted = _measured(source, _RECORDS)
        if counted is None:
            counted = _passed(source.get("startOffset") or {}, source.get("endOffset") or {})
        read = int(counted)
        rows = source.get("numInputRows") or 0
        progress["numInputRows"] = (progress.get("numInputRows") or 0) + read - rows
        source["numInputRows"] = read
    took_ms = (progress.get("durationMs") or {}).get("triggerExecution")
    if chunked and took_ms:
        progress["processedRowsPerSecond"] = (progress.get("numInputRows") or 0) * 1000 / took_ms
    return progress


def packing_ms(progress: Mapping[str, Any]) -> float | None:
    """Return how long the slowest task took to make chunks in the JVM; None if none did."""
    times = [_measured(each, _READ_MS) for each in progress.get("sources") or ()]
    return max((each for each in times if each is not None), default=None)


def gone_of(progress: Mapping[str, Any]) -> list[tuple[str, int, int, int]]:
    """Return what batches of the last minute did not read, because the broker had deleted it.

    Each is topic, partition, and the offsets where it begins and where reading went on.
    """
    found = []
    for source in progress.get("sources") or ():
        for place in filter(None, ((source.get("metrics") or {}).get(_GONE) or "").split(",")):
            topic, *numbers = place.split(" ")
            partition, begin, end = map(int, numbers)
            found.append((topic, partition, begin, end))
    return found


def _is_chunked(source: Mapping[str, Any]) -> bool:
    in_python = _CHUNK_SOURCE in str(source.get("description"))
    return in_python or _measured(source, _RECORDS) is not None


def _measured(source: Mapping[str, Any], name: str) -> float | None:
    found = (source.get("metrics") or {}).get(name)
    return None if found is None else float(found)


def _passed(start: Any, end: Any) -> int:
    return sum(
        max(0, stop - start.get(topic, {}).get(partition, stop))
        for topic, own in end.items()
        for partition, stop in own.items()
    )


def lag_of(progress: Mapping[str, Any]) -> int | None:
    """Return how many records of the source topics a batch left unread.

    None if that is not known: Spark does not ask for the ends of topics before it repeats a batch.
    """
    lags = [_lag(source) for source in progress.get("sources") or ()]
    known = [lag for lag in lags if lag is not None]
    return sum(known) if len(known) == len(lags) else None


def records_of(progress: Mapping[str, Any]) -> int:
    """Return how many records a batch has read."""
    sources = progress.get("sources") or ()
    return sum(
        int(source.get("numInputRows") or 0)
        for source in sources
        if isinstance(source.get("endOffset"), Mapping)
    )


def state_size(operator: Mapping[str, Any]) -> int:
    """Return the bytes of a stage's stores in the checkpoint, as its report has them."""
    measured = operator.get("customMetrics") or {}
    return sum(int(measured.get(name) or 0) for name in ("rocksdbSstFileSize", SEGMENT_BYTES))


def _lag(source: Mapping[str, Any]) -> int | None:
    available: Any = source.get("latestOffset")
    read: dict[str, Any] = source.get("endOffset") or {}
    # The source of ticks has no topics.
    if not isinstance(read, dict) or not any(isinstance(each, dict) for each in read.values()):
        return 0
    if not isinstance(available, Mapping):
        return None
    lags: list[int] = [
        max(0, last - read.get(topic, {}).get(partition, last))
        for topic, partitions in available.items()
        if isinstance(partitions, Mapping)
        for partition, last in partitions.items()
    ]
    return sum(lags)
