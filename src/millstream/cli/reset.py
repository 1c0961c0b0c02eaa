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


def _topics(help_text: str) -> Any:
    return typer.Option(metavar="TOPICS", help=help_text, show_default=False)


def _way(help_text: str, metavar: str | None = None, least: int | None = None) -> Any:
    return typer.Option(help=help_text, metavar=metavar, min=least, show_default=False)


InputTopics = Annotated[
    Topics,
    _topics("Topics to reset, by commas or repeated; by default all it has committed."),
]
IntermediateTopics = Annotated[Topics, _topics("Topics to skip to their end.")]
InternalTopics = Annotated[Topics, _topics("Internal topics to delete; by default all.")]
ToEarliest = Annotated[bool, typer.Option("--to-earliest", help="To the oldest: the default.")]
ToLatest = Annotated[bool, typer.Option("--to-latest", help="To the end.")]
ToOffset = Annotated[int | None, _way("To an offset.", least=0)]
ShiftBy = Annotated[int | None, _way("By so many records, forward or (-N) back.")]
ToDatetime = Annotated[str | None, _way("2026-01-31T12:00:00.000; UTC unless it says.", "TIME")]
ByDuration = Annotated[str | None, _way("To so long ago: P7D, PT1H30M.", "DURATION")]
FromFile = Annotated[Path | None, _way("A CSV file: topic,partition,offset.")]
Execute = Annotated[bool, typer.Option("--execute", help="Do it.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the plan only: the default.")]
Force = Annotated[
    bool,
    typer.Option(
        "--force",
        help="Although the application last ran on another machine, or with another checkpoint. It "
        "must be stopped there.",
    ),
]


def reset(
    app: Application,
    input_topics: InputTopics = None,
    intermediate_topics: IntermediateTopics = None,
    internal_topics: InternalTopics = None,
    to_earliest: ToEarliest = False,
    to_latest: ToLatest = False,
    to_offset: ToOffset = None,
    shift_by: ShiftBy = None,
    to_datetime: ToDatetime = None,
    by_duration: ByDuration = None,
    from_file: FromFile = None,
    execute: Execute = False,
    dry_run: DryRun = False,
    force: Force = False,
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
