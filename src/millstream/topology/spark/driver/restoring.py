"""Changes of a stopped application's checkpoint: a savepoint restored, former state pruned."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.errors import IllegalStateException
from millstream.topology.spark.admission.lease import running_owner
from millstream.topology.spark.checkpoint.descriptor import for_spark, local_files
from millstream.topology.spark.checkpoint.files import Files
from millstream.topology.spark.driver.runner import Runner
from millstream.topology.spark.driver.savepoints import checkpoint_root, files_at
from millstream.topology.spark.driver.session import new_session
from millstream.topology.spark.generations.generations import Generations
from millstream.topology.spark.state.slots import DirectoryLock
from millstream.topology.topology import Topology


def restore_savepoint(
    topology: Topology, config: StreamsConfig, directory: str, spark: SparkSession | None = None
) -> str:
    """Make a savepoint the state with which a stopped application goes on.

    The checkpoint gets a next generation; the former one stays until it is pruned. Offsets are
    committed where the savepoint's positions are, so records after them are processed again.

    Args:
        topology: The program that goes on; it may have changed since the savepoint.
        config: The application's configuration.
        directory: The savepoint, on any file system of Spark.
        spark: The session to use; None for that of this process, or a new one.

    Returns:
        Location of the new generation.

    Raises:
        LockException: The application runs.
        IllegalArgumentException: The location is empty, or Spark would use another directory.
        StreamsException: The savepoint does not fit the program, or is damaged.
    """
    for_spark(directory)
    runner = Runner(topology, config, spark)
    runner.restore(directory)
    return runner.checkpoint_location


def prune_checkpoint(config: StreamsConfig) -> list[str]:
    """Delete what a stopped application's checkpoint holds of former generations.

    Returns:
        The deleted directories, relative to the checkpoint; none if the current generation has not
        ended a batch yet, because until then it may go back.

    Raises:
        IllegalStateException: The application runs, or has no checkpoint.
    """
    root = checkpoint_root(config)
    with _stopped(config):
        local = local_files(root)
        if local is not None:
            return _pruned(config, root, local, None)
        spark = new_session(config.merged(), config.getString("application.id"))
        return _pruned(config, root, files_at(root, spark), spark)


def _pruned(
    config: StreamsConfig, root: str, files: Files, spark: SparkSession | None
) -> list[str]:
    def open_files(location: str) -> Files:
        local = local_files(location)
        if local is not None:
            return local
        assert spark is not None
        return files_at(location, spark)

    if not files.names(""):
        raise IllegalStateException(
            f'there is no checkpoint in "{root}"',
            hint="Check application.id, state.dir and millstream.checkpoint.location.",
        )
    if (owner := running_owner(files, config)) is not None:
        raise IllegalStateException(
            f'application "{config.getString("application.id")}" runs on checkpoint "{root}"',
            detail=f"Its lease there belongs to {owner}, and was renewed a moment ago.",
            hint="Close it first.",
        )
    return Generations(root, files, open_files).prune()


@contextmanager
def _stopped(config: StreamsConfig) -> Iterator[None]:
    name = config.getString("application.id")
    state_dir = Path(config.getString("state.dir")) / name
    if not state_dir.is_dir():
        # Nothing has run here. The lease tells of an instance elsewhere.
        yield
        return
    lock = DirectoryLock(state_dir)
    if not lock.acquire():
        raise IllegalStateException(
            f'application "{name}" runs in the state directory "{state_dir}"',
            hint="Close it first.",
        )
    try:
        yield
    finally:
        lock.release()
