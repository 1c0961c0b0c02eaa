"""The command line: `python -m benchmarks.rebalance --help`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.rebalance.measure import assign_seconds, lives, summary
from benchmarks.rebalance.plot import plot
from benchmarks.rebalance.report import table
from benchmarks.rebalance.settings import add_options, setting_of
from benchmarks.rebalance.strategies import BUILT_IN, CHEAP, VARIANTS, assignor_named, strategies
from millstream.core.errors import MillstreamError

EPILOG = """
Time, executors and tasks are simulated; the assignors and the protocol are millstream's own. Every
strategy lives through the same histories: a tenth more executors join; one is away for half of the
delay; and a random history. In all of them it is checked that each task has one owner in every
stable state and never two, that nothing is revoked without need, that no copy is beside its active
task, and that the group settles after a bounded number of rebalances. What does not hold ends the
run and prints the call that shows it again.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    setting = setting_of(options)
    try:
        assignor = assignor_named(options.assignor)
        known = strategies(options.assignor, setting.seed)
        usual = [options.assignor, *CHEAP] if setting.is_large() else list(known)
        names = options.strategy or usual
        if unknown := [name for name in names if name not in known]:
            parser.error(f'no strategy "{unknown[0]}"; there are {", ".join(known)}')
        chosen = {name: known[name] for name in names}
        seconds = assign_seconds(setting, assignor)
        found = lives(setting, chosen)
        measured = summary(setting, options.assignor, seconds, found)
        print(json.dumps(measured) if options.json else table(measured))
        if options.plot is not None:
            plot(setting, found, options.plot)
    except MillstreamError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.rebalance",
        description="Simulate executors that come and go, and compare what strategies cost.",
        epilog=EPILOG,
    )
    add_options(parser)
    parser.add_argument(
        "--assignor",
        default=BUILT_IN[0],
        metavar="NAME",
        help=f"which to look at most closely: a plugin's name or a class's path ({BUILT_IN[0]})",
    )
    parser.add_argument(
        "--strategy",
        action="append",
        metavar="NAME",
        help="may be given several times; otherwise all of the assignor, "
        f"{', '.join((*BUILT_IN, *VARIANTS))}; above 20,000 tasks the assignor, {', '.join(CHEAP)}",
    )
    parser.add_argument("--json", action="store_true", help="print one line of JSON")
    parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="draw what the history costs")
    return parser


if __name__ == "__main__":
    sys.exit(main())
