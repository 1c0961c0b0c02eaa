"""The journal of the starts of continuous tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def starts(journal: Path) -> list[dict[str, Any]]:
    """Return the facts of each start, the oldest first; none if there was none yet."""
    if not journal.exists():
        return []
    return [json.loads(line) for line in journal.read_text().splitlines()]


def process_of(journal: Path, task: str) -> int | None:
    """Return the process of a task's last start; None if it has not started."""
    found = [each["pid"] for each in starts(journal) if each["task"] == task]
    return int(found[-1]) if found else None
