"""Records as HTML tables, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, TypeVar

from millstream.core.headers import Headers
from millstream.core.java_text import java_instant
from millstream.core.keyvalue import KeyValue

T = TypeVar("T")

_MOST_ROWS = 100
_MOST_CHARACTERS = 500


class RecordList(list[T]):
    """A list of records or pairs that a notebook shows as a table."""

    def _repr_html_(self) -> str:
        return records_table(self)


def records_table(records: Sequence[Any]) -> str:
    """Return the HTML table of records or ``KeyValue`` pairs; of many, the first 100.

    Every text is escaped: a value may be anything that came from outside.
    """
    pairs = all(isinstance(each, KeyValue) for each in records) and bool(records)
    names = ("key", "value") if pairs else ("key", "value", "time", "headers")
    rows = [_cells(each) for each in records[:_MOST_ROWS]]
    left = len(records) - len(rows)
    more = f"<p>and {left} more</p>" if left else ""
    return html_table(names, rows) + more


def html_table(names: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of texts, escaped."""
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cells(record: Any) -> list[str]:
    if isinstance(record, KeyValue):
        return [_short(record.key), _short(record.value)]
    time = record.timestamp()
    headers: Headers = record.headers()
    shown = ", ".join(f"{each.key()}={each.value()!r}" for each in headers)
    return [
        *(_short(record.key()), _short(record.value())),
        "" if time is None else java_instant(time),
        shown[:_MOST_CHARACTERS],
    ]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…"
