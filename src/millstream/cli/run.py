"""`millstream run`: a topology on Spark, with its progress, until a signal or a failure."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from millstream.cli.history import Files, From, ToEnd, Until, bounds, files
from millstream.cli.options import ConfigFiles, Sets, Target
from millstream.cli.savepoint import FromSavepoint, beginning
from millstream.cli.ui import Ui, served

if TYPE_CHECKING:
    from millstream.cli.displays import RunDisplay

_PLAIN_S, _LIVE_S, _JSON_S = 2.0, 0.5, 1.0


def run(
    target: Target,
    config: ConfigFiles = None,
    sets: Sets = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="A line every 2 s; so without a terminal.")
    ] = False,
    dashboard: Annotated[
        bool, typer.Option("--dashboard", help="A panel in the terminal.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="A line of JSON every second, and one at the end.")
    ] = False,
    every: Annotated[
        float | None,
        typer.Option(
            min=0.05, metavar="SECONDS", help="Time between two lines.", show_default=False
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Write all log records, Spark's too, to stderr.")
    ] = False,
    for_s: Annotated[
        float | None,
        typer.Option(
            "--for", min=0, metavar="SECONDS", help="Close after so long a run.", show_default=False
        ),
    ] = None,
    until_idle: Annotated[
        bool,
        typer.Option(
            "--until-idle", help="Close when everything is read and nothing has come for --idle."
        ),
    ] = False,
    from_savepoint: FromSavepoint = None,
    idle: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="See --until-idle.")] = 3.0,
    ui: Ui = None,
    to_end: ToEnd = False,
    start: From = None,
    until: Until = None,
    file: Files = None,
) -> None:
    """Run an application on Spark until Ctrl-C, and show rate, lag, batch time and state size.

    Ctrl-C or SIGTERM finishes the current batch and closes: exit code 0. A failure is told on
    standard error: exit code 1.
    """
    if sum((plain, dashboard, json)) > 1:
        raise typer.BadParameter("Choose one of --plain, --dashboard and --json.")
    if ((start or until or file) and not to_end) or (to_end and until_idle):
        raise typer.BadParameter("--from, --until, --file go with --to-end; --until-idle does not.")
    from millstream.cli.running import Ending, prepared, run_to_end

    first, last, given = bounds(start, "--from"), bounds(until, "--until"), files(file)
    sets = [*(sets or ()), *beginning(from_savepoint), *served(ui)]
    application = prepared(target, config, sets, verbose=verbose, until_idle=until_idle)
    where = f"log in {application.log}" if application.log else "no log file"
    print(f"millstream: {application.name}: starting; {where}", file=sys.stderr, flush=True)
    kind = "json" if json else "dashboard" if dashboard else "lines" if plain or verbose else ""
    display = _display(kind, every, application.name)
    # Without a batch nothing is read: one must have had the time to begin.
    idle_s = max(idle, application.batches_s + 1) if until_idle else None
    ending = Ending(for_s=for_s, idle_s=idle_s)

    run_all = application.streams.runToEnd
    main = (lambda: run_all(start=first, end=last, files=given).asMap()) if to_end else None
    failure: Any = run_to_end(application, display, ending, main)
    if failure is not None:
        print(f"millstream: {failure}", file=sys.stderr)
        raise typer.Exit(1)


def _display(kind: str, every: float | None, name: str) -> RunDisplay:
    from millstream.cli import displays

    if kind == "json":
        return displays.JsonLines(every or _JSON_S)
    if kind == "dashboard":
        return displays.Dashboard(every or _LIVE_S, name)
    # Of a verbose log's lines and a line that is drawn anew, each would overwrite the other.
    if kind == "lines" or not sys.stdout.isatty():
        return displays.PlainLines(every or _PLAIN_S)
    return displays.LiveLine(every or _LIVE_S)
