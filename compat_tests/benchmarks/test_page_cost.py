"""The benchmark of the live page's cost: its lines."""

from __future__ import annotations

from benchmarks.page.__main__ import line, summary
from benchmarks.vs_kafka_streams.costs import Costs
from benchmarks.vs_kafka_streams.rounds import Drain


def drained(seconds: float, **cpu_s: float) -> Drain:
    return Drain(records=2_000_000, seconds=seconds, output_topic="out", costs=Costs(cpu_s=cpu_s))


def test_the_cost_is_the_difference_of_the_medians() -> None:
    without = [drained(20, JVM=40, driver=2, broker=9), drained(10, JVM=30, driver=2, broker=1)]
    shown = [drained(25, JVM=40, driver=4, broker=9)]
    assert summary([*without, *without[:1]], shown, 7).splitlines() == [
        "1 rounds, 7 lines of events read; medians:",
        "records a second: without 100,000.0, with the page 80,000.0 (-20.0 %)",
        "CPU seconds a million records, all processes: without 21.0, with the page 22.0 (+4.8 %)",
        "... the driver's Python: without 1.0, with the page 2.0 (+100.0 %)",
        "... the JVM: without 20.0, with the page 20.0 (+0.0 %)",
    ]


def test_a_machine_without_figures_of_processes_shows_none() -> None:
    text = summary([drained(10)], [drained(10)], 0)
    assert "... the JVM: without 0.0, with the page 0.0 (-)" in text


def test_a_drain_shows_what_its_processes_used() -> None:
    assert line("without", drained(10, JVM=30.04, sink=0)) == (
        "without: 200,000/s; CPU seconds: JVM 30.0"
    )
