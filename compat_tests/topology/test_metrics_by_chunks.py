"""Records that go down in runs are measured as if each had gone by itself."""

from __future__ import annotations

from compat_tests.topology.running import Event, new_task, raw_chunk
from millstream import Grouped, Materialized, Serdes, StreamsBuilder, Suppressed, TimeWindows
from millstream.core.plan import Plan

TEXT = Serdes.String()
CONFIG = {
    "default.key.serde": TEXT,
    "default.value.serde": TEXT,
    "metrics.recording.level": "DEBUG",
}
EVENTS = [Event("a", "v", time) for time in (1, 2, 12, 40, 3, 41)] + [Event(None, "v", 60)]
PER_STORE = ("stream-state-metrics", "stream-record-cache-metrics")


def plan() -> Plan:
    builder = StreamsBuilder()
    counts = (
        builder.stream("in")
        .groupByKey(Grouped.with_(TEXT, TEXT))
        .windowedBy(TimeWindows.ofSizeWithNoGrace(10))
        .count(Materialized.as_("counts"))
    )
    closed = Suppressed.untilWindowCloses(Suppressed.BufferConfig.unbounded())
    counts.suppress(closed.withName("closed")).toStream().foreach(lambda key, value: None)
    return builder.build().plan()


def measured(*, by_chunks: bool) -> dict[str, object]:
    task, _ = new_task(plan(), CONFIG, by_chunks=by_chunks)
    task.add(raw_chunk(EVENTS, 0))
    task.run()
    task.commit()
    found = {
        repr(name): metric.metricValue()
        for name, metric in task.metrics.metrics().items()
        if name.group() not in PER_STORE and "-latency-" not in name.name()
    }
    task.close()
    return found


def test_metrics_do_not_tell_how_records_were_taken() -> None:
    by_chunks = measured(by_chunks=True)
    assert repr(sorted(by_chunks.items())) == repr(sorted(measured(by_chunks=False).items()))
    totals = {key: value for key, value in by_chunks.items() if "late-record-drop-total" in key}
    assert list(totals.values()) == [1.0]
