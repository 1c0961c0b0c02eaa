"""The command `python -m compat_tests.oracle`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from compat_tests.oracle.runner import run_oracle
from millstream.core.errors import MillstreamError


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m compat_tests.oracle",
        description="Run scenarios through the real Kafka Streams and record what it did in them.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder of scenario files")
    parser.add_argument("--log", default="off", metavar="LEVEL", help="log level of Kafka Streams")
    options = parser.parse_args(arguments)
    if not options.folder.is_dir():
        parser.error(f"{options.folder} is not a folder")
    try:
        return run_oracle(options.folder, log_level=options.log)
    except MillstreamError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
