"""The command line: `python -m benchmarks.vs_kafka_streams --help`."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from confluent_kafka import KafkaException

from benchmarks.vs_kafka_streams.report import print_round, print_summary
from benchmarks.vs_kafka_streams.rounds import play, prepare
from benchmarks.vs_kafka_streams.sides import kafka_streams, millstream
from benchmarks.vs_kafka_streams.verify import verify
from benchmarks.vs_kafka_streams.workloads import GUARANTEES, RECORDS, WORKLOADS
from millstream.core.errors import MillstreamError
from millstream.testing.broker import EmbeddedBroker


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    # Otherwise a SIGTERM would leave the running side and its folder behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with _broker(options) as broker, TemporaryDirectory(prefix="millstream-bench-") as folder:
            return _run(options, broker.bootstrap_servers, Path(folder))
    except (MillstreamError, KafkaException) as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _run(options: argparse.Namespace, bootstrap_servers: str, folder: Path) -> int:
    sides = (kafka_streams(), millstream(dict(options.set)))
    weight = WORKLOADS[options.workload].weight
    records = (options.records or (20_000 if options.verify else RECORDS)) // weight
    warm_up = options.warm_up // weight if options.warm_up else records // 4
    job = prepare(
        bootstrap_servers,
        workload=options.workload,
        guarantee=options.guarantee,
        cache_bytes=options.cache,
        warm_up=warm_up,
        records=records,
        timeout_s=options.timeout,
    )
    if options.verify:
        compared = verify(job, sides, folder)
        print(f"verify: {options.workload}: {compared} final results are equal")
        return 0
    played = []
    for number in range(options.rounds):
        # Whoever goes second finds the page cache warmer, so they take turns at it.
        order = sides if number % 2 == 0 else sides[::-1]
        played.append(play(job, order, folder))
        if not options.json:
            print_round(number + 1, played[-1])
    print_summary(job, records, played, as_json=options.json)
    return 0


def _broker(options: argparse.Namespace) -> EmbeddedBroker | nullcontext[argparse.Namespace]:
    return nullcontext(options) if options.bootstrap_servers else EmbeddedBroker()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.vs_kafka_streams",
        description="Drain one topic with millstream and with Kafka Streams; compare the rates.",
    )
    parser.add_argument("--workload", choices=WORKLOADS, required=True)
    parser.add_argument("--records", type=_positive, help=f"counted records (default {RECORDS:,})")
    parser.add_argument("--warm-up", type=_positive, help="records before them (a quarter)")
    parser.add_argument("--guarantee", choices=GUARANTEES, default=GUARANTEES[0])
    parser.add_argument(
        "--cache",
        type=int,
        default=10 * 1024 * 1024,
        metavar="BYTES",
        help="statestore.cache.max.bytes of both sides (default 10 MiB)",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=lambda text: text.split("=", 1),
        metavar="KEY=VALUE",
        help="an entry of millstream's configuration alone",
    )
    parser.add_argument("--rounds", type=_positive, default=3)
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    parser.add_argument("--verify", action="store_true", help="compare results, not rates")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one drain")
    parser.add_argument(
        "--bootstrap-server",
        dest="bootstrap_servers",
        metavar="HOST:PORT",
        help="a running broker; an embedded one is started otherwise",
    )
    return parser


def _positive(text: str) -> int:
    number = int(text.replace("_", "").replace(",", ""))
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
