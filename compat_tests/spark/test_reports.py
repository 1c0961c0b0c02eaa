"""What workers report is added up on the driver, whether or not a caller asks for it."""

from __future__ import annotations

import pickle
import threading
import tracemalloc

from millstream import StreamsConfig
from millstream.core.metrics import Drained
from millstream.core.metrics.stats import Tally
from millstream.topology.spark.measurements import Measurements
from millstream.topology.spark.reports import Reports

BATCHES = 500


def measurements() -> Measurements:
    config = StreamsConfig({"application.id": "app", "bootstrap.servers": "nowhere:1"})
    return Measurements(config, "app", "")


def report(batch: int, task: int) -> list[tuple[int, list[Drained]]]:
    """Return what a worker sends: new objects, as they come out of a pickle."""
    tags = (("thread-id", "app-StreamThread-1"), ("task-id", f"0_{task}"))
    found = [
        Drained("dropped-records", tags + (("node", str(n)),), Tally(1, 1.0, 1.0, 1.0, 1.0))
        for n in range(40)
    ]
    return pickle.loads(pickle.dumps([(batch * 1000, found)]))  # type: ignore[no-any-return]


def settled() -> None:
    while threads := [t for t in threading.enumerate() if t.name == "millstream-metrics"]:
        for thread in threads:
            thread.join()


def test_reports_do_not_pile_up_while_metrics_are_not_read() -> None:
    found = measurements()
    waiting = []
    for batch in range(BATCHES):
        for task in range(2):
            found.reports.addInPlace([], report(batch, task))
        if batch % 50 == 49:
            settled()
            waiting.append(len(found.reports))
    assert max(waiting) <= 64
    metrics = found.metrics(None, _State(), 0)
    totals = [m.metricValue() for n, m in metrics.items() if n.name() == "dropped-records-total"]
    assert totals == [float(BATCHES)] * 80


def test_the_driver_keeps_no_more_after_many_batches_than_after_some() -> None:
    found = measurements()

    def batches(numbers: range) -> int:
        for batch in numbers:
            for task in range(2):
                found.reports.addInPlace([], report(batch, task))
        settled()
        found.metrics(None, _State(), 0)
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = batches(range(200))
        after = batches(range(200, 600))
    finally:
        tracemalloc.stop()
    # Kept, the reports of 400 batches are some 12 MB.
    assert after - before < 1 << 20


def test_a_workers_copy_adds_up_and_calls_no_observer() -> None:
    called: list[None] = []
    reports: Reports[int] = Reports(1, lambda: called.append(None))
    copy: Reports[int] = pickle.loads(pickle.dumps(reports))
    assert copy.addInPlace([1], [2]) == [1, 2]
    reports.addInPlace([], [3])
    assert (len(called), reports.taken()) == (1, [3])


class _State:
    name = "RUNNING"
