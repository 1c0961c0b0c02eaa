"""The command `python -m compat_tests.conformance`."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from compat_tests.conformance.corpus import judge, read_scenario, scenario_files
from compat_tests.conformance.hosts import HOSTS


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    logging.getLogger("millstream").setLevel(logging.CRITICAL)
    files = scenario_files(options.folder, feature=options.feature, name=options.name)
    if not files:
        print(f"no scenario below {options.folder}", file=sys.stderr)
        return 2
    passed = failed = skipped = 0
    for file in files:
        verdict = judge(read_scenario(file), options.host)
        shown = file.relative_to(options.folder) if options.folder.is_dir() else file
        if verdict.skipped_for:
            skipped += 1
            if options.verbose:
                print(f"SKIP {shown}: {verdict.skipped_for} is not built yet")
        elif verdict.differences:
            failed += 1
            listed = verdict.differences if options.verbose else verdict.differences[:1]
            for difference in listed:
                print(f"FAIL {shown}: {difference}", flush=True)
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m compat_tests.conformance",
        description="Replay recorded scenarios of Kafka Streams and report what differs.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder, or one scenario file")
    parser.add_argument("--host", choices=sorted(HOSTS), default="driver")
    parser.add_argument("--feature", help="only scenarios of this feature")
    parser.add_argument("--name", default="", help="only files with this in their name")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="list skips, and every difference of a file"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
