"""Options that several subcommands share, and the form of their output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

EXIT_CODES = (
    "Exit codes: 0 fine; 1 an error, in one line on standard error; 2 wrong usage of the command."
)


def named(text: str) -> str:
    """Return an argument that is not empty, as one of an unset variable of a shell is.

    Raises:
        typer.BadParameter: It is empty.
    """
    if not text.strip():
        raise typer.BadParameter("It is empty.")
    return text


Target = Annotated[
    str,
    typer.Argument(
        help="A file (app.py) or a module (package.module), either with :name of a Topology, "
        "StreamsBuilder, KafkaStreams, or a function that returns one.",
        show_default=False,
    ),
]
Application = Annotated[
    str,
    typer.Argument(help="The application's application.id.", show_default=False, callback=named),
]
ConfigFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--config",
        "-c",
        metavar="FILE",
        help="Configuration: a TOML file, or Java's .properties. Repeatable; later files win.",
        show_default=False,
    ),
]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        "-s",
        metavar="KEY=VALUE",
        help="A configuration entry, such as bootstrap.servers=localhost:9092. Repeatable; wins "
        "over files and the environment (MILLSTREAM_SET_BOOTSTRAP_SERVERS).",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def absolute(location: str) -> str:
    """Return a location that means the same in every process; a URL as it is.

    Raises:
        typer.BadParameter: It is empty, which would be the working directory.
    """
    named(location)
    return location if "://" in location else Path(os.path.expanduser(location)).absolute().as_uri()


def epilog(*examples: str) -> str:
    """Return the end of a subcommand's help: examples, each in its line, and the exit codes."""
    # Click keeps the lines of a paragraph that begins with \b.
    lines = "\n".join(f"  {example}" for example in examples)
    title = "Example:" if len(examples) == 1 else "Examples:"
    return f"\b\n{title}\n{lines}\n\n{EXIT_CODES}"


def print_json(value: Any) -> None:
    """Print a value as JSON: a dictionary or list over several lines."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def print_json_line(value: Any) -> None:
    """Print a value as one line of JSON, at once."""
    print(json.dumps(value, ensure_ascii=False, default=str), flush=True)


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows below headings; numbers to the right."""
    listed = [list(row) for row in rows]
    table = Table(box=None, pad_edge=False)
    for index, heading in enumerate(headings):
        numbers = bool(listed) and all(isinstance(row[index], int) for row in listed)
        table.add_column(heading, overflow="fold", justify="right" if numbers else "left")
    for row in listed:
        table.add_row(*(_shown(cell) for cell in row))
    # Without a terminal: wide enough for every column.
    console = Console(highlight=False, markup=False)
    wide = Console(width=200, highlight=False, markup=False)
    (console if console.is_terminal else wide).print(table)


def warn(text: str) -> None:
    """Print a line on standard error."""
    print(f"millstream: {text}", file=sys.stderr, flush=True)


def _shown(cell: object) -> str:
    if cell is None:
        return "-"
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)
