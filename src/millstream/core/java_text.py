"""Texts of simple values as Java's ``toString`` writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MS_A_DAY = 86_400_000


def java_text(value: Any) -> str:
    """Return the text of a value: ``null``, ``true`` and ``false``, otherwise Python's text.

    Example:
        >>> java_text(None), java_text(True), java_text("a")
        ('null', 'true', 'a')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def java_bytes(data: bytes | None) -> str:
    """Return the text of an array of bytes, which are signed in Java.

    Example:
        >>> java_bytes(b"a\\xff")
        '[97, -1]'
    """
    if data is None:
        return "null"
    return f"[{', '.join(str(each - 256 if each > 127 else each) for each in data)}]"


def java_map(entries: Mapping[Any, Any]) -> str:
    """Return the text of a map, maps within it included.

    Example:
        >>> java_map({"in": {0: 5}})
        '{in={0=5}}'
    """
    pairs = (f"{java_text(key)}={_inner(value)}" for key, value in entries.items())
    return f"{{{', '.join(pairs)}}}"


def java_instant(millis: int | None) -> str:
    """Return the text of an ``Instant``; a year beyond 9999 has a sign.

    Example:
        >>> java_instant(5)
        '1970-01-01T00:00:00.005Z'
    """
    if millis is None:
        return "null"
    days, rest = divmod(millis, MS_A_DAY)
    year, month, day = _civil(days)
    seconds, fraction = divmod(rest, 1000)
    text = f"{year:04d}" if 0 <= year <= 9999 else f"{year:+05d}"
    text += f"-{month:02d}-{day:02d}"
    text += f"T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{fraction:03d}Z" if fraction else f"{text}Z"


def _inner(value: Any) -> str:
    return java_map(value) if isinstance(value, Mapping) else java_text(value)


def _civil(days: int) -> tuple[int, int, int]:
    """Return year, month and day; ``datetime`` has the years 1 to 9999 only."""
    # The calendar repeats every 400 years, and a year that begins in March ends with its leap day.
    era, day_of_era = divmod(days + 719_468, 146_097)
    year = (day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    return year + era * 400 + (month <= 2), month, day
