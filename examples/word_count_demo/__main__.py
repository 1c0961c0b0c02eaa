"""The command line: `python -m examples.word_count_demo --help`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event

from confluent_kafka import KafkaException

from examples.word_count_demo.display import Display, PlainDisplay, TableDisplay
from examples.word_count_demo.signals import set_on_signals
from examples.word_count_demo.topics import demo_topics
from millstream.core.errors import MillstreamError
from millstream.plugins.kinds import OBSERVERS
from millstream.plugins.names import PAGE
from millstream.plugins.registry import offered
from millstream.testing.broker import EmbeddedBroker


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    stop = Event()
    set_on_signals(stop)
    try:
        print(_run(options, stop))
    except (MillstreamError, KafkaException) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _run(options: argparse.Namespace, stop: Event) -> str:
    from examples.word_count_demo.demo import Demo

    broker = nullcontext(options) if options.bootstrap_servers else EmbeddedBroker()
    print("demo: starting Kafka and Spark", flush=True)
    with (
        broker as server,
        demo_topics(server.bootstrap_servers) as run,
        TemporaryDirectory(prefix="millstream-demo-", ignore_cleanup_errors=True) as folder,
    ):
        demo = Demo(run, rate=options.rate, folder=Path(folder), ui=_ui(options))
        display: Display = PlainDisplay() if options.plain else TableDisplay()
        return demo.run(stop, options.seconds, display)


def _ui(options: argparse.Namespace) -> int | None:
    """Return the live page's port; None without one, or where its server is not installed."""
    there = find_spec("uvicorn") and find_spec("starlette") and PAGE in offered(OBSERVERS)
    if options.no_ui or not there:
        return None
    port: int = options.ui
    return port


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m examples.word_count_demo",
        description="Count the words of a stream of English text, exactly once, on Spark.",
    )
    parser.add_argument("--seconds", type=float, help="stop after so long (default: at Ctrl-C)")
    parser.add_argument("--plain", action="store_true", help="a line every 2 s, not a table")
    parser.add_argument("--ui", type=int, default=0, help="port of the live page (default: any)")
    parser.add_argument("--no-ui", action="store_true", help="no live page")
    parser.add_argument("--rate", type=float, default=1000, help="lines a second (default 1000)")
    parser.add_argument(
        "--bootstrap-server",
        dest="bootstrap_servers",
        metavar="HOST:PORT",
        help="a running broker; an embedded one is started otherwise",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
