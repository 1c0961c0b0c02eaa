"""The `millstream` command: its subcommands and error output."""

from __future__ import annotations

import sys

import typer

from millstream.cli.broker import broker
from millstream.cli.jars import fetch_jars
from millstream.cli.plugins import plugins
from millstream.cli.tasks import tasks
from millstream.core.errors import MillstreamError

app = typer.Typer(
    name="millstream",
    help="Kafka Streams topologies in Python, on Spark.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("broker")(broker)
app.command("jars")(fetch_jars)
app.command("tasks")(tasks)
app.add_typer(plugins, name="plugins")


@app.callback()
def _root() -> None:
    """Kafka Streams topologies in Python, on Spark."""


def main() -> None:
    """Run the command of `sys.argv`; print our errors on one line and exit with status 1."""
    try:
        app()
    except MillstreamError as error:
        print(f"millstream: {one_line(error)}", file=sys.stderr)
        sys.exit(1)


def one_line(error: MillstreamError) -> str:
    """Return problem, detail and hint on one line; of a quoted log only its last line."""
    detail = error.detail
    if "\n" in detail:
        head, *_, last = detail.splitlines()
        detail = f"{head} {last.strip()}"
    sentences = [f"{error.problem}.", detail, error.hint]
    return " ".join(sentence for sentence in sentences if sentence)
