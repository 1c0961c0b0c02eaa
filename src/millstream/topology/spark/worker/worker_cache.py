"""Cache of a Python worker between batches.

Spark unpickles the operators anew in every batch; this module is imported once per process. An
entry belongs to one run of one application and is closed when a later run starts.
"""

from __future__ import annotations

import gc
import logging
import os
import pickle
import resource
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, cast

from millstream.core.config import StreamsConfig
from millstream.core.engine.settings import TaskSettings
from millstream.core.errors import StreamsException
from millstream.core.plan import Plan
from millstream.topology.spark.job import Job
from millstream.topology.spark.logs import log_in_worker
from millstream.topology.spark.private import UMASK
from millstream.topology.spark.shipped import arrived

log = logging.getLogger(__name__)

_NO_MEMORY = ("failed to map segment", "annot allocate memory", "can't start new thread")


class Closable(Protocol):
    """Entry of the cache."""

    def close(self) -> None:
        """Release the entry's resources."""


C = TypeVar("C", bound=Closable)


@dataclass(slots=True)
class Application:
    """An application's unpickled topology in this worker, and its cache entries."""

    run_id: str
    plan: Plan
    settings: TaskSettings
    config: StreamsConfig
    entries: dict[Any, Closable] = field(default_factory=dict)


_applications: dict[str, Application] = {}


def application(job: Job) -> Application:
    """Return the application of a job; entries of an earlier run are closed."""
    found = _applications.get(job.application_id)
    if found is None or found.run_id != job.run_id:
        _collect_less_often()
        # A session that was not made here has started this process with the user's own one.
        os.umask(UMASK)
        log_in_worker(job.log)
        if found is not None:
            for name in list(found.entries):
                _close(name, found.entries.pop(name), logging.WARNING)
        plan, config = _loaded(arrived(job.topology))
        found = Application(job.run_id, plan, TaskSettings.of(config), config)
        _applications[job.application_id] = found
    return found


def _loaded(data: bytes) -> tuple[Plan, StreamsConfig]:
    """Unpickle a topology.

    Raises:
        StreamsException: A module is missing here, or what a user's class does has failed.
    """
    try:
        plan, config = pickle.loads(data)
    except Exception as error:
        _raise_for_memory(error)
        hint = (
            "It imports what the program does not send with its code: install that on every "
            "executor, in the Python of spark.pyspark.python, or send it along, as with "
            "spark-submit --py-files."
            if isinstance(error, ImportError)
            else "Look whether the worker has other versions of packages or modules than the "
            "program, and at what the program's own classes do when they are unpickled."
        )
        raise StreamsException(
            "a Python worker of Spark cannot load the topology",
            detail=f"{type(error).__name__}: {error}.",
            hint=hint,
        ) from error
    return plan, config


def _raise_for_memory(error: Exception) -> None:
    """Raise if a worker cannot even import its modules in the memory that it may have.

    Spark sets that limit for the addresses of a process, libraries included, so that what is
    missing looks like a damaged library.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or not any(sign in str(error) for sign in _NO_MEMORY):
        return
    raise StreamsException(
        f"a Python worker of Spark has too little memory for the topology: {limit >> 20} MiB",
        detail=f"{type(error).__name__}: {error}.",
        hint="Make spark.executor.pyspark.memory larger, 2g for example: it is shared by the "
        "workers of an executor's cores, and counts the libraries that each of them loads.",
    ) from error


def cached(job: Job, name: Any, make: Callable[[Application], C]) -> C:
    """Return the entry called ``name``, created on first use."""
    owner = application(job)
    if name not in owner.entries:
        owner.entries[name] = make(owner)
    return cast("C", owner.entries[name])


def discard(job: Job, name: Any) -> None:
    """Close and remove an entry that is not valid any more."""
    entry = application(job).entries.pop(name, None)
    if entry is not None:
        # Most often its batch has failed, and this is a consequence.
        _close(name, entry, logging.INFO)


def _collect_less_often() -> None:
    """Run the garbage collector less often: records have no reference cycles.

    A batch creates many tuples that live until its end, and by default Python scans all of them
    for cycles after every few hundred: a third of a windowed count's time.
    """
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)


def _close(name: Any, entry: Closable, level: int) -> None:
    """Close an entry; nobody waits for it, so that what it raises can only be logged."""
    try:
        entry.close()
    except Exception as error:
        log.log(level, "cannot close entry=%s of an ended run: %s", name, error, exc_info=error)
