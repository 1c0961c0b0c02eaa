"""`millstream peek`: records of a topic, printed."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from millstream.cli.options import AsJson, ConfigFiles, Sets


def _place(text: str) -> str:
    if not re.fullmatch(r"earliest|latest|-?[0-9]+", text):
        raise typer.BadParameter(
            f'"{text}" is none of: earliest, latest, an offset, or -N for the last N of each '
            "partition."
        )
    return text


SerdeName = Annotated[str, typer.Option(metavar="SERDE", help="See --key-serde.")]


def peek(
    topic: Annotated[str, typer.Argument(help="The topic.", show_default=False)],
    key_serde: Annotated[
        str,
        typer.Option(
            metavar="SERDE",
            help="string, long, integer, double, boolean, uuid, bytes, json, ... (`millstream "
            "plugins` lists them); avro, json-schema, protobuf (--set schema.registry.url=...), "
            "with a schema: avro:FILE; or package.module:name.",
        ),
    ] = "string",
    value_serde: SerdeName = "string",
    start: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="WHERE",
            callback=_place,
            help="earliest, latest, an offset, or the last N of each partition: -N.",
        ),
    ] = "earliest",
    most: Annotated[
        int | None,
        typer.Option("--max", min=1, help="Stop after so many records.", show_default=False),
    ] = None,
    partition: Annotated[
        list[int] | None,
        typer.Option("--partition", "-p", help="Only this one. Repeatable.", show_default=False),
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Wait for new records, until Ctrl-C.")
    ] = False,
    uncommitted: Annotated[
        bool,
        typer.Option(
            "--uncommitted",
            help="Show records of open and aborted transactions too. Without it: read_committed.",
        ),
    ] = False,
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Print the records of a topic: place, timestamp, key, value, headers. Commits no offsets.

    Reads committed records only, and stops at what was the end at the start, unless --follow. A
    record that its serde cannot read is shown as bytes with the reason, and makes the exit code 1.
    """
    from millstream.cli.reading import PeekOptions, read_records
    from millstream.cli.serde_names import named_serde
    from millstream.cli.settings import entries, streams_config

    given = entries(config, sets)
    options = PeekOptions(
        topic=topic,
        key=named_serde(key_serde, given, is_key=True),
        value=named_serde(value_serde, given, is_key=False),
        start=start,
        most=most,
        partitions=tuple(partition or ()),
        follow=follow,
        uncommitted=uncommitted,
        json=json,
    )
    if not read_records(streams_config(given), options):
        raise typer.Exit(1)
