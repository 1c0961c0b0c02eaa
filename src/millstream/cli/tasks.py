"""`millstream tasks`: shows the executor of each task, and the reason."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from millstream.cli.options import named
from millstream.core.config import StreamsConfig
from millstream.core.config.keys import CONFIG_KEYS
from millstream.core.errors import IllegalArgumentException
from millstream.topology.spark.placement.facts import Standby, TaskPlace
from millstream.topology.spark.placement.record import FILE, LOCAL, PlacementRecord, read_record

HEADINGS = ("task", "executor", "host", "standby on", "moved from", "at batch", "time", "why")
_DEFAULT_DIR = Path(str(CONFIG_KEYS[StreamsConfig.STATE_DIR_CONFIG].default))


def tasks(
    application_id: Annotated[
        str, typer.Argument(help="The application's `application.id`.", callback=named)
    ],
    state_dir: Annotated[
        Path, typer.Option(help="Its `state.dir`, on the machine of the driver.")
    ] = _DEFAULT_DIR,
    json: Annotated[bool, typer.Option("--json", help="Print the placement file as JSON.")] = False,
) -> None:
    """Show the executor of each task, its standby copies, its last move, and the reason."""
    directory = state_dir / application_id
    record = read_record(directory)
    if record is None:
        raise IllegalArgumentException(
            f'nothing is known of the tasks of "{application_id}"',
            detail=f'There is no {FILE} in "{directory}".',
            hint="Run this on the driver's machine, with --state-dir as in its configuration.",
        )
    if json:
        typer.echo((directory / FILE).read_text(encoding="utf-8"))
        return
    for line in _summary(record):
        typer.echo(line)
    table = Table(box=None, pad_edge=False)
    for heading in HEADINGS:
        table.add_column(heading, overflow="fold")
    hosts = {executor.id: executor.host for executor in record.executors}
    for place in record.tasks:
        table.add_row(*_row(place, hosts))
    # Without a terminal: wide enough for every column.
    console = Console()
    (console if console.is_terminal else Console(width=200)).print(table)


def _summary(record: PlacementRecord) -> list[str]:
    decides = f'task assignor "{record.assignor}"' if record.assignor else "Spark"
    why = f" ({record.remark})" if record.remark else ""
    counts = {executor.id: 0 for executor in record.executors}
    for place in record.tasks:
        if place.executor is not None:
            counts[place.executor] = counts.get(place.executor, 0) + 1
    spread = ", ".join(f"{executor}: {count}" for executor, count in counts.items())
    after = "before the first batch" if record.batch < 0 else f"after batch {record.batch}"
    if record.remark == LOCAL:
        after = "the start of the query: nothing moves in local mode"
    when = f"As of {_time(record.written_ms)}, {after}."
    return [
        f"{record.application_id}: {decides} decides{why}.",
        f"{when} Tasks by executor: {spread or 'none'}.",
    ]


def _row(place: TaskPlace, hosts: dict[str, str]) -> list[str]:
    executor = place.executor or "-"
    if place.wanted not in (None, place.executor):
        executor += f" (to be {place.wanted})"
    moved = place.moved
    last_move = ["", "", "", ""]
    if moved is not None:
        last_move = [moved.source or "-", str(moved.batch), _time(moved.at_ms), moved.reason]
    standbys = ", ".join(map(_standby, place.standbys)) or "-"
    return [repr(place.task), executor, hosts.get(place.executor or "", "-"), standbys, *last_move]


def _standby(copy: Standby) -> str:
    """Return the executor of a copy, and how far the copy is: its lag is in segments."""
    state = "running" if copy.running else "warming"
    return f"{copy.executor} {state}" + (f" (lag {copy.lag})" if copy.lag else "")


def _time(ms: int) -> str:
    moment = datetime.fromtimestamp(ms / 1000, tz=timezone.utc)
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")
