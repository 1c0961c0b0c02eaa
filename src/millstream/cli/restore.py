"""`millstream state restore` and `prune`: changes of a stopped application's checkpoint."""

from __future__ import annotations

from typing import Annotated

import typer

from millstream.cli.options import Application, AsJson, ConfigFiles, Sets, Target, print_json


def restore(
    target: Target,
    savepoint: Annotated[
        str,
        typer.Argument(
            help="The directory of a savepoint, on any file system of Spark.", show_default=False
        ),
    ],
    json: AsJson = False,
    config: ConfigFiles = None,
    sets: Sets = None,
) -> None:
    """Make a savepoint the state with which a stopped application goes on.

    The checkpoint gets a next generation; the former one stays until `millstream state prune`.
    Offsets are committed at the savepoint's positions: records after them are processed again. So a
    rescaled savepoint of the last batch goes on where the application stopped, and an older one
    goes back in time. Exit code 1 if the savepoint does not fit the program.
    """
    from millstream.cli.settings import entries
    from millstream.cli.target import load_target
    from millstream.core.config import StreamsConfig
    from millstream.plugins.names import with_plugins
    from millstream.topology.spark.driver.restoring import restore_savepoint

    loaded = load_target(target, entries(config, sets))
    checked = with_plugins(StreamsConfig(dict(loaded.config)))
    location = restore_savepoint(loaded.topology, checked, savepoint)
    name = checked.getString("application.id")
    if json:
        print_json({"application": name, "savepoint": savepoint, "checkpoint": location})
    else:
        typer.echo(f"{name} goes on with {savepoint}; the new generation is {location}")


def prune(
    app: Application, json: AsJson = False, config: ConfigFiles = None, sets: Sets = None
) -> None:
    """Delete what the checkpoint of a stopped application holds of former generations.

    A program that has changed begins a new generation; the former one stays on disk. Nothing is
    deleted before the current generation has ended a batch.
    """
    from millstream.cli.settings import entries, streams_config
    from millstream.topology.spark.driver.restoring import prune_checkpoint

    deleted = prune_checkpoint(streams_config(entries(config, sets), app))
    if json:
        print_json({"application": app, "deleted": deleted})
    else:
        for each in deleted:
            typer.echo(f"deleted {each}")
        typer.echo(f"{len(deleted)} deleted" if deleted else "nothing to delete")
