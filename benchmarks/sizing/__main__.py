"""The command line: `python -m benchmarks.sizing --help`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.sizing import batches
from benchmarks.sizing.check import Checked, Drained, checked, drained
from benchmarks.sizing.model import constants, own_cpu_s_per_million
from benchmarks.sizing.options import CORES, parser
from benchmarks.sizing.plan import Cluster, planned
from benchmarks.sizing.report import (
    check_table,
    constants_table,
    plan_table,
    points_table,
    state_table,
)
from benchmarks.sizing.results import Results, read_results
from benchmarks.sizing.state import Held, held
from benchmarks.vs_kafka_streams.errors import BenchmarkError
from benchmarks.vs_kafka_streams.workloads import PARTITIONS

LOCAL = f"local[{CORES}]"


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if options.here:
        store, keys = options.here.split(",")
        print(json.dumps(asdict(held(store, int(keys), options.bytes))))
        return 0
    try:
        found = read_results(options.results) if options.results else Results()
        _measure(found, options)
        print(found.line() if options.json else "\n\n".join(_tables(found, options)))
    except BenchmarkError as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 1
    return 0


def _measure(found: Results, options: argparse.Namespace) -> None:
    """Measure what is asked for and not there yet; keep each result at once."""
    parts = options.part or ["state", "batches", "check"]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        place = Path(temporary)
        steps = {"state": _state, "batches": _batches, "check": _check}
        for part in parts:
            for what in steps[part](found, options, place) if part in steps else ():
                print(what, file=sys.stderr, flush=True)
                if options.results:
                    options.results.write_text(found.line() + "\n", encoding="utf-8")


def _state(found: Results, options: argparse.Namespace, _: Path) -> Iterator[str]:
    known = {(each.store, each.keys) for each in found.held}
    for keys in options.keys or (100_000, 1_000_000):
        for store in options.store or ("rocksdb", "lmdb", "memory"):
            if (store, keys) not in known:
                # In a new process, in whose memory nothing else is.
                command = [sys.executable, "-m", "benchmarks.sizing", f"--here={store},{keys}"]
                command.append(f"--bytes={options.bytes}")
                said = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
                found.held.append(Held(**json.loads(said.stdout.splitlines()[-1])))
                yield f"{store}, {keys:,} keys"


def _batches(found: Results, options: argparse.Namespace, place: Path) -> Iterator[str]:
    known = {each.partitions for each in found.points}
    for partitions in options.partitions or (2, 8, 32, 64):
        if partitions not in known:
            point = batches.measured(
                partitions,
                rate=options.rate,
                cores=CORES,
                warm_up_s=options.warm_up,
                seconds=options.seconds,
                folder=place / f"batches-{partitions}",
            )
            found.points.append(point)
            yield f"{partitions} partitions: {point.batch_ms:,.0f} ms a batch"


def _check(found: Results, options: argparse.Namespace, place: Path) -> Iterator[str]:
    known = {each.master for each in found.drains}
    clusters = {f"local-cluster[{number},1,1024]": number for number in (1, 2)}
    for master, cores in {LOCAL: CORES, **clusters}.items():
        if master not in known:
            run = drained(
                master,
                cores,
                records=options.records,
                warm_up=options.records // 4,
                batch=options.batch,
                folder=place / f"check-{len(found.drains)}",
            )
            found.drains.append(run)
            yield f"{master}: {run.records / run.seconds:,.0f} records a second"


def _tables(found: Results, options: argparse.Namespace) -> Iterator[str]:
    points = found.sorted_points()
    if found.held:
        yield state_table(found.held)
    if not points:
        return
    model = constants(points)
    yield points_table(points)
    yield constants_table(model)
    if checks := _checks(found, os.cpu_count() or 1):
        yield check_table(checks)
    if options.plan:
        wanted = dict(each.split("=", 1) for each in options.plan)
        local = _calibration(found)
        if local is not None and "cpu_s_per_million" not in wanted:
            own = own_cpu_s_per_million(
                model,
                cpu_s=local.cpu_s,
                records=local.records,
                batches=local.batches,
                partitions=PARTITIONS,
            )
            wanted["cpu_s_per_million"] = str(own)
        yield plan_table(planned(model, _cluster(wanted)))


def _calibration(found: Results) -> Drained | None:
    return next((each for each in found.drains if each.master == LOCAL), None)


def _checks(found: Results, machine_cores: int) -> list[Checked]:
    local = _calibration(found)
    if local is None or not found.points:
        return []
    model = constants(found.sorted_points())
    return [checked(model, local, each, machine_cores) for each in found.drains]


def _cluster(wanted: dict[str, str]) -> Cluster:
    numbers = {name: float(text.replace("_", "")) for name, text in wanted.items()}
    whole = {"executors", "cores", "partitions", "keys"}
    try:
        return Cluster(**{n: int(v) if n in whole else v for n, v in numbers.items()})  # type: ignore[arg-type]
    except TypeError as error:
        raise BenchmarkError("the plan is not complete", detail=f"{error}") from error


if __name__ == "__main__":
    sys.exit(main())
