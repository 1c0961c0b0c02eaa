"""The command: python -m tools.docs."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

from tools.docs.building import SiteError, build
from tools.docs.places import ROOT
from tools.docs.staging import BrokenLinkError


def main(arguments: list[str] | None = None) -> int:
    """Build the site; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tools.docs", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site", help="folder")
    parser.add_argument("--version", default=version("millstream"), help="such as 0.2.0 or dev")
    given = parser.parse_args(arguments)
    try:
        site = build(given.out.resolve(), given.version)
    except (SiteError, BrokenLinkError, ValueError) as error:
        print(f"docs: {error}", file=sys.stderr)
        return 1
    print(site)
    return 0


if __name__ == "__main__":
    sys.exit(main())
