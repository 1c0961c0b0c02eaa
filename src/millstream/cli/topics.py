"""`millstream topics`: the topics of a topology on the broker."""

from __future__ import annotations

from typing import Annotated

import typer

from millstream.cli.options import (
    AsJson,
    ConfigFiles,
    Sets,
    Target,
    epilog,
    print_json,
    print_table,
)

topics = typer.Typer(help="List or create the topics of a topology.", rich_markup_mode=None)
_HEADINGS = ("topic", "kind", "partitions", "state")


@topics.command(
    "list", epilog=epilog("millstream topics list app.py --set bootstrap.servers=localhost:9092")
)
def list_topics(
    target: Target, json: AsJson = False, config: ConfigFiles = None, sets: Sets = None
) -> None:
    """List the topics of a topology: what they are for, and whether the broker has them."""
    from millstream.cli.topic_plan import topic_plan

    rows = [topic.facts() for topic in topic_plan(target, config, sets).topics]
    if json:
        print_json(rows)
    else:
        print_table(_HEADINGS, [[row[name] for name in _HEADINGS] for row in rows])


@topics.command(
    "create",
    epilog=epilog(
        "millstream topics create app.py --config app.toml --partitions 4 --partitions lines=8",
        "millstream topics create app.py --config app.toml --dry-run",
    ),
)
def create_topics(
    target: Target,
    partitions: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[TOPIC=]N",
            help="Partitions of the new topics, or of one. Repeatable. By default 1.",
            show_default=False,
        ),
    ] = None,
    replication_factor: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="By default that of the configuration (replication.factor) or of the broker.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing.")] = False,
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Create the topics that a topology reads and writes, and that the broker does not have.

    Refuses, before anything is created, an existing topic with another number of partitions than
    the one asked for, and joined topics with different numbers. With an application.id, the
    internal topics that are on the broker are created, too; a start would do that as well.
    """
    from millstream.cli.topic_plan import create, topic_plan

    plan = topic_plan(target, config, sets, wanted=_wanted(partitions or []))
    created = create(plan, replication_factor, dry_run=dry_run)
    rows = [topic.facts() for topic in created]
    if json:
        print_json(rows)
        return
    print_table(_HEADINGS, [[row[name] for name in _HEADINGS] for row in rows])
    if dry_run:
        print("Nothing has been created: --dry-run.")


def _wanted(texts: list[str]) -> dict[str, int]:
    """Return topic -> number of partitions; the empty name is for all others."""
    found = {}
    for text in texts:
        topic, _, number = text.rpartition("=")
        if not number.isdigit() or not int(number):
            raise typer.BadParameter(
                f'"{text}" is neither a number nor TOPIC=NUMBER.', param_hint="'--partitions'"
            )
        found[topic.strip()] = int(number)
    return found
