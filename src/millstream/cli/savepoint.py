"""`millstream savepoint`: the state of an application, running or stopped, as a directory."""

from __future__ import annotations

from typing import Annotated

import typer

from millstream.cli.options import Application, AsJson, ConfigFiles, Sets, absolute, print_json

FromSavepoint = Annotated[
    str | None,
    typer.Option(
        "--from-savepoint",
        metavar="DIRECTORY",
        help="Begin with the state of a savepoint, if the application has no checkpoint yet. The "
        "same as --set millstream.savepoint=DIRECTORY.",
        show_default=False,
    ),
]


def beginning(directory: str | None) -> list[str]:
    """Return the entries that let an application begin with a savepoint."""
    return [] if directory is None else [f"millstream.savepoint={absolute(directory)}"]


def savepoint(
    app: Application,
    directory: Annotated[
        str,
        typer.Argument(
            help="Empty or not there yet; on any file system of Spark.", show_default=False
        ),
    ],
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Write the state after the last committed batch as a savepoint.

    state.dir or millstream.checkpoint.location must be those of the application. It may run: what
    it processes meanwhile is not in the savepoint. It needs no broker.
    """
    from millstream.cli.settings import entries, streams_config
    from millstream.topology.savepoints.checksums import joined
    from millstream.topology.spark.driver.savepoints import take_savepoint

    checked = streams_config(entries(config, sets), app)
    manifest = take_savepoint(checked, absolute(directory))
    found = joined(each for s in manifest.stores.values() for each in s.partitions.values())
    if json:
        print_json(
            {
                "application": app,
                "directory": directory,
                "checkpoint": manifest.checkpoint,
                "batch": manifest.batch,
                "stores": len(manifest.stores),
                "rows": found.count,
                "bytes": found.size,
            }
        )
        return
    print(
        f"savepoint of batch {manifest.batch} in {directory}: stores {len(manifest.stores)}, "
        f"rows {found.count:,}, bytes {found.size:,}"
    )
