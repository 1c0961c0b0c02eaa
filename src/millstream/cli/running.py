"""A run of an application under the eyes of the command: display, time limit, idleness."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from millstream.cli.displays import RunDisplay
from millstream.cli.progress import ProgressReader, RunProgress
from millstream.cli.settings import entries
from millstream.cli.target import load_target
from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import LOG
from millstream.core.errors import ConfigException, MillstreamError
from millstream.page.address import noted
from millstream.topology.spark import KafkaStreams
from millstream.topology.spark.logs import LogOptions

_POLL_S = 0.1
_COMMIT = "commit.interval.ms"
Main = Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class PreparedApplication:
    """An application that is ready to run."""

    name: str
    """Its ``application.id``."""
    streams: KafkaStreams
    log: Path | None
    """Its log file; None without one."""
    batches_s: float
    """Shortest time between two batches."""
    local: Path = Path()
    """Directory of its local files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The conditions under which the command closes the application by itself."""

    for_s: float | None = None
    """Longest time in state RUNNING."""
    idle_s: float | None = None
    """Time without a record, with everything read."""


class Idleness:
    """Tells for how long an application has had nothing to do.

    Args:
        clock: Monotonic clock in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: float | None = None
        self._records = -1

    def seconds(self, progress: RunProgress) -> float:
        """Return for how long nothing has been read and nothing has been left to read."""
        # With punctuations on the wall clock, batches go on without records.
        done = progress.state == "RUNNING" and progress.lag == 0
        busy = not done or progress.records != self._records
        self._records = progress.records
        now = self._clock()
        if busy:
            self._since = None
        elif self._since is None:
            self._since = now
        return 0.0 if self._since is None else now - self._since


def prepared(
    target: str,
    files: Iterable[Path] | None,
    sets: Iterable[str] | None,
    *,
    verbose: bool = False,
    until_idle: bool = False,
) -> PreparedApplication:
    """Load a target and make its application, unless the program has made it.

    Raises:
        IllegalArgumentException: There is no such target.
        ConfigException: The configuration is incomplete or wrong.
    """
    given = entries(files, sets)
    if verbose:
        given[LOG] = "verbose"
    if until_idle:
        # Spark reports every ten seconds by default that there is nothing to read.
        given.setdefault("spark.sql.streaming.noDataProgressEventInterval", "1000")
    loaded = load_target(target, given)
    found = loaded.application
    if found is None:
        config = {LOG: "quiet"} | dict(loaded.config)
        missing = [key for key in ("application.id", "bootstrap.servers") if not config.get(key)]
        if missing:
            raise ConfigException(
                f'"{target}" has no {" and no ".join(missing)}',
                hint=f"Add --set {missing[0]}=..., or --config app.toml with it.",
            )
        streams, checked = KafkaStreams(loaded.topology, config), StreamsConfig(config)
    else:
        streams, checked = found.streams, found.config
        if found.cleans_up:
            streams.cleanUp()
    name = checked.getString("application.id")
    local = Path(checked.getString("state.dir")) / name
    options = LogOptions.of(checked, local)
    every_ms = checked.getLong(_COMMIT) if _COMMIT in checked.originals() else 0
    log = options.path if options.on else None
    return PreparedApplication(name, streams, log, every_ms / 1000, local)


def run_to_end(
    application: PreparedApplication,
    display: RunDisplay,
    ending: Ending,
    main: Main | None = None,
) -> Exception | None:
    """Run an application in the main thread; return the failure that has ended it, if any.

    Args:
        application: The application.
        display: Shows its progress and its end.
        ending: What closes it.
        main: Runs it and returns facts about the end; None for ``run()``.
    """
    streams = application.streams
    reader = ProgressReader(streams.metrics, lambda: streams.state().name)
    over, failures = threading.Event(), list[Exception]()

    def watch() -> None:
        # Unseen and without its ending, the application would run on.
        try:
            _watch(application, reader, display, ending, over)
        except Exception as error:  # noqa: BLE001 - such as a closed pipe
            failures.append(error)
            streams.close()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    facts: dict[str, Any] = {}
    try:
        if main is None:
            streams.run()
        else:
            facts = main()
    except Exception as error:  # noqa: BLE001 - it is told as the end of the run
        failures.insert(0, error)
    over.set()
    watcher.join()
    failure = failures[0] if failures else None
    with suppress(OSError):
        display.close(_end(failure) | facts)
    return failure


def _watch(
    application: PreparedApplication,
    reader: ProgressReader,
    display: RunDisplay,
    ending: Ending,
    over: threading.Event,
) -> None:
    idleness, streams = Idleness(), application.streams
    due, runs_since, page_told = 0.0, None, False
    while not over.wait(_POLL_S):
        progress, now = reader.look(), time.monotonic()
        if not page_told and progress.state != "CREATED":
            page_told = tell_page(application)
        if progress.state == "RUNNING" and runs_since is None:
            runs_since = now
        if now >= due:
            due = now + display.interval_s
            display.show(progress)
        ran_s = 0.0 if runs_since is None else now - runs_since
        over_time = ending.for_s is not None and runs_since is not None and ran_s >= ending.for_s
        is_idle = idleness.seconds(progress)
        if over_time or (ending.idle_s is not None and is_idle >= ending.idle_s > 0):
            streams.close()
            break
    display.show(reader.look())


def tell_page(application: PreparedApplication) -> bool:
    """Print where the live page is, if this process serves one; return True."""
    with suppress(MillstreamError):
        found = noted(application.local)
        if found is not None and found.pid == os.getpid():
            print(f"millstream: {application.name}: live page at {found.url}", file=sys.stderr)
    return True


def _end(failure: Exception | None) -> dict[str, Any]:
    if failure is None:
        return {"event": "closed"}
    if isinstance(failure, MillstreamError):
        told = {"problem": failure.problem, "detail": failure.detail, "hint": failure.hint}
        return {"event": "error"} | told
    return {"event": "error", "problem": str(failure), "detail": "", "hint": ""}
