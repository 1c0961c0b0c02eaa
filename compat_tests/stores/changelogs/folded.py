"""Comparison of a changelog topic's records with the rows of its store."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from millstream.core.state.changelog_format import ChangelogFormat, ChangelogRecord

Rows = Mapping[bytes, bytes]


def missing_in(
    layout: ChangelogFormat, records: Iterable[ChangelogRecord], rows: Rows
) -> dict[bytes, bytes | None]:
    """The rows that the records do not give, with what they give instead."""
    found, wanted = folded(layout, records), without_summaries(layout, rows)
    return {key: found.get(key) for key in wanted if found.get(key) != wanted[key]}


def left_over(
    layout: ChangelogFormat, records: Iterable[ChangelogRecord], rows: Rows
) -> set[bytes]:
    """The keys of rows that only the records give."""
    return folded(layout, records).keys() - rows.keys()


def folded(layout: ChangelogFormat, records: Iterable[ChangelogRecord]) -> dict[bytes, bytes]:
    return without_summaries(layout, dict(layout.replayed(records)))


def without_summaries(layout: ChangelogFormat, rows: Rows) -> dict[bytes, bytes]:
    """The rows of entries; those about all of them may count what has expired, too."""
    return {key: value for key, value in rows.items() if not layout.is_summary(key)}
