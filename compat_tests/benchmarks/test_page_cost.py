"""The benchmark of the live page's cost: its line."""

from __future__ import annotations

from benchmarks.page.__main__ import summary
from benchmarks.vs_kafka_streams.sides import Side


def test_the_cost_is_the_difference_of_the_medians() -> None:
    sides = [Side(name="without", command=[]), Side(name="with_page", command=[])]
    rates = {"without": [90.0, 100.0, 200.0], "with_page": [97.0, 99.0, 98.0]}
    assert summary(sides, rates, 7) == (
        "without 100/s, with the page and a browser 98/s: it costs +2.0 % "
        "(3 rounds, 7 lines of events read)"
    )
