"""``python -m compat_tests.smoke``: run the smoke test; status 1 if anything is found."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from compat_tests.smoke.faults import FAULTS
from compat_tests.smoke.report import Report
from compat_tests.smoke.run import Options, run
from compat_tests.smoke.topology import PARTS

PROTECTIONS = ("token", "rollback", "fencing")


def options_from(arguments: Sequence[str] | None) -> tuple[Options, argparse.Namespace]:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(prog="python -m compat_tests.smoke", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=20, help="number of faults that strike")
    parser.add_argument(
        "--guarantee", default="exactly_once_v2", choices=("exactly_once_v2", "at_least_once")
    )
    parser.add_argument(
        "--faults", default="", help="names with commas, or all; else the quick ones at random"
    )
    parser.add_argument("--minutes", type=float, default=0.0, help="strike no longer than this")
    parser.add_argument("--keys", type=int, default=20)
    parser.add_argument("--per-key", type=int, default=1000, help="records of each key")
    parser.add_argument(
        "--without", default="", choices=("", *PROTECTIONS), help="switch a protection off"
    )
    parser.add_argument("--parts", default="both", choices=(*PARTS, "both"), help="of the topology")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--keep", default="", help="where logs and report.json stay")
    parser.add_argument("--list", action="store_true", help="print the names of the faults")
    given = parser.parse_args(arguments)
    names = tuple(filter(None, given.faults.split(",")))
    faults = tuple(FAULTS) if names == ("all",) else names
    if unknown := [name for name in faults if name not in FAULTS]:
        parser.error(f"no fault is called {', '.join(unknown)}; there are {', '.join(FAULTS)}")
    options = Options(
        seed=given.seed,
        kills=given.kills,
        guarantee=given.guarantee,
        faults=faults,
        minutes=given.minutes,
        keys=given.keys,
        per_key=given.per_key,
        without=given.without,
        parts=PARTS if given.parts == "both" else (given.parts,),
    )
    return options, given


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; return the exit status."""
    options, given = options_from(arguments)
    if given.list:
        print("\n".join(FAULTS))
        return 0
    report = _run(options, given.keep)
    if given.keep:
        Path(given.keep, "report.json").write_text(report.json(), encoding="utf-8")
    print(report.json() if given.json else report.text())
    return 0 if report.is_clean() else 1


def _run(options: Options, keep: str) -> Report:
    if keep:
        directory = Path(keep).absolute()
        directory.mkdir(parents=True, exist_ok=True)
        if any(directory.iterdir()):
            sys.exit(f"{directory} is not empty: another run's broker and state may be in it")
        return run(options, directory)
    with tempfile.TemporaryDirectory(prefix="millstream-smoke-") as made:
        return run(options, Path(made))


if __name__ == "__main__":
    sys.exit(main())
