"""The report of benchmarks.queries, and how it judges the age of an answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.queries.measure import Batch, Outcome, Questions, Setting
from benchmarks.queries.report import percentile, print_report, summary

SETTING = Setting(
    bootstrap_servers="nowhere:1",
    directory=Path(),
    master="local[2]",
    partitions=2,
    keys=1000,
    rate=1,
    store="memory",
    guarantee="at_least_once",
    batches=2,
    rounds=1,
    pause_ms=0,
)


def batch(number: int, ms: float = 100.0) -> Batch:
    """A batch that ends at second ``number`` and reads ten records of each partition."""
    return Batch(number, ms, 20, float(number), {0: 10 * number, 1: 10 * number})


def test_percentiles_are_values_that_were_seen() -> None:
    assert percentile([], 0.5) == 0
    assert percentile([3.0], 0.99) == 3
    assert percentile(list(range(100)), 0.99) == 99
    assert percentile([1.0, 5.0, 2.0], 0.5) == 2


def test_an_answer_is_behind_by_the_batches_that_had_ended_and_that_it_does_not_show() -> None:
    found = Outcome()
    # What it asks is not asked here: the answers are given.
    app: Any = None
    questions = Questions(app, SETTING, found)
    everything = {0: 30, 1: 30}
    questions._answers = [(3.5, everything), (3.5, {0: 30, 1: 20}), (3.5, {0: 10}), (0.5, {})]
    questions.judge([batch(number) for number in (1, 2, 3, 4)])
    assert found.behind == [0, 1, 3]


def test_the_report_compares_batches_with_and_without_questions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = Outcome(
        first_s=2.5,
        gets=[1.0, 2.0, 3.0],
        behind=[0, 1],
        quiet=[batch(1, 100), batch(2, 100)],
        asked=[batch(3, 103), batch(4, 103)],
        load=(1.0, 2.0, 3.0),
    )
    figures = summary(found)
    assert figures["cost to the batch, %"] == 3.0
    assert (figures["get, ms p50"], figures["get, ms most"]) == (2, 3)
    assert figures["batches behind, most"] == 1
    print_report(found)
    assert "1.0 2.0 3.0" in capsys.readouterr().out
    print_report(Outcome())
