"""benchmarks.report: the table, the file of rounds, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.report import __main__ as command
from benchmarks.report.figures import Round, SideFigures, read_rounds
from benchmarks.report.table import BEGIN, END, put_into, tables
from benchmarks.vs_kafka_streams.costs import BUSY, Meter, Sample
from benchmarks.vs_kafka_streams.errors import BenchmarkError
from benchmarks.vs_kafka_streams.rounds import Drain
from benchmarks.vs_kafka_streams.topologies import BUILDERS
from benchmarks.vs_kafka_streams.workloads import WORKLOADS, Input, Job


def side(rate: float, others: float = 0.0, **cpu_s: float) -> SideFigures:
    return SideFigures(rate=rate, cpu_s=cpu_s, peak_mb=rate / 100, others=others)


def a_round(workload: str, ours: float, theirs: float, guarantee: str = "at_least_once") -> Round:
    return Round(
        workload=workload,
        guarantee=guarantee,
        cache=0,
        records=50_000,
        ours=side(ours, 0.5, JVM=4.0, sink=1.5, broker=1.0, other=0.01),
        theirs=side(theirs, JVM=2.0),
    )


def test_a_line_has_medians_and_the_spread_of_the_rounds() -> None:
    rounds = [a_round("count", 200, 100), a_round("count", 100, 100), a_round("count", 300, 100)]

    last = tables(rounds).strip().splitlines()[-1]

    assert [cell.strip() for cell in last.strip("|").split("|")] == [
        "count, 50,000",
        "2.00 (1.00 to 3.00)",
        "200",
        "100",
        "5.5: JVM 4.0, sink 1.5, broker 1.0",
        "2.0: JVM 2.0",
        "3",
        "1",
        "0.2 (0.0 to 0.5)",
    ]


def test_each_guarantee_has_a_table_with_its_workloads_in_their_order() -> None:
    rounds = [
        a_round("pass", 1, 1),
        a_round("pass", 1, 1, "exactly_once_v2"),
        a_round("count", 1, 1),
    ]

    lines = tables(rounds).splitlines()

    heads = [line for line in lines if line.startswith("`")]
    assert heads == ["`at_least_once`, caches off:", "`exactly_once_v2`, caches off:"]
    rows = [line.split(",")[0] for line in lines if ", 50,000" in line]
    assert rows == ["| pass", "| count", "| pass"]


def test_what_was_not_measured_is_said() -> None:
    nothing = Round(
        workload="pass",
        guarantee="at_least_once",
        cache=4096,
        records=10,
        ours=side(10),
        theirs=side(10),
    )
    assert "not measured | not measured" in tables([nothing])
    assert "caches of 4,096 bytes" in tables([nothing])


def test_rounds_come_back_from_their_file(tmp_path: Path) -> None:
    file = tmp_path / "rounds.jsonl"
    assert read_rounds(file) == []
    rounds = [a_round("pass", 1, 2), a_round("count", 3, 4)]
    file.write_text("".join(f"{each.line()}\n" for each in rounds))

    assert read_rounds(file) == rounds


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"ours": 1}'])
def test_a_line_that_is_no_round_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "rounds.jsonl"
    file.write_text(f"{a_round('pass', 1, 1).line()}\n{line}\n")

    with pytest.raises(BenchmarkError, match="line 2 of"):
        read_rounds(file)


def test_the_table_replaces_the_one_of_an_earlier_run(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text(f"before\n\n{BEGIN}\n\nold\n\n{END}\n\nafter\n")

    put_into(page, "new\n")
    put_into(page, "newer\n")

    assert page.read_text() == f"before\n\n{BEGIN}\n\nnewer\n\n{END}\n\nafter\n"


@pytest.mark.parametrize("text", ["", BEGIN, END, f"{END} {BEGIN}", f"{BEGIN} {END} {BEGIN} {END}"])
def test_a_page_without_a_place_for_the_table_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    page = tmp_path / "README.md"
    page.write_text(text)

    with pytest.raises(BenchmarkError, match="has no place for the table"):
        put_into(page, "new")
    assert page.read_text() == text


def test_a_page_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="cannot read"):
        put_into(tmp_path / "none.md", "new")


def test_a_table_is_made_of_rounds_that_are_there_without_measuring(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "run", lambda _plan, _file: [("pass", "it did not drain")])
    file = tmp_path / "rounds.jsonl"
    file.write_text(f"{a_round('count', 2, 1).line()}\n")

    status = command.main(["--only", "count", "--rounds-in", str(file)])

    printed = capsys.readouterr()
    assert status == 1
    assert "| count, 50,000 | 2.00 |" in printed.out
    assert "report: pass: it did not drain" in printed.err


def test_the_report_refuses_what_it_cannot_do(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--only", "unheard-of"], ["--rounds", "0"], ["--records", "-1"]):
        with pytest.raises(SystemExit):
            command.main(arguments)
    assert "invalid choice" in capsys.readouterr().err


def test_costs_are_those_between_start_and_stop() -> None:
    meter = Meter(0, None)
    used = [(0, 1.0, 3.0), (1, 2.0, 5.0), (2, 4.0, 9.0), (3, 8.0, 30.0)]
    meter.samples = [
        Sample(at * 1_000_000, {"JVM": jvm, "broker": 0.5 * at, BUSY: busy})
        for at, jvm, busy in used
    ]

    costs = meter.costs(1_100_000, 2_900_000)

    assert costs.cpu_s == {"JVM": 6.0, "broker": 1.0}
    assert costs.own_cpu_s == 6.0
    assert costs.others == (25 - 7) / 2
    drain = Drain(records=500_000, seconds=1.0, output_topic="", costs=costs)
    assert SideFigures.of(drain).cpu_s == {"JVM": 12.0, "broker": 2.0}


def test_nothing_is_known_without_samples() -> None:
    costs = Meter(0, None).costs(0, 1)
    assert (dict(costs.cpu_s), costs.peak_mb) == ({}, 0.0)


@pytest.mark.parametrize(("records", "batch"), [(3, 1), (90_000, 30_000), (1_000_000, None)])
def test_few_records_come_in_several_batches(records: int, batch: int | None) -> None:
    job = Job(
        workload="pass",
        guarantee="at_least_once",
        cache_bytes=0,
        bootstrap_servers="nowhere:0",
        inputs=(Input(topic="in", warm_up_ends=(1, 0), end_offsets=(records, 0)),),
        timeout_s=1.0,
    )
    assert job.records_per_batch == batch


def test_every_workload_has_a_topology_on_both_sides() -> None:
    assert set(BUILDERS) == set(WORKLOADS)
    java = (Path(command.__file__).parents[1] / "vs_kafka_streams/java/Workloads.java").read_text()
    assert [name for name in WORKLOADS if f'"{name}"' not in java] == []
