"""The command `python -m compat_tests.oracle.generate`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from compat_tests.oracle.generate.features import FEATURES, scenario
from compat_tests.oracle.generate.written import written


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m compat_tests.oracle.generate",
        description="Make up scenarios without expected results; python -m compat_tests.oracle "
        "fills those in.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="where to write; made if need be")
    parser.add_argument("--seed", type=int, required=True, metavar="N")
    parser.add_argument("--feature", choices=FEATURES, help="this one only; else all")
    parser.add_argument("--count", type=int, default=20, metavar="N", help="of each feature")
    options = parser.parse_args(arguments)
    for feature in [options.feature] if options.feature else FEATURES:
        folder = options.folder / feature
        folder.mkdir(parents=True, exist_ok=True)
        for index in range(options.count):
            made = scenario(options.seed, feature, index)
            Path(folder, made["name"] + ".json").write_text(written(made), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
