"""Progress of a running application, read from its metrics."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from millstream.core.metrics import Metric, MetricName

_RATE_OVER_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """One look at a running application."""

    seconds: float
    """Since the start."""
    state: str
    records: int
    """Records read from source topics, all in all."""
    rate: float
    """Records a second, over the last ten seconds."""
    lag: int | None
    """Records not read yet, at the end of the last batch; None before the first has ended."""
    batch: int | None
    """Number of the last batch."""
    batch_ms: int | None
    state_bytes: int | None
    """Size of the stores in Spark's state."""
    late: int
    """Records dropped because they came too late."""
    dropped: int
    """Records dropped for any reason; docs/metrics.md."""

    def line(self) -> str:
        """Return everything in one line."""
        return "  ".join(f"{label} {text}" if label else text for label, text in self.fields())

    def fields(self) -> list[tuple[str, str]]:
        """Return label and text of each fact."""
        return [
            ("", f"{self.seconds:.0f} s"),
            ("", self.state),
            ("records", f"{self.records:,}"),
            ("rate", f"{self.rate:,.0f}/s"),
            ("lag", "-" if self.lag is None else f"{self.lag:,}"),
            ("batch", "-" if self.batch_ms is None else f"{self.batch_ms:,} ms"),
            ("state", "-" if self.state_bytes is None else size(self.state_bytes)),
            ("late", f"{self.late:,}"),
            ("dropped", f"{self.dropped:,}"),
        ]

    def facts(self) -> dict[str, Any]:
        """Return everything under its name, for JSON."""
        return {"event": "progress"} | asdict(self)


class ProgressReader:
    """Makes ``RunProgress`` of an application's metrics.

    Args:
        metrics: Returns the metrics, as ``KafkaStreams.metrics`` does.
        state: Returns the name of the application's state.
        clock: Monotonic clock in seconds.
    """

    def __init__(
        self,
        metrics: Callable[[], Mapping[MetricName, Metric]],
        state: Callable[[], str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._metrics = metrics
        self._state = state
        self._clock = clock
        self._began = clock()
        self._seen: deque[tuple[float, int]] = deque([(self._began, 0)])
        self._last: dict[str, Any] = {}

    def look(self) -> RunProgress:
        """Return the progress now."""
        now, found = self._clock(), self._metrics()
        driver = {
            name.name(): metric.metricValue()
            for name, metric in found.items()
            if name.group() == "stream-metrics"
        }
        # Spark also reports that there was nothing to read, as a batch without records.
        if driver.get("records") or "batch-id" not in self._last:
            self._last |= driver
        records = int(_total(found, "records-consumed-total", _is_source))
        self._seen.append((now, records))
        while len(self._seen) > 2 and now - self._seen[1][0] >= _RATE_OVER_S:
            self._seen.popleft()
        then, before = self._seen[0]
        return RunProgress(
            seconds=round(now - self._began, 3),
            state=self._state(),
            records=records,
            rate=round((records - before) / (now - then), 1) if now > then else 0.0,
            lag=_whole(driver.get("records-lag")),
            batch=_whole(self._last.get("batch-id")),
            batch_ms=_whole(self._last.get("batch-time-ms")),
            state_bytes=_whole(self._last.get("state-size-bytes")),
            late=int(_total(found, "late-record-drop-total")),
            dropped=int(_total(found, "dropped-records-total")),
        )


def size(count: int) -> str:
    """Return a number of bytes with a unit."""
    number, units = float(count), ["B", "kB", "MB", "GB", "TB"]
    while number >= 1000 and len(units) > 1:
        number /= 1000
        units.pop(0)
    return f"{number:.0f} {units[0]}" if units[0] == "B" else f"{number:.1f} {units[0]}"


def _total(
    metrics: Mapping[MetricName, Metric],
    name: str,
    wanted: Callable[[MetricName], bool] = lambda _: True,
) -> float:
    return sum(
        float(metric.metricValue())
        for each, metric in metrics.items()
        if each.name() == name and wanted(each)
    )


def _is_source(name: MetricName) -> bool:
    """Tell whether a metric is about a topic that is not a repartition topic."""
    topic = str(name.tags().get("topic", ""))
    return not topic.endswith("-repartition")


def _whole(value: Any) -> int | None:
    return None if value is None else int(value)
