"""The last errors of an application, with the place that each names."""

from __future__ import annotations

import re
from collections import deque
from typing import Any

from millstream.core.errors import MillstreamError

KEPT = 20
# As the engine writes where a record failed: see core/engine/failure.py.
_OPERATOR = re.compile(r'in operator "([^"\n]+)"')
_TASK = re.compile(r"\b[Tt]ask (\d+_\d+)")
_RECORD = re.compile(r"\b[Tt]ask \d+_\d+, (\S+)-(\d+) at offset (\d+)")


class LastErrors:
    """Keeps the last errors; newest first when they are read."""

    def __init__(self) -> None:
        self._kept: deque[dict[str, Any]] = deque(maxlen=KEPT)

    def add(self, error: BaseException, at_ms: int) -> None:
        """Keep an error."""
        self._kept.appendleft(row_of(error, at_ms))

    def rows(self) -> list[dict[str, Any]]:
        """Return the errors as the page shows them."""
        return list(self._kept)


def row_of(error: BaseException, at_ms: int) -> dict[str, Any]:
    """Return an error as the page shows it; of its place what the text tells."""
    message, hint, detail = str(error), "", ""
    if isinstance(error, MillstreamError):
        message, hint, detail = error.getMessage(), error.hint, error.detail
    text = f"{message}\n{detail}"
    operator, named, record = (each.search(text) for each in (_OPERATOR, _TASK, _RECORD))
    task = getattr(error, "task_id", None)
    return {
        "at": at_ms,
        "kind": type(error).__name__,
        "message": f"{message}: {detail}" if detail else message,
        "operator": operator and operator[1],
        "task": str(task) if task is not None else named and named[1],
        "topic": record and record[1],
        "partition": record and int(record[2]),
        "offset": record and int(record[3]),
        "hint": hint or None,
    }
