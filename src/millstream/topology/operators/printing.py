"""Processor of ``print``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from millstream.core.function_kinds import check_result
from millstream.topology.operators.operator import AnyRecord, Operator


class Print(Operator):
    """Writes ``[label]: text`` for each record, to a file or to standard output."""

    def __init__(
        self, label: str, path: Path | None, mapper: Callable[[Any, Any], str] | None
    ) -> None:
        self._label = label
        self._path = path
        self._mapper = mapper
        self._file: TextIO | None = None

    def init(self, context: Any) -> None:
        """Open the file; every task adds to it."""
        super().init(context)
        if self._path is not None:
            # As Java's writer, "?" for half of a pair of surrogates.
            self._file = self._path.open("a", encoding="utf-8", errors="replace")

    def process(self, record: AnyRecord) -> None:
        key, value = record._key, record._value
        if self._mapper is None:
            text = f"{_java_text(key)}, {_java_text(value)}"
        else:
            found = self._mapper(key, value)
            check_result(found, "the mapper of print()")
            text = _java_text(found)
        line = f"[{self._label}]: {text}"
        if self._file is not None:
            print(line, file=self._file)
            return
        try:
            print(line, flush=True)
        except UnicodeEncodeError:
            # Standard output has another encoding, as with LC_ALL=C.
            encoding = sys.stdout.encoding or "ascii"
            print(line.encode(encoding, "backslashreplace").decode(encoding), flush=True)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def _java_text(value: Any) -> str:
    return "null" if value is None else str(value)
