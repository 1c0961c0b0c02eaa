"""`millstream jars`: fetches all jars that millstream needs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from millstream.cli.options import AsJson, print_json
from millstream.jars import jars, lock_names


def fetch_jars(
    locks: Annotated[
        list[str] | None, typer.Argument(help="Names of locks; all of them by default.")
    ] = None,
    ivy_settings: Annotated[
        Path | None, typer.Option(help="An ivysettings.xml that names mirrors or a proxy.")
    ] = None,
    classpath: Annotated[
        bool, typer.Option("--classpath", help="Print one line for java -cp.")
    ] = False,
    json: AsJson = False,
    commas: Annotated[
        bool, typer.Option("--commas", help="Print one line for spark-submit --jars.")
    ] = False,
) -> None:
    """Fetch and check the jars of the broker, of Spark's Kafka connector and of Kafka Streams.

    Prints the path of each jar: one folder has the jars of several locks, some in two versions.
    """
    if json:
        every = locks or lock_names()
        print_json({n: list(map(str, jars(n, ivy_settings=ivy_settings))) for n in every})
        return
    separator = "," if commas else os.pathsep if classpath else None
    for name in locks or lock_names():
        found = jars(name, ivy_settings=ivy_settings)
        if separator is not None:
            typer.echo(separator.join(map(str, found)))
            continue
        size_mb = sum(path.stat().st_size for path in found) / 1e6
        typer.echo(f"{name}: {len(found)} jars, {size_mb:.1f} MB")
        for path in found:
            typer.echo(f"  {path}")
