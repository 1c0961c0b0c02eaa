"""`millstream state rescale`: a checkpoint or a savepoint with other numbers of partitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from millstream.cli.options import AsJson, ConfigFiles, Sets, Target, print_json, print_table

if TYPE_CHECKING:
    from millstream.cli.rescale_in_place import InPlace
    from millstream.cli.target import LoadedTarget


Partitions = Annotated[
    list[str] | None,
    typer.Option(
        "--partitions",
        metavar="TOPIC=N",
        help="The new number of partitions of a source topic; without a savepoint those that the "
        "topics have on the broker. Repeatable.",
        show_default=False,
    ),
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="STORE=key|STORE=MODULE:FUNCTION",
        help="Where the entries of a user's own store belong: to the partition of their key, or to "
        "the one that a function returns, given the key's bytes and the number of partitions. "
        "Repeatable.",
        show_default=False,
    ),
]


def rescale_state(
    target: Target,
    savepoint: Annotated[
        str | None,
        typer.Argument(
            help="The directory of a savepoint, instead of the application's own checkpoint.",
            show_default=False,
        ),
    ] = None,
    partitions: Partitions = None,
    by: By = None,
    to: Annotated[
        str | None,
        typer.Option(metavar="NEW", help="Write the new savepoint there.", show_default=False),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan, and change nothing.")
    ] = False,
    allow_unread: Annotated[
        bool,
        typer.Option(
            "--allow-unread",
            help="Rescale a checkpoint although unread records are in partitions where their keys "
            "do not belong any more.",
        ),
    ] = False,
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Give a state other numbers of partitions: every entry goes where its key belongs.

    Of a stopped application the checkpoint gets a next generation; the former one stays until
    `millstream state prune`. Of a savepoint --to writes a new one. The program is the one that
    wrote the state. Exit code 1 if a store cannot be moved.
    """
    from millstream.cli.settings import entries
    from millstream.cli.target import load_target

    sizes = _sizes(partitions or ())
    loaded = load_target(target, entries(config, sets))
    if savepoint is not None:
        if dry_run and to is not None:
            raise typer.BadParameter("Leave out --to, or --dry-run.")
        _rescale_savepoint(loaded, savepoint, sizes, by or (), to, json=json)
    elif to is not None:
        raise typer.BadParameter("--to goes with a savepoint.")
    else:
        from millstream.cli.rescale_in_place import InPlace

        rescaling = InPlace(loaded, sizes, by or (), allow_unread)
        _rescale_checkpoint(rescaling, dry_run=dry_run, json=json)


def _rescale_savepoint(
    loaded: LoadedTarget,
    savepoint: str,
    sizes: dict[str, int],
    by: Sequence[str],
    to: str | None,
    *,
    json: bool,
) -> None:
    from millstream.cli.state_rescale import PlannedRescaling
    from millstream.topology.savepoints.reader import Savepoint

    plan = PlannedRescaling(loaded, Savepoint(savepoint), sizes, by)
    if json:
        print_json({**plan.facts(), "written": to})
    else:
        _show_moves(plan.facts())
    plan.check()
    if to is not None:
        plan.write(to)
    elif not json:
        print("Nothing has been written. Add --to NEW to do it.")


def _rescale_checkpoint(rescaling: InPlace, *, dry_run: bool, json: bool) -> None:
    found: dict[str, Any] = {}

    def show(facts: dict[str, Any]) -> None:
        found.update(facts)
        if not json:
            _show_moves(facts)

    location = None
    try:
        if dry_run:
            rescaling.plan(show)
        else:
            location = rescaling.make(show)
    finally:
        if json and found:
            print_json({**found, "checkpoint": location})
    if json:
        return
    if location is not None:
        print(f"The new generation is {location}. Start the application with millstream run.")
    elif dry_run:
        print("Nothing has been written. Leave out --dry-run to do it.")
    else:
        print("There is nothing to do: the state has these numbers of tasks.")


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


def _show_moves(facts: dict[str, Any]) -> None:
    for part, tasks in facts["tasks"].items():
        print(f"sub-topology {part}: {tasks['before']} tasks become {tasks['after']}")
    if not facts["tasks"]:
        print("every sub-topology keeps its number of tasks")
    if facts["stores"]:
        headings = ("store", "before", "after", "rows", "moving", "refused")
        print_table(headings, [[row[name] for name in headings] for row in facts["stores"]])
    for each in facts.get("unread", ()):
        print(
            f'topic "{each["topic"]}": {each["records"]:,} records unread, of which '
            f"{each['misplaced']:,} are where their keys do not belong any more"
        )
