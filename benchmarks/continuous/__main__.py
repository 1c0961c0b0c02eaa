"""The command line: `python -m benchmarks.continuous --help`."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from confluent_kafka import KafkaException

from benchmarks.continuous.measure import PROGRAM, WORKER, Found, Load, measured
from benchmarks.continuous.report import latency_table, rate_table, starts_table
from benchmarks.continuous.sides import CONTINUOUS, KAFKA_STREAMS, MICRO_BATCH, side
from benchmarks.vs_kafka_streams.rounds import play, prepare
from benchmarks.vs_kafka_streams.sides import Side
from millstream.core.errors import MillstreamError
from millstream.testing.broker import EmbeddedBroker

_SIDES = (CONTINUOUS, MICRO_BATCH, KAFKA_STREAMS)
_PARTS = ("latency", "rate")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    options.part = options.part or list(_PARTS)
    options.side = options.side or list(_SIDES)
    options.commit_ms = options.commit_ms or [100]
    # Otherwise a SIGTERM would leave the running side and its folder behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with (
            EmbeddedBroker(heap_mb=1024) as broker,
            TemporaryDirectory(prefix="millstream-bench-") as folder,
        ):
            return _run(options, broker.bootstrap_servers, Path(folder))
    except (MillstreamError, KafkaException) as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _run(options: argparse.Namespace, servers: str, folder: Path) -> int:
    wrong = 0
    if "latency" in options.part:
        found = [each for name in options.side for each in _latency(options, name, servers, folder)]
        print("\n" + latency_table(found))
        if any(each.starts for each in found):
            print("\n" + starts_table(found))
        wrong = sum(not each.verdict.is_clean for each in found)
    if "rate" in options.part:
        _rate(options, servers, folder)
    return 1 if wrong else 0


def _latency(options: argparse.Namespace, name: str, servers: str, folder: Path) -> Sequence[Found]:
    # The micro-batch host begins a batch when the last one has ended, whatever it is told.
    intervals = options.commit_ms[:1] if name == MICRO_BATCH else options.commit_ms
    found = []
    for commit_ms in intervals:
        kills = (WORKER,) * options.kills * (name != KAFKA_STREAMS)
        kills += (PROGRAM,) * options.program_kills
        load = Load(rate=options.rate, keys=options.keys, measured_s=options.seconds, kills=kills)
        one = _side(options, name, commit_ms)
        found.append(measured(one, servers, folder, load, commit_ms=commit_ms))
        print(latency_table(found[-1:]).splitlines()[-1], flush=True)
    return found


def _rate(options: argparse.Namespace, servers: str, folder: Path) -> None:
    job = prepare(
        servers,
        workload="window-count",
        guarantee="exactly_once_v2",
        cache_bytes=10 * 1024 * 1024,
        warm_up=max(1, options.records // 4),
        records=options.records,
        timeout_s=600,
    )
    sides = [_side(options, name, 100) for name in options.side]
    rounds, loads = [], []
    for number in range(options.rounds):
        # Whoever comes later finds the page cache warmer, so they take turns at it.
        turn = number % len(sides)
        loads.append(os.getloadavg()[0])
        played = play(job, sides[turn:] + sides[:turn], folder)
        rounds.append({each.name: played[each.name] for each in sides})
    print("\n" + rate_table(rounds, loads))


def _side(options: argparse.Namespace, name: str, commit_ms: int) -> Side:
    return side(
        name,
        commit_ms=commit_ms,
        entries={
            "continuous.offsets": options.offsets,
            "continuous.barrier": str(options.barrier).lower(),
        },
        session_ms=options.session_ms,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.continuous",
        description="Measure a continuous host beside the micro-batch host and Kafka Streams.",
    )
    several: Any = {"action": "extend", "nargs": "+"}
    parser.add_argument("--part", choices=_PARTS, default=[], **several)
    parser.add_argument("--side", choices=_SIDES, default=[], **several)
    parser.add_argument("--commit-ms", type=_positive, default=[], help="(100)", **several)
    parser.add_argument("--rate", type=_positive, default=1_000, help="records a second (1,000)")
    parser.add_argument("--keys", type=_positive, default=50_000, help="(50,000)")
    parser.add_argument("--seconds", type=_positive, default=40, help="of latency (40)")
    parser.add_argument("--kills", type=int, default=3, help="of a task's process (3)")
    parser.add_argument("--program-kills", type=int, default=1, help="of the application (1)")
    parser.add_argument("--records", type=_positive, default=1_000_000, help="for the rate")
    parser.add_argument("--rounds", type=_positive, default=3, help="of the rate (3)")
    parser.add_argument(
        "--offsets",
        choices=("transaction", "early", "late"),
        default="transaction",
        help="where the continuous host commits offsets; the last two are wrong on purpose",
    )
    parser.add_argument("--barrier", action="store_true", help="run the tasks as a barrier stage")
    parser.add_argument(
        "--session", dest="session_ms", type=_positive, default=45_000, help="of Kafka Streams, ms"
    )
    return parser


def _positive(text: str) -> int:
    number = int(text.replace("_", "").replace(",", ""))
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
