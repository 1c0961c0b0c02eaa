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
from benchmarks.vs_kafka_streams.rounds import drain, prepare
from benchmarks.vs_kafka_streams.sides import Side, millstream
from benchmarks.vs_kafka_streams.workloads import GUARANTEES, WORKLOADS
from millstream.testing.broker import EmbeddedBroker
from millstream.testing.broker.ports import free_port


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    port = free_port()
    shown = replace(millstream({"millstream.ui.port": port}), name="with_page")
    sides = (replace(millstream(), name="without"), shown)
    rates: dict[str, list[float]] = {side.name: [] for side in sides}
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
                    rates[side.name].append(drain(job, side, Path(folder)).rate)
                    print(f"{side.name}: {rates[side.name][-1]:,.0f}/s", flush=True)
    print(summary(sides, rates, viewer.events))
    return 0


def summary(sides: Sequence[Side], rates: dict[str, list[float]], events: int) -> str:
    """Return the median rates and their difference; the second side has the page."""
    without, shown = (median(rates[side.name]) for side in sides)
    cost = (1 - shown / without) * 100
    return (
        f"without {without:,.0f}/s, with the page and a browser {shown:,.0f}/s: it costs "
        f"{cost:+.1f} % ({len(rates[sides[0].name])} rounds, {events:,} lines of events read)"
    )


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
