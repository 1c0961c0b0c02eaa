"""Short ways to check and read a source that stands in a test."""

from __future__ import annotations

from pathlib import Path

from millstream.porting.checking.report import Report, judged
from millstream.porting.reading import java, kotlin
from millstream.porting.reading.sources import Reading


def checked(source: str, *more: str, language: str = "java") -> Report:
    """Check sources without writing them to files."""
    read = java.read if language == "java" else kotlin.read
    units = [
        read(Path(f"Source{index}.{language}"), each.encode())
        for index, each in enumerate((source, *more))
    ]
    return judged(Reading(tuple(units), ()))


def shown(report: Report, *kinds: str) -> list[str]:
    """Return the uses in words; types only if asked for."""
    wanted = kinds or ("call", "new", "constant", "field")
    return [f"{use.shown}: {use.verdict.status.value}" for use in report.uses if use.kind in wanted]
