"""The command line: `python -m benchmarks.page --help`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.page.viewer import Viewer
from benchmarks.vs_kafka_streams.rounds import Drain, drain, prepare
from benchmarks.vs_kafka_streams.sides import millstream
from benchmarks.vs_kafka_streams.workloads import GUARANTEES, WORKLOADS
from millstream.testing.broker import EmbeddedBroker
from millstream.testing.broker.ports import free_port


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    port = free_port()
    shown = replace(millstream({"millstream.ui.port": port}), name="with_page")
    sides = (replace(millstream(), name="without"), shown)
    drains: dict[str, list[Drain]] = {side.name: [] for side in sides}
    with EmbeddedBroker() as broker, TemporaryDirectory(prefix="millstream-page-") as folder:
        job = prepare(
            broker.bootstrap_servers,
            workload=options.workload,
            guarantee=options.guarantee,
            cache_bytes=10 * 1024 * 1024,
            warm_up=options.records // 4,
            records=options.records,
            timeout_s=600,
        )
        with Viewer(port) as viewer:
            for number in range(options.rounds):
                # Whoever goes second finds the page cache warmer, so they take turns at it.
                for side in sides if number % 2 == 0 else sides[::-1]:
                    drains[side.name].append(drain(job, side, Path(folder)))
                    print(line(side.name, drains[side.name][-1]), flush=True)
    without, with_page = (drains[side.name] for side in sides)
    print(summary(without, with_page, viewer.events))
    return 0


def line(name: str, found: Drain) -> str:
    """Return a drain's rate, and the processor time that its processes used for it."""
    used = ", ".join(f"{kind} {value:.1f}" for kind, value in found.costs.cpu_s.items() if value)
    return f"{name}: {found.rate:,.0f}/s; CPU seconds: {used}"


def summary(without: Sequence[Drain], shown: Sequence[Drain], events: int) -> str:
    """Return what differs with the page, by medians: the rate, and processor time for a million.

    The processor time is the steadier of the two: a drain has few batches, and what else the
    machine does changes its rate.
    """
    lines = [f"{len(shown)} rounds, {events:,} lines of events read; medians:"]
    measures = {
        "records a second": lambda drain: drain.rate,
        "CPU seconds a million records, all processes": _cpu,
        "... the driver's Python": lambda drain: _cpu(drain, "driver"),
        "... the JVM": lambda drain: _cpu(drain, "JVM"),
    }
    for name, of in measures.items():
        before, after = (median(map(of, drains)) for drains in (without, shown))
        change = f"{(after / before - 1) * 100:+.1f} %" if before else "-"
        lines.append(f"{name}: without {before:,.1f}, with the page {after:,.1f} ({change})")
    return "\n".join(lines)


def _cpu(found: Drain, kind: str | None = None) -> float:
    used = found.costs.own_cpu_s if kind is None else found.costs.cpu_s.get(kind, 0.0)
    return used / found.records * 1e6


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.page",
        description="Drain a topic with and without the live page, in turns; a reader of its "
        "events and of /metrics stands for a browser and for Prometheus.",
    )
    parser.add_argument("--workload", choices=WORKLOADS, default="window-count")
    parser.add_argument("--guarantee", choices=GUARANTEES, default=GUARANTEES[1])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    return parser


if __name__ == "__main__":
    sys.exit(main())
