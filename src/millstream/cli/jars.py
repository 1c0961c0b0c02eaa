"""`millstream jars`: everything Java that millstream runs, fetched ahead of time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from millstream.jars import cache_dir, jars, lock_names


def fetch_jars(
    locks: Annotated[
        list[str] | None, typer.Argument(help="Names of locks; all of them by default.")
    ] = None,
    ivy_settings: Annotated[
        Path | None, typer.Option(help="An ivysettings.xml that names mirrors or a proxy.")
    ] = None,
) -> None:
    """Fetch and check the jars of the broker, of Spark's Kafka connector and of Kafka Streams."""
    for name in locks or lock_names():
        found = jars(name, ivy_settings=ivy_settings)
        size_mb = sum(path.stat().st_size for path in found) / 1e6
        typer.echo(f"{name}: {len(found)} jars, {size_mb:.1f} MB, in {cache_dir() / 'jars'}")
