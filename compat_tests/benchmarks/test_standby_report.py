"""The report of benchmarks.standby."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.standby.measure import Outcome
from benchmarks.standby.report import rows, shown

RUN = Outcome(
    burst=300_000,
    burst_s=10.0,
    ordinary_s=0.5,
    next_output_s=1.0,
    first_output_s=1.5,
    restored=0,
    longest_after_kill_s=1.5,
    joined_s=12.0,
    moving_s=0.75,
    added_s=0.9,
    before_s=0.6,
    ended_s=1.2,
    wrong=0,
    balanced=True,
    load=(1.5, 1.0, 1.0),
)
WITHOUT = replace(RUN, burst_s=9.0, next_output_s=8.0, restored=1_000_000)


def test_the_report_compares_with_the_runs_without_standbys() -> None:
    slower = replace(RUN, burst_s=12.0, next_output_s=2.0)
    found = rows({"standby": [RUN, slower], "without": [WITHOUT, WITHOUT], "spark-alone": [RUN]})
    table = {name: cells for name, *cells in found}
    assert table["… in ordinary batches"] == ["3 (2 to 4)", "16", "2"]
    assert table["… entries restored"] == ["0", "1,000,000", "0"]
    assert table["… longest batch from then on, in ordinary ones"] == ["1.50"] * 3
    assert table["… in ordinary ones"] == ["1.50"] * 3
    assert table["… next output, times as fast as without"] == ["6 (4 to 8)", "1", "8"]
    assert table["… throughput, as a part of that without"] == ["0.82 (0.75 to 0.90)", "1", "0.90"]


def test_a_single_way_is_compared_with_nothing() -> None:
    assert not [name for name, *_ in rows({"standby": [RUN]}) if "without" in name]
    assert shown([]) == "-"
