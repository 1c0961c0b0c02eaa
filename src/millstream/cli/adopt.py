"""`millstream adopt` and `millstream hand-back`: moves from Kafka Streams on the JVM, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from millstream.cli.options import (
    Application,
    AsJson,
    ConfigFiles,
    Sets,
    Target,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from millstream.core.config import StreamsConfig
    from millstream.topology.topology import Topology


def adopt(
    app: Application,
    target: Target,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be taken over, and what is missing.")
    ] = False,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial",
            help="Leave out stores without a changelog, which begin empty, and changelogs without "
            "a store.",
        ),
    ] = False,
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Take over a stopped Java application of Kafka Streams: its offsets and its state.

    Reads its changelog topics into a new checkpoint; the next `millstream run` goes on from there.
    Nothing on the broker is changed.
    """
    from millstream.topology.spark.migration.adopting import adopt as take_over
    from millstream.topology.spark.migration.adoption import planned_adoption

    topology, checked = _loaded(app, target, config, sets)
    plan = planned_adoption(topology, checked, partial=partial)
    if not json:
        _show(plan.facts())
    if dry_run:
        if json:
            print_json(plan.facts())
        raise typer.Exit(1 if plan.problems() else 0)
    location = take_over(checked, plan)
    if json:
        print_json({**plan.facts(), "checkpoint": location})
    else:
        print(f"Its state is in {location}. Start it with millstream run.")


def hand_back(
    app: Application,
    target: Target,
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Give a stopped application back to Kafka Streams on the JVM: its offsets and its state.

    Writes its stores to changelog topics, commits its offsets as Kafka Streams does, and ends the
    claim of millstream. Interrupted, it can be repeated.
    """
    from millstream.topology.spark.migration.hand_back import hand_back as give

    topology, checked = _loaded(app, target, config, sets)
    done = give(topology, checked)
    if json:
        print_json(done.facts())
        return
    rows = [(topic, number, count) for (topic, number), count in sorted(done.records.items())]
    if done.kept:
        print("The application has kept its changelog topics; there is nothing to write to them.")
    else:
        print_table(("changelog", "partition", "records"), rows)
    for store in done.unlogged:
        print(f'store "{store}" has no changelog: it begins empty')
    print("Delete the local state of the Java application (state.dir), then start it.")


def _loaded(
    app: str, target: str, files: list[Path] | None, sets: list[str] | None
) -> tuple[Topology, StreamsConfig]:
    from millstream.cli.settings import entries, streams_config
    from millstream.cli.target import load_target

    given = {**entries(files, sets), "application.id": app}
    loaded = load_target(target, given)
    return loaded.topology, streams_config({**loaded.config, **given}, app)


def _show(facts: dict[str, Any]) -> None:
    for topic, count in facts["unread"].items():
        print(
            f"repartition topic {topic} has up to {count} records that were not read: they are "
            "first, and the topic goes over the broker until the program changes"
        )
    rows = [
        (each["store"], each["topic"] + (" (source topic)" if each["source_topic"] else ""))
        for each in facts["stores"]
    ]
    if rows:
        print_table(("store", "topic"), rows)
    for store in facts["empty"]:
        print(f'store "{store}" begins empty')
    for store in facts["from_topics"]:
        print(f'global store "{store}" is filled from its topic')
    for topic in facts["unused"]:
        print(f'topic "{topic}" belongs to no store')
    for problem in facts["problems"]:
        print(f"refused: {problem}")
