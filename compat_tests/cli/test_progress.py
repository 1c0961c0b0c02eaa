"""Progress of a run: its numbers, its lines, and when there is nothing left to do."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from millstream.cli.displays import Dashboard, PlainLines, sparkline
from millstream.cli.progress import ProgressReader, RunProgress, size
from millstream.cli.running import Idleness
from millstream.core.metrics import MetricName, Metrics

STATE = "RUNNING"
SOURCE = (("topic", "lines"),)
SOME = RunProgress(
    seconds=1.0,
    state=STATE,
    records=3,
    rate=1.5,
    lag=0,
    batch=2,
    batch_ms=10,
    state_bytes=2_500,
    late=0,
    dropped=1,
)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def read(values: dict[tuple[str, tuple[tuple[str, str], ...]], float]) -> Any:
    metrics = Metrics()
    for (name, tags), value in values.items():
        group = "stream-topic-metrics" if tags else "stream-metrics"
        metrics.gauge(MetricName(name, group, tags), value)
    return metrics.asMap()


def test_records_are_counted_once_and_the_rate_is_over_ten_seconds() -> None:
    clock, seen = Clock(), dict[Any, float]()
    reader = ProgressReader(lambda: read(seen), lambda: STATE, clock)
    assert reader.look().records == 0
    for second in range(1, 31):
        clock.now = float(second)
        seen["records-consumed-total", SOURCE] = second * 100.0
        seen["records-consumed-total", (("topic", "app-counts-repartition"),)] = 7.0
        found = reader.look()
    assert (found.records, found.rate, found.seconds) == (3000, 100.0, 30.0)


def test_a_report_without_records_keeps_the_last_batch() -> None:
    seen: dict[Any, float] = {
        ("records", ()): 5.0,
        ("batch-id", ()): 3.0,
        ("batch-time-ms", ()): 70.0,
        ("state-size-bytes", ()): 9.0,
        ("records-lag", ()): 2.0,
    }
    reader = ProgressReader(lambda: read(seen), lambda: STATE)
    reader.look()
    seen |= {("records", ()): 0.0, ("batch-id", ()): 4.0, ("records-lag", ()): 0.0}
    del seen["state-size-bytes", ()]
    found = reader.look()
    assert (found.batch, found.batch_ms, found.state_bytes, found.lag) == (3, 70, 9, 0)


def test_before_the_first_batch_nothing_is_known() -> None:
    found = ProgressReader(lambda: read({}), lambda: "REBALANCING").look()
    assert (found.lag, found.batch, found.state_bytes) == (None, None, None)
    assert "lag -  batch -  state -" in found.line()


def test_a_line_has_all_facts() -> None:
    assert SOME.line() == (
        "1 s  RUNNING  records 3  rate 2/s  lag 0  batch 10 ms  state 2.5 kB  late 0  dropped 1"
    )
    assert SOME.facts()["state_bytes"] == 2_500


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (5_250_000, "5.2 MB")]
)
def test_a_size_has_a_unit(count: int, text: str) -> None:
    assert size(count) == text


def test_plain_lines_do_not_repeat_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    lines = PlainLines(2)
    for second in range(40):
        lines.show(replace(SOME, seconds=float(second)))
    lines.close({"event": "closed"})
    assert [line.split("  ")[0] for line in capsys.readouterr().out.splitlines()] == [
        "0 s",
        "30 s",
        "closed",
    ]


def test_a_dashboard_shows_all_facts() -> None:
    console = Console(file=StringIO(), width=80, color_system=None)
    dashboard = Dashboard(1, "shop")
    dashboard.close({"event": "closed"})
    console.print(dashboard.drawn(SOME))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "shop  RUNNING  1 s" in text
    for label in ("records", "rate", "lag", "batch", "state", "late", "dropped"):
        assert label in text


def test_idle_is_when_all_is_read_and_nothing_comes() -> None:
    clock = Clock()
    idleness = Idleness(clock)

    def seconds(now: float, **changes: Any) -> float:
        clock.now = now
        return idleness.seconds(replace(SOME, **changes))

    assert seconds(0, state="REBALANCING", lag=None) == 0
    assert seconds(1) == 0
    assert seconds(3) == 2
    assert seconds(4, lag=1) == 0
    assert seconds(5) == 0
    assert seconds(6) == 1
    assert seconds(7, records=4) == 0
    assert seconds(9, records=4) == 0
    assert seconds(10, records=4) == 1


def test_a_sparkline_is_as_high_as_its_largest_value() -> None:
    assert sparkline(deque([0.0, 4.0, 8.0])) == " ▄█"
    assert sparkline(deque()) == ""
