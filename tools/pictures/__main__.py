"""Writes the pictures: python -m tools.pictures [FOLDER]."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.pictures import batch, grace, joins, life_cycles, suppression, windows

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


def pictures() -> dict[str, str]:
    """Return every picture by the name of its file."""
    rooms = (windows, joins, suppression, grace, batch, life_cycles)
    return {name: svg for room in rooms for name, svg in room.pictures().items()}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, svg in pictures().items():
        (folder / name).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
