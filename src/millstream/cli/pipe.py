"""`millstream pipe`: records from standard input, written to a topic."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from millstream.cli.options import ConfigFiles, Sets
from millstream.cli.peek import SerdeName


def pipe(
    topic: Annotated[str, typer.Argument(help="The topic.", show_default=False)],
    key_serde: Annotated[
        str, typer.Option(metavar="SERDE", help="As for `millstream peek`.")
    ] = "string",
    value_serde: SerdeName = "string",
    sep: Annotated[
        str | None,
        typer.Option(
            "--sep",
            metavar="TEXT",
            help="What stands between key and value; \\t is a tab. Without it a line is a value, "
            "and there is no key.",
            show_default=False,
        ),
    ] = None,
    null: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Key or value that stands for null.", show_default=False),
    ] = None,
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Lines are JSON objects with key, value, and optionally timestamp (ms), "
            "partition and headers, as `millstream peek --json` prints them.",
        ),
    ] = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Write the lines of standard input to a topic, and wait until the broker has them.

    A line that is wrong, or that the broker refuses, is told on standard error; the others are
    written. Exit code 1 if there was one.
    """
    from millstream.cli.serde_names import named_serde
    from millstream.cli.settings import entries, streams_config
    from millstream.cli.writing import PipeOptions, write_records

    given = entries(config, sets)
    options = PipeOptions(
        topic=topic,
        key=named_serde(key_serde, given, is_key=True),
        value=named_serde(value_serde, given, is_key=False),
        separator=None if sep is None else sep.replace("\\t", "\t"),
        null=null,
        json=json,
    )
    if not write_records(streams_config(given), options, sys.stdin.buffer):
        raise typer.Exit(1)
