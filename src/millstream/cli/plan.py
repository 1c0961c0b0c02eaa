"""`millstream plan`: a program compared with its checkpoint, before it is started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from millstream.cli.options import AsJson, ConfigFiles, Sets, Target, print_json

if TYPE_CHECKING:
    from millstream.cli.planned import PlannedChange


def plan(
    target: Target,
    offline: Annotated[
        bool,
        typer.Option(
            "--offline", help="Ask no broker: partitions, and topics of patterns, are not compared."
        ),
    ] = False,
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Compare a program with its checkpoint: what goes on, what is new, what needs a word.

    Starts nothing and changes nothing. Exit code 1 if the application would not start: a store
    needs a word in the configuration, or is refused. A checkpoint that is not on this machine is
    read with Spark.
    """
    from millstream.cli.planned import planned

    found = planned(target, config, sets, offline=offline)
    if json:
        print_json(found.facts())
    else:
        _show(found)
    if not found.goes_on:
        raise typer.Exit(1)


def _show(found: PlannedChange) -> None:
    typer.echo(f"{found.application}: {found.place()}")
    for remark in found.remarks:
        typer.echo(f"note: {remark}")
    lines = found.lines()
    widths = [max((len(line[column]) for line in lines), default=0) for column in (0, 1)]
    for kind, name, text in lines:
        typer.echo(f"{kind:<{widths[0]}}  {name:<{widths[1]}}  {text}")
    typer.echo(found.summary())
