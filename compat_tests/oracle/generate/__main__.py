"""The command `python -m compat_tests.oracle.generate`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from compat_tests.oracle.generate.draft import Spec
from compat_tests.oracle.generate.features import FEATURES, scenario


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
            Path(folder, made["name"] + ".json").write_text(_text(made), encoding="utf-8")
    return 0


def _text(made: Spec) -> str:
    """One step and one event a line, so that scenarios can be read."""
    parts = []
    for field, value in made.items():
        if field in ("topology", "events"):
            lines = ",\n".join("  " + _json(item) for item in value)
            parts.append(f' "{field}":[\n{lines}]')
        else:
            parts.append(f' "{field}":{_json(value)}')
    return "{\n" + ",\n".join(parts) + "}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    sys.exit(main())
