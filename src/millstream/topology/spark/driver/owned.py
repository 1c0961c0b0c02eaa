"""Query of an instance that owns its checkpoint: lock, lease, waiting, session."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession

from millstream.core.config import StreamsConfig
from millstream.core.errors import StreamsException
from millstream.core.plan import Plan
from millstream.topology.spark.admission.emptying import finish_emptying
from millstream.topology.spark.admission.group import Group
from millstream.topology.spark.admission.instance import ApplicationInstance
from millstream.topology.spark.checkpoint.descriptor import local_files
from millstream.topology.spark.checkpoint.files import RemoteFiles
from millstream.topology.spark.deleted_temporary import deleted_temporary
from millstream.topology.spark.driver.hidden_modules import (
    of_local_workers,
    of_the_standard_library,
    warn_of_hiding_files,
)
from millstream.topology.spark.driver.on_this_machine import warn_without_retries
from millstream.topology.spark.driver.patterns import matching
from millstream.topology.spark.driver.query import QueryControl
from millstream.topology.spark.driver.savepoints import checkpoint_root
from millstream.topology.spark.driver.session import (
    new_session,
    query_session,
    warn_of_a_shared_session,
)
from millstream.topology.spark.driver.source_topics import SourceTopics
from millstream.topology.spark.driver.stopped_session import (
    ask_whether_stopped,
    check_runs,
    is_stopped,
    stopped_session,
)
from millstream.topology.spark.driver.warm_start import warm_start
from millstream.topology.spark.logs import LogOptions

_LOOK_S = 1.0
"""Time between two looks whether the session is stopped."""


class OwnedQuery(QueryControl):
    """A query that one instance at a time may run.

    Args:
        config: The application's configuration.
        spark: The session to run in; None to make one.
    """

    _instance: ApplicationInstance
    _entries: Mapping[str, Any]
    application_id: str
    log: LogOptions
    plan: Plan

    def __init__(self, config: StreamsConfig, spark: SparkSession | None) -> None:
        super().__init__(config)
        self._spark = spark
        self._made: SparkSession | None = None
        """The session that was made for the application."""
        self._shares_session = spark is not None
        """Whether the session was made before, for others as well."""
        self._look_at = 0.0
        name = config.getString("application.id")
        self.sources = SourceTopics(
            name,
            lambda topics: Group(config).topic_ids(topics),
            matching=lambda: matching(self.plan, config),
            undecided=lambda topics: Group(config).undecided(topics),
        )
        """The topics that the application reads."""

    @property
    def checkpoint_root(self) -> str:
        """Location of the checkpoint, on any file system that Spark supports."""
        return checkpoint_root(self._config)

    @property
    def waiting_for(self) -> str:
        """The instance whose end this one waits for as a hot spare; empty if there is none."""
        takeover = self._instance.takeover
        return takeover.waiting_for if takeover.waits else ""

    def restart(self) -> None:
        """Start the query again from its checkpoint, unless it is held.

        Raises:
            StartCancelled: The application has been stopped.
            TaskMigratedException: Another instance has taken over meanwhile.
            StreamsException: A topic that it reads is another one than at the start.
        """
        self._instance.check()
        if (replaced := self.sources.replaced()) is not None:
            raise replaced
        if self._held:
            # Else it would seem to run again, although nothing can.
            self._ask_session()
        super().restart()

    def lost(self) -> StreamsException | None:
        """Return the error for an application without its lease, topic or session; else None."""
        return self._instance.takeover.lost() or self.sources.replaced() or self._stopped()

    def _stopped(self) -> StreamsException | None:
        """Look from time to time: a query without new records does not notice it.

        Where no query runs, nothing else notices that Spark's JVM has ended.

        Raises:
            Exception: It does not answer, and no query runs.
        """
        now = time.monotonic()
        if now < self._look_at:
            return None
        self._look_at = now + _LOOK_S
        ended = self._ask_session() if self._query is None else self.session_stopped()
        return stopped_session(self.application_id) if ended else None

    def _ask_session(self) -> bool:
        """Return whether the session was stopped.

        Raises:
            Exception: Its JVM does not answer.
        """
        session = self._made if self._spark is None else self._spark
        return session is not None and ask_whether_stopped(session)

    def explained(self, failure: StreamsException) -> StreamsException:
        """Return the error for a stopped session, deleted files or topics that are the reason."""
        said = f"{failure.detail} {failure.__cause__}"
        reason = deleted_temporary(said, self.temporary_places())
        if self.session_stopped():
            reason = stopped_session(self.application_id)
        if reason is not None:
            reason.__cause__ = failure
            return reason
        return self.sources.explained(failure)

    def session_stopped(self) -> bool:
        """Return whether the session was stopped, by its owner or by another part of the program.

        No restart of the query mends that.
        """
        session = self._made if self._spark is None else self._spark
        return session is not None and is_stopped(session)

    def hiding_files(self) -> dict[str, str]:
        """Return files that keep workers from starting, and what they hide from them."""
        session = self._made if self._spark is None else self._spark
        master = "" if session is None else session.sparkContext.master or ""
        return of_the_standard_library(of_local_workers(master))

    def temporary_places(self) -> list[Path]:
        """Return the directories on this machine of Spark's temporary files."""
        session = self._made if self._spark is None else self._spark
        if session is None:
            return []
        given = tempfile.gettempdir()
        with suppress(Exception):  # the JVM may have ended
            given = session.sparkContext.getConf().get("spark.local.dir", given) or given
        return [Path(each) for each in os.environ.get("SPARK_LOCAL_DIRS", given).split(",")]

    def release(self) -> None:
        """Give back the lease and the lock of the state directory, at the application's end."""
        self.sources.end()
        self._instance.release()

    def clean_up(self) -> list[Path]:
        """Delete the local copies of stores; the next start may have to empty the checkpoint."""
        return self._instance.clean_up()

    def _own(self, *, may_wait: bool) -> None:
        """Take the lock of the state directory, and the lease unless that needs Spark.

        Args:
            may_wait: Whether the application starts; else its state is only changed, and both are
                needed at once.

        Raises:
            LockException: Another instance runs, and is not to be waited for.
            StartCancelled: The application was closed while it waited.
        """
        takeover = self._instance.takeover
        takeover.waits = takeover.waits and may_wait
        takeover.lock()
        if takeover.waits or not may_wait or local_files(self.checkpoint_root) is not None:
            self._hold()

    def _hold(self) -> None:
        """Take the lease, unless it has been taken; wait for it if the configuration says so."""
        takeover = self._instance.takeover
        if not takeover.is_held:
            local = local_files(self.checkpoint_root)
            if takeover.waits:
                # A spare is hot: when its turn comes, Spark has started.
                self._session()
            files = local or RemoteFiles(self._session(), self.checkpoint_root)
            takeover.hold(files, self._check_waiting)
            # A reset that was killed may have left a pointer to a generation that is half deleted.
            finish_emptying(files)

    def _check_waiting(self) -> None:
        """Check that an instance that waits may start when its turn comes: Spark has started."""
        self._check_wanted()
        if (stopped := self._stopped()) is not None:
            raise stopped

    def _session(self) -> SparkSession:
        """Return the session to run in; the first call may start the JVM."""
        if self._spark is not None:
            check_runs(self._spark, self.application_id)
            return self._spark
        if self._made is None:
            self._shares_session = SparkContext._active_spark_context is not None
            self._made = new_session(self._entries, self.application_id, self.log)
        return self._made

    def _session_with_workers(self) -> SparkSession:
        """Return the session to run in; warn of what its workers would do, or start them ahead."""
        spark = self._session()
        master = spark.sparkContext.master or ""
        warn_of_hiding_files(master)
        if self._spark is None:
            warm_start(spark)
        else:
            warn_without_retries(master)
        return spark

    def _session_of_the_query(self, spark: SparkSession, tasks: int) -> SparkSession:
        """Return a session with the settings of the query; warn of those that it cannot have."""
        session = query_session(spark, self._entries, tasks)
        if self._shares_session:
            warn_of_a_shared_session(session, self._entries)
        return session
