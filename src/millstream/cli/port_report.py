"""The report of `millstream port-check` for people: tables, counts and an estimate."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from millstream.porting.checking.knowledge import advice
from millstream.porting.checking.report import FORMULA, FileReport, Report
from millstream.porting.checking.verdicts import Status


def print_report(report: Report, show_same: bool) -> None:
    """Print what was found of each file; uses that are the same here only if asked for."""
    terminal = Console()
    console = terminal if terminal.is_terminal else Console(width=200)
    for file in report.files:
        _print_file(console, file, show_same)
    if report.unread:
        table = _table("not read", "why")
        for unread in report.unread:
            place = f"{unread.path}:{unread.line}" if unread.line else str(unread.path)
            table.add_row(place, unread.why)
        console.print(table)
    _print_summary(console, report)


def _print_file(console: Console, file: FileReport, show_same: bool) -> None:
    shown = [use for use in file.uses if show_same or use.verdict.status is not Status.SAME]
    table = _table("line", "Kafka Streams", "here", "how", "see")
    rows = [
        (use.line, use.shown, use.verdict.status.value, use.verdict.how, use.verdict.link)
        for use in shown
    ]
    for notice in file.notices:
        known = advice()[notice.kind]
        rows.append((notice.line, notice.what, "look at it", known.text, known.link))
    for line, *cells in sorted(rows, key=lambda row: row[0]):
        table.add_row(str(line), *cells)
    if table.row_count:
        console.print(str(file.path), highlight=False, soft_wrap=True)
        console.print(table)
        console.print()


def _print_summary(console: Console, report: Report) -> None:
    counts = report.counts()
    said = ", ".join(f"{count} {status.value}" for status, count in counts.items())
    files = f"{len(report.files)} files use Kafka, {report.without_kafka} do not."
    console.print(f"{files} {len(report.uses)} uses: {said}.", highlight=False)
    often = [f"{name} {count}" for name, count in list(report.by_class().items())[:12]]
    if often:
        console.print(f"Most used: {', '.join(often)}.", highlight=False)
    hours = report.minutes() / 60
    effort = f"{report.minutes():.0f} minutes" if hours < 2 else f"{hours:.1f} hours"
    console.print(f"Effort: about {effort} ({FORMULA}).", highlight=False)


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
