"""A witness of the smoke test: a few faults, and what its command line says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from compat_tests.smoke.__main__ import options_from
from compat_tests.smoke.faults import FAULTS
from compat_tests.smoke.report import Report, Strike, added_up, percentiles
from compat_tests.smoke.run import Options, run
from compat_tests.smoke.verifier import Verdict

DOZEN = (
    *("driver-killed", "jvm-killed", "killed-at-EndTxn"),
    *("worker-killed", "workers-killed"),
    *("sink-killed-at-EndTxn", "sink-killed-at-TxnOffsetCommit"),
    *("broker-killed", "cut-answer-EndTxn", "cut-Produce", "delay-Fetch"),
    "working-copies-deleted",
)
"""Three of them end the application."""


@pytest.mark.spark
@pytest.mark.broker
@pytest.mark.cluster
def test_an_application_that_is_struck_writes_everything_once(tmp_path: Path) -> None:
    count = len(DOZEN)
    options = Options(5, count, faults=DOZEN, keys=5, per_key=20 * count, parts=("numbers",))
    report = run(options, tmp_path)
    assert report.is_clean(), report.text()
    assert len(report.strikes) == count


@pytest.mark.long
@pytest.mark.spark
@pytest.mark.broker
@pytest.mark.cluster
@pytest.mark.parametrize(
    ("protection", "fault"),
    [
        ("token", "killed-at-EndTxn"),
        ("rollback", "killed-at-EndTxn"),
        ("fencing", "frozen-and-replaced"),
    ],
)
def test_damage_is_found_where_a_protection_is_off(
    protection: str, fault: str, tmp_path: Path
) -> None:
    options = Options(5, 3, faults=(fault,), keys=5, per_key=60, parts=("numbers",))
    found = run(replace(options, without=protection), tmp_path).verdict
    assert found.duplicated + found.wrong + found.lost > 0


def test_the_report_is_one_line_and_fails_on_anything_but_zero() -> None:
    strikes = [Strike("worker-killed", 0.1, recovery) for recovery in (2.0, 4.0, 9.0)]
    report = Report(1, "exactly_once_v2", strikes=strikes)
    assert report.is_clean()
    assert report.line() == (
        "kills 3, lost 0, duplicated 0, out of order 0, wrong 0, hanging transactions 0, "
        "recovery p50/p95 4.0/8.5 s"
    )
    report.verdict = Verdict(duplicated=1)
    assert not report.is_clean()
    assert "duplicated 1" in report.line()
    report.guarantee = "at_least_once"
    assert report.is_clean()
    report.strikes.append(Strike("broker-away", 25.0, 0.0, problem="the application ended"))
    assert not report.is_clean()
    assert "FAILED broker-away: the application ended" in report.text()
    assert json.loads(report.json())["strikes"][3][0] == "broker-away"
    assert added_up([report.json(), report.json()]).startswith("kills 8, lost 0, duplicated 2,")


def test_recovery_times_of_no_and_one_strike_have_percentiles() -> None:
    assert percentiles([]) == (0, 0)
    assert percentiles([3.0]) == (3.0, 3.0)


def test_the_command_line_takes_names_of_faults_and_refuses_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options, _ = options_from(["--faults", "broker-away,worker-killed", "--kills", "4"])
    assert (options.faults, options.kills) == (("broker-away", "worker-killed"), 4)
    assert options_from(["--faults", "all"])[0].faults == tuple(FAULTS)
    assert options_from([])[0].faults == ()
    with pytest.raises(SystemExit):
        options_from(["--faults", "brocker-away"])
    assert "no fault is called brocker-away" in capsys.readouterr().err
