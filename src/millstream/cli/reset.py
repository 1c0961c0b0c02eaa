"""`millstream reset`: an application that begins anew, as Kafka's reset tool prepares it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from millstream.cli.options import (
    Application,
    AsJson,
    ConfigFiles,
    Sets,
    print_json,
    print_table,
    warn,
)

Topics = list[str] | None


def reset(
    app: Application,
    input_topics: Annotated[
        Topics,
        typer.Option(
            metavar="TOPICS",
            help="Topics to reset, by commas or repeated; all with committed offsets by default.",
            show_default=False,
        ),
    ] = None,
    intermediate_topics: Annotated[
        Topics,
        typer.Option(metavar="TOPICS", help="Topics to skip to their end.", show_default=False),
    ] = None,
    internal_topics: Annotated[
        Topics,
        typer.Option(
            metavar="TOPICS",
            help="Internal topics to delete; all of the application's by default.",
            show_default=False,
        ),
    ] = None,
    to_earliest: Annotated[
        bool, typer.Option("--to-earliest", help="To the oldest records: the default.")
    ] = False,
    to_latest: Annotated[bool, typer.Option("--to-latest", help="To the end.")] = False,
    to_offset: Annotated[
        int | None, typer.Option(min=0, help="To an offset.", show_default=False)
    ] = None,
    shift_by: Annotated[
        int | None,
        typer.Option(help="By so many records, forward or (-N) back.", show_default=False),
    ] = None,
    to_datetime: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="2026-01-31T12:00:00.000; UTC unless it says.", show_default=False
        ),
    ] = None,
    by_duration: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="To so long ago: P7D, PT1H30M.", show_default=False),
    ] = None,
    from_file: Annotated[
        Path | None,
        typer.Option(help="A CSV file: topic,partition,offset.", show_default=False),
    ] = None,
    execute: Annotated[bool, typer.Option("--execute", help="Do it.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan only: the default.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Although the application last ran on another machine, or with another "
            "checkpoint. It must be stopped there.",
        ),
    ] = False,
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Reset a stopped application: offsets, checkpoint, local state, internal topics.

    Its next start reads from the new offsets with empty stores. Prints the plan; --execute does
    it. state.dir and millstream.checkpoint.location must be those of the application.
    """
    from millstream.cli.reset_offsets import Scenario
    from millstream.cli.reset_plan import execute_plan, planned, stopped_application
    from millstream.cli.settings import entries, streams_config

    if execute and dry_run:
        raise typer.BadParameter("Choose one of --execute and --dry-run.")
    scenario = Scenario(
        to_earliest=to_earliest,
        to_latest=to_latest,
        to_offset=to_offset,
        shift_by=shift_by,
        to_datetime=to_datetime,
        by_duration=by_duration,
        from_file=from_file,
    )
    scenario.check()
    checked = streams_config(entries(config, sets), app)
    with stopped_application(checked, force=force) as application:
        plan = planned(
            application,
            scenario,
            _split(input_topics),
            _split(intermediate_topics),
            None if internal_topics is None else _split(internal_topics),
        )
        if not json:
            _show(plan)
        if execute:
            execute_plan(application, plan)
    if json:
        print_json({**plan.facts(), "executed": execute})
    else:
        end = "Done." if execute else "Nothing has been changed. Add --execute to do it."
        print(end)


def _split(texts: Topics) -> list[str]:
    names = (name.strip() for text in texts or () for name in text.split(","))
    return list(dict.fromkeys(name for name in names if name))


def _show(plan: Any) -> None:
    rows = [
        (topic, partition, plan.before.get((topic, partition)), offset)
        for (topic, partition), offset in sorted(plan.offsets.items())
    ]
    if rows:
        print_table(("topic", "partition", "committed", "new"), rows)
    else:
        print("no offsets to reset")
    for topic in plan.topics:
        print(f"delete internal topic {topic}")
    for path in plan.paths:
        print(f"delete {path}")
    for text in plan.warnings:
        warn(text)
