"""`millstream port-check` and `millstream port`: judge a Java program, and draft it in Python."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from millstream.cli.options import AsJson
from millstream.core.errors import IllegalArgumentException
from millstream.porting.checking.knowledge import advice
from millstream.porting.checking.report import FORMULA, FileReport, Report, as_json, check
from millstream.porting.checking.verdicts import Status
from millstream.porting.drafting.draft import draft_file


def port_check(
    sources: Annotated[
        list[Path], typer.Argument(metavar="SRC...", help="Java or Kotlin files, or folders.")
    ],
    json: AsJson = False,
    show_same: Annotated[
        bool, typer.Option("--all", help="Also list what is the same here.")
    ] = False,
) -> None:
    """Say for each use of Kafka Streams whether it is the same here, differs or is missing.

    Exit status 0: everything is here, maybe different. 1: something is missing, or a file could
    not be read wholly.
    """
    report = check(sources)
    if json:
        typer.echo(json_format.dumps(as_json(report), indent=1))
    else:
        _print(report, show_same)
    raise typer.Exit(0 if report.clean else 1)


def port(
    file: Annotated[Path, typer.Argument(help="A Java file.", show_default=False)],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the draft into this file.", show_default=False),
    ] = None,
    json: AsJson = False,
) -> None:
    """Write a first draft of a Java file in Python.

    What cannot be translated stays as a comment with the Java text, followed by an error that
    names the line; the draft is valid Python in any case.
    """
    draft = draft_file(file)
    left = sorted(set(draft.left))
    if output is not None:
        try:
            output.write_text(draft.text, encoding="utf-8")
        except OSError as error:
            raise IllegalArgumentException(
                f"cannot write {output}", detail=f"{error.strerror}."
            ) from error
    if json:
        typer.echo(json_format.dumps({"text": draft.text, "left": list(draft.left)}, indent=1))
    elif output is None:
        typer.echo(draft.text, nl=False)
    places = f"{len(draft.left)} {'place is' if len(draft.left) == 1 else 'places are'} left"
    where = f", from lines {', '.join(map(str, left))} of {file.name}" if left else ""
    typer.echo(f"millstream: {places}{where}.", err=True)


def _print(report: Report, show_same: bool) -> None:
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
