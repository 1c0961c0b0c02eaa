"""`millstream state rescale`: a savepoint with other numbers of partitions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from millstream.cli.options import AsJson, ConfigFiles, Sets, Target, print_json, print_table

if TYPE_CHECKING:
    from millstream.cli.state_rescale import PlannedRescaling


def rescale_savepoint(
    target: Target,
    savepoint: Annotated[
        str, typer.Argument(help="The directory of a savepoint.", show_default=False)
    ],
    partitions: Annotated[
        list[str] | None,
        typer.Option(
            "--partitions",
            metavar="TOPIC=N",
            help="The new number of partitions of a source topic. Repeatable.",
            show_default=False,
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="STORE=key|STORE=MODULE:FUNCTION",
            help="Where the entries of a user's own store belong: to the partition of their key, "
            "or to the one that a function returns, given the key's bytes and the number of "
            "partitions. Repeatable.",
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="NEW", help="Write the new savepoint there.", show_default=False),
    ] = None,
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Give a savepoint other numbers of partitions: every entry goes where its key belongs.

    Prints the plan; --to writes the new savepoint, from which `millstream run --from-savepoint`
    starts. The program is the one that the savepoint is of. Exit code 1 if a store cannot be moved.
    """
    from millstream.cli.settings import entries
    from millstream.cli.state_rescale import PlannedRescaling
    from millstream.cli.target import load_target
    from millstream.topology.savepoints.reader import Savepoint

    sizes = _sizes(partitions or ())
    loaded = load_target(target, entries(config, sets))
    plan = PlannedRescaling(loaded, Savepoint(savepoint), sizes, by or ())
    if json:
        print_json({**plan.facts(), "written": to})
    else:
        _show_moves(plan)
    plan.check()
    if to is not None:
        plan.write(to)
    elif not json:
        print("Nothing has been written. Add --to NEW to do it.")


def _sizes(texts: Iterable[str]) -> dict[str, int]:
    found = {}
    for text in texts:
        topic, _, number = text.rpartition("=")
        if not topic or not number.isdecimal() or not int(number):
            raise typer.BadParameter(
                f'"{text}" is not of the form topic=8.', param_hint="'--partitions'"
            )
        found[topic] = int(number)
    return found


def _show_moves(plan: PlannedRescaling) -> None:
    facts = plan.facts()
    for part, tasks in facts["tasks"].items():
        print(f"sub-topology {part}: {tasks['before']} tasks become {tasks['after']}")
    if not facts["tasks"]:
        print("every sub-topology keeps its number of tasks")
    if facts["stores"]:
        headings = ("store", "before", "after", "rows", "moving", "refused")
        print_table(headings, [[row[name] for name in headings] for row in facts["stores"]])
