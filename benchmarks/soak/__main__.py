"""The command line: `python -m benchmarks.soak --help`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.soak.plot import plot
from benchmarks.soak.report import judged, table
from benchmarks.soak.run import Settings, run
from benchmarks.soak.slopes import slopes


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    settings = Settings(
        minutes=options.minutes,
        rate=options.rate,
        keys=options.keys,
        fill=options.fill,
        partitions=options.partitions,
        cores=options.cores,
        every_s=options.every,
        interval_ms=options.interval,
        heap_mb=options.heap,
        windows=not options.no_windows,
        queries=options.queries,
        entries=dict(entry.split("=", 1) for entry in options.set),
    )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        keep = Path(options.keep or temporary)
        keep.mkdir(parents=True, exist_ok=True)
        found = run(settings, keep, lambda line: print(line, file=sys.stderr, flush=True))
    warm_up_s = options.warm_up * 60
    lines = slopes(found.times, found.series, warm_up_s)
    if options.json:
        print(json.dumps({each.name: [each.first, each.last, each.percent] for each in lines}))
    else:
        print(
            f"{options.minutes:g} minutes, {options.rate:,} records a second, {options.keys:,} "
            f"keys; the first {options.warm_up:g} minutes are left out"
        )
        if settings.fill:
            print(f"taken in before: {options.keys:,} keys in {found.filled_s:,.0f} s")
        print(table(lines, options.limit))
    if options.plot:
        title = f"{options.rate:,} records a second, {options.keys:,} keys"
        plot(found.times, found.series, title, Path(options.plot))
    return int(any(judged(each) and each.grows(options.limit) for each in lines))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.soak",
        description="Run an application under steady load and measure what grows: memory, open "
        "files, threads, files and bytes on disk. The status is 1 if anything does.",
    )
    parser.add_argument("--minutes", type=float, default=30.0, help="how long (30)")
    parser.add_argument("--rate", type=int, default=2_000, help="records a second (2,000)")
    parser.add_argument("--keys", type=int, default=100_000, help="keys, chosen evenly (100,000)")
    parser.add_argument(
        "--fill", action="store_true", help="send each key once before the time begins"
    )
    parser.add_argument("--partitions", type=int, default=2, help="of each topic (2)")
    parser.add_argument("--cores", type=int, default=2, help="of Spark (2)")
    parser.add_argument(
        "--interval", type=int, default=3000, help="commit.interval.ms: time of a batch (3,000)"
    )
    parser.add_argument("--heap", type=int, default=1024, help="of the JVM, in MB (1,024)")
    parser.add_argument("--warm-up", type=float, default=10.0, help="minutes left out (10)")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between samples (5)")
    parser.add_argument(
        "--limit", type=float, default=1.0, help="growth in ten minutes, in per cent (1)"
    )
    parser.add_argument("--no-windows", action="store_true", help="only counts by key")
    parser.add_argument("--queries", action="store_true", help="query the store every 5 seconds")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="of the configuration",
    )
    parser.add_argument("--keep", help="directory for files, logs and samples.jsonl")
    parser.add_argument("--plot", help="write a picture (.svg, .png)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
