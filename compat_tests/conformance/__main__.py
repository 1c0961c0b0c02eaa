"""The command `python -m compat_tests.conformance`."""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from compat_tests.conformance.corpus import (
    Verdict,
    judge,
    read_scenario,
    scenario_files,
    with_serdes,
)
from compat_tests.conformance.hostile import KINDS
from compat_tests.conformance.hosts import HOSTS

SPARK, ALONE = "spark", "spark-alone"
ALL = "all"


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    logging.getLogger("millstream").setLevel(logging.CRITICAL)
    files = scenario_files(options.folder, feature=options.feature, name=options.name)
    kinds = KINDS if options.serdes == ALL else [options.serdes]
    runs = [(file, kind) for kind in kinds for file in files]
    scenarios = [with_serdes(read_scenario(file), kind) for file, kind in runs]
    if not files:
        print(f"no scenario below {options.folder}", file=sys.stderr)
        return 2
    passed = failed = 0
    skipped: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    verdicts = _verdicts(scenarios, options.host)
    for (file, kind), verdict in zip(runs, verdicts, strict=True):
        shown = str(file.relative_to(options.folder) if options.folder.is_dir() else file)
        shown += "" if kind is None else f" with {kind} serdes"
        left_out.update(verdict.not_compared)
        if verdict.skipped_for:
            skipped[verdict.skipped_for] += 1
            if options.verbose:
                print(f"SKIP {shown}: {verdict.skipped_for}")
        elif verdict.differences:
            failed += 1
            listed = verdict.differences if options.verbose else verdict.differences[:1]
            for difference in listed:
                print(f"FAIL {shown}: {difference}", flush=True)
        else:
            passed += 1
    if options.host in (SPARK, ALONE) or options.serdes is not None:
        for reason, count in skipped.most_common():
            print(f"{count} skipped: {reason}")
        for what, count in left_out.most_common():
            print(f"{count} compared without {what}")
    print(f"{passed} passed, {failed} failed, {skipped.total()} skipped")
    return 1 if failed else 0


def _verdicts(scenarios: list[dict[str, Any]], host: str) -> Iterable[Verdict]:
    if host not in (SPARK, ALONE):
        return (judge(scenario, host) for scenario in scenarios)
    from compat_tests.conformance.spark_alone import Applications
    from compat_tests.conformance.spark_host import spark_world

    with spark_world() as world:
        runs = world if host == SPARK else Applications(world.spark, world.broker)
        return list(runs.judge_all(scenarios))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m compat_tests.conformance",
        description="Replay recorded scenarios of Kafka Streams and report what differs.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder, or one scenario file")
    parser.add_argument("--host", choices=[*sorted(HOSTS), SPARK, ALONE], default="driver")
    parser.add_argument(
        "--serdes",
        choices=[*KINDS, ALL],
        help="run them with serdes and functions that behave badly, in one way or in each",
    )
    parser.add_argument("--feature", help="only scenarios of this feature")
    parser.add_argument("--name", default="", help="only files with this in their name")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="list skips, and every difference of a file"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
