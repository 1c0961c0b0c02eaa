"""Interactive queries: copies of stores on the driver, brought up to date when asked for."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, TypeVar

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from millstream.core.config import StreamsConfig
from millstream.core.engine.settings import TaskSettings
from millstream.core.errors import (
    InvalidStateStoreException,
    InvalidStateStorePartitionException,
    StateStoreNotAvailableException,
    TaskCorruptedException,
    UnknownStateStoreException,
)
from millstream.core.metadata import LagInfo
from millstream.core.plan import Plan, StoreNode
from millstream.core.processor import TaskId
from millstream.core.query import (
    FailureReason,
    PositionBound,
    QueryableStoreType,
    QueryConfig,
    QueryResult,
    StateQueryRequest,
    StateQueryResult,
    StoreQueryParameters,
)
from millstream.core.query.drained import drained
from millstream.core.wording import said
from millstream.topology.checks import not_none
from millstream.topology.spark.compile import Stage
from millstream.topology.spark.job import Job
from millstream.topology.spark.queries.carrying import Carrying
from millstream.topology.spark.queries.committed import CommittedState
from millstream.topology.spark.queries.copies import NOTHING, StageCopies
from millstream.topology.spark.queries.follower import QueryFollower
from millstream.topology.spark.queries.replica import Replica
from millstream.topology.spark.state.segment_files import BatchNotKept
from millstream.topology.spark.worker.task_host import SparkTaskHost

T = TypeVar("T")
log = logging.getLogger(__name__)

ATTEMPTS = 3
"""Attempts to read a batch's state, which Spark may delete meanwhile."""

FIRST_BATCH_S = 60.0
"""The longest time that a question waits for a batch that brings what the store begins with."""

_LOOK_S = 0.05

_ANEW = "copies for queries are built anew: %s"


class Queries:
    """Interactive queries of one running application; thread-safe.

    Args:
        plan: The topology; source patterns are already resolved to topics.
        config: The application's configuration.
        job: The facts that its workers have.
        committed: Its checkpoint.
        check: Called before ``store`` reads stores, with whether stale stores are allowed; raises
            if they cannot be read now.
        carrying: What the batches carry of stores that are asked for; None if they carry nothing.
        begins_with_state: Whether the first batch takes up what an earlier program has left.
    """

    def __init__(
        self,
        plan: Plan,
        config: StreamsConfig,
        job: Job,
        committed: CommittedState,
        check: Callable[[str, bool], None],
        carrying: Carrying | None = None,
        *,
        begins_with_state: bool = False,
    ) -> None:
        self.lock = threading.RLock()
        self._plan = plan
        self._settings = TaskSettings.of(config)
        self._job = job
        self._committed = committed
        self._check = check
        self._copies: dict[int, StageCopies] = {}
        self._carrying = carrying or Carrying()
        self._follower = None if carrying is None else QueryFollower(carrying, self)
        self._begins_with_state = begins_with_state
        self._has_begun = False
        """Whether a batch has been committed, as far as it was asked."""
        self._closed = False

    def reading(self, name: str, read: Callable[[], T]) -> T:
        """Call what reads copies of a store; no other question is answered meanwhile.

        If a copy turns out to be damaged or missing, it is called once more, with new copies.

        Raises:
            TaskCorruptedException: A new copy cannot be trusted either.
        """
        with self.lock:
            try:
                return read()
            except TaskCorruptedException as error:
                self._discard(name, error)
            try:
                return read()
            except TaskCorruptedException as error:
                self._discard(name, error)
                raise

    def store(self, parameters: StoreQueryParameters[Any]) -> Any:
        """Return a view of a store; every read of it shows the last committed batch."""
        name = parameters.storeName()
        kind = not_none(parameters.queryableStoreType(), "queryableStoreType")
        provider = _Provider(self, self._check, parameters)
        provider.stores(name, kind)  # a wrong name or type is an error now
        return kind.create(provider, name)

    def query(self, request: StateQueryRequest[Any]) -> StateQueryResult[Any]:
        """Run a query on the partitions of a store."""
        result: StateQueryResult[Any] = StateQueryResult()
        name = request.getStoreName()
        if self.is_global(name):
            failure = QueryResult.forFailure(
                FailureReason.UNKNOWN_QUERY_TYPE,
                "Global stores do not yet support the KafkaStreams#query API. "
                "Use KafkaStreams#store instead.",
            )
            result.setGlobalResult(failure)
            return result
        asked = None if request.isAllPartitions() else request.getPartitions()
        unbounded = request.isRequireActive()
        bound = PositionBound.unbounded() if unbounded else request.getPositionBound()
        config = QueryConfig(request.executionInfoEnabled())

        def answers() -> dict[int, QueryResult[Any]]:
            found = {}
            for partition, store in self.stores(name).items():
                if asked is None or partition in asked:
                    found[partition] = _drained(store.query(request.getQuery(), bound, config))
            return found

        found = self.reading(name, answers)
        if error := _untrusted(found):
            self._discard(name, error)
            found = self.reading(name, answers)
        if error := _untrusted(found):
            self._discard(name, error)
        for partition, answer in found.items():
            result.addResult(partition, answer)
        for partition in sorted((asked or set()) - result.getPartitionResults().keys()):
            missing = "The requested partition was not present at the time of the query."
            result.addResult(partition, QueryResult.forFailure(FailureReason.NOT_PRESENT, missing))
        return result

    def is_global(self, name: str) -> bool:
        """Return whether a store is a global one."""
        return any(store.store.name == name for store in self._plan.globals)

    def stores(self, name: str) -> dict[int, Any]:
        """Return the copies of a store by partition, at the last committed batch; needs the lock.

        Raises:
            UnknownStateStoreException: The topology has no such store.
            InvalidStateStoreException: The checkpoint could not be read.
        """
        if self._closed:
            raise StateStoreNotAvailableException(
                f'cannot read store "{name}": the application has been closed'
            )
        node, stage = self._place(name)
        self._wait_for_first_batch(name)
        if self._follower is not None:
            self._follower.asked(stage.index, name)
        copies = self._copies.get(stage.index)
        if copies is None:
            copies = StageCopies(stage, self._committed, self._new_replica)
            self._copies[stage.index] = copies
        _steadily(f'store "{name}"', partial(self._catch_up, copies, name))
        partitions = [0] if self.is_global(name) else range(stage.tasks)
        return {number: copies.store(node, number) for number in partitions}

    def lags(self) -> dict[str, dict[int, LagInfo]]:
        """Return the positions of the stores, by name and partition, in segments.

        The lag is always 0: a copy is brought to the last committed batch before it is read.

        Raises:
            InvalidStateStoreException: The checkpoint could not be read.
        """
        return _steadily("the positions of the stores", self._lags)

    def _lags(self) -> dict[str, dict[int, LagInfo]]:
        batch = self._committed.last_batch()
        ends: dict[str, dict[int, LagInfo]] = {}
        parts = {part.id: part for part in self._plan.subtopologies}
        for stage in self._job.layout.stages:
            stores = parts[stage.subtopology].stores if stage.subtopology in parts else ()
            if not stores:
                continue
            manifests = {} if batch is None else self._committed.manifests(stage, batch)
            for number in range(stage.tasks):
                end = manifests[number].position.seq if number in manifests else 0
                for node in stores:
                    ends.setdefault(node.name, {})[number] = LagInfo(end, end)
        return ends

    def close(self) -> None:
        """Close all copies."""
        # Before the lock is held: a question that waits has it.
        self._closed = True
        with self.lock:
            for copies in self._copies.values():
                try:
                    copies.close()
                except Exception as error:  # noqa: BLE001 - a plugin's store may raise anything
                    log.warning("a copy for queries cannot be closed: %s", said(error))
            self._copies = {}
        if self._follower is not None:
            self._follower.close()

    def advance(self, stage: int) -> int | None:
        """Apply what committed batches have carried; return the batch that cannot be reached so."""
        with self.lock:
            copies = self._copies.get(stage)
            if copies is None:
                return None
            batch = self._committed.last_batch(copies.batch)
            if batch is None or batch == copies.batch or self._advanced(copies, batch):
                return None
            return batch

    def read(self, stage: int, names: Collection[str]) -> None:
        """Bring stores of a stage to the last committed batch by what the checkpoint has."""
        for name in names:
            self.reading(name, partial(self._follow, stage, name))

    def oldest(self, stages: Collection[int]) -> int:
        """Return the last batch that the copies of all these stages have; -1 if there is none."""
        with self.lock:
            batches = [each.batch for each in self._copies.values() if each.stage.index in stages]
        return min((NOTHING if each is None else each for each in batches), default=NOTHING)

    def _wait_for_first_batch(self, name: str) -> None:
        """Wait while a store is not yet what it begins with; it would seem to be empty.

        Raises:
            InvalidStateStoreException: The batch did not come in time, or the application ends.
        """
        if self._has_begun or not (self._begins_with_state or self.is_global(name)):
            return
        until = time.monotonic() + FIRST_BATCH_S
        while self._committed.last_batch() is None:
            self._check(name, True)
            if self._closed or time.monotonic() > until:
                raise InvalidStateStoreException(
                    f"Cannot get state store {name} because no batch has been committed yet; the "
                    f"first one fills it",
                    hint="Ask again later. If there is never one, see the application's log.",
                )
            time.sleep(_LOOK_S)
        self._has_begun = True

    def _place(self, name: str) -> tuple[StoreNode, Stage]:
        for stage in self._job.layout.stages:
            nodes: Iterable[StoreNode] = ()
            if stage.has_globals:
                nodes = [store.store for store in self._plan.globals]
            own = [part for part in self._plan.subtopologies if part.id == stage.subtopology]
            for node in [*nodes, *(node for part in own for node in part.stores)]:
                if node.name == name:
                    return node, stage
        if self.is_global(name):
            raise InvalidStateStoreException(
                f'no task has the global store "{name}"',
                hint="Read it in a processor; a global store without a reader is not filled.",
            )
        raise unknown_store(name)

    def _catch_up(self, copies: StageCopies, name: str) -> None:
        batch = self._committed.last_batch(copies.batch)
        if copies.is_at(batch, name):
            return
        assert batch is not None
        self._advanced(copies, batch)
        if not copies.is_at(batch, name):
            copies.catch_up(batch, name)

    def _follow(self, stage: int, name: str) -> None:
        # With the lock: after ``close`` there are none, and the next application has their places.
        if (copies := self._copies.get(stage)) is not None:
            self._catch_up(copies, name)

    def _advanced(self, copies: StageCopies, batch: int) -> bool:
        """Bring copies to a batch by what batches have carried; return whether they are there."""
        try:
            return copies.advance(batch, self._carrying)
        except TaskCorruptedException as error:
            log.warning(_ANEW, error)
            copies.discard()
            return False

    def _discard(self, name: str, error: Exception) -> None:
        """Delete the copies of a store's stage; the next question has them built anew."""
        log.warning(_ANEW, error)
        with self.lock:
            copies = self._copies.get(self._place(name)[1].index)
            if copies is not None:
                copies.discard()

    def _new_replica(self, stage: Stage, number: int) -> Replica:
        id_ = TaskId(stage.subtopology, number)
        host = SparkTaskHost(self._job, self._settings.configs, repr(id_))
        tables = len(self._plan.globals) if stage.has_globals else 0
        return Replica(id_, self._settings, host, tables)


def _steadily(what: str, read: Callable[[], T]) -> T:
    """Read the last batch; again, if it is deleted meanwhile."""
    left = ATTEMPTS
    while True:
        left -= 1
        try:
            return read()
        except (PySparkException, Py4JJavaError, FileNotFoundError, BatchNotKept) as error:
            if not left:
                raise InvalidStateStoreException(
                    f"cannot read {what} from the checkpoint", detail=f"{error}"
                ) from error


def unknown_store(name: str) -> UnknownStateStoreException:
    """Return the error for a store that the topology does not have."""
    return UnknownStateStoreException(
        f"Cannot get state store {name} because no such store is registered in the topology."
    )


class _Provider:
    """Store provider of one view; finds the stores again for each read."""

    def __init__(
        self,
        queries: Queries,
        check: Callable[[str, bool], None],
        parameters: StoreQueryParameters[Any],
    ) -> None:
        self.reading = partial(queries.reading, parameters.storeName())
        self._queries = queries
        self._check = check
        self._parameters = parameters

    def stores(self, storeName: str, queryableStoreType: QueryableStoreType[Any]) -> list[Any]:
        self._check(storeName, self._parameters.staleStoresEnabled())
        found = self._queries.reading(storeName, partial(self._queries.stores, storeName))
        partition = self._parameters.partition()
        if partition is not None and not self._queries.is_global(storeName):
            if partition not in found:
                raise InvalidStateStorePartitionException(
                    f"The specified partition {partition} for store {storeName} does not exist."
                )
            found = {partition: found[partition]}
        for store in found.values():
            if not queryableStoreType.accepts(store):
                raise InvalidStateStoreException(
                    f"Cannot get state store {storeName} because the queryable store type "
                    f"[{type(queryableStoreType).__name__}] does not accept the actual store type "
                    f"[{type(store).__name__}]."
                )
        return list(found.values())


def _untrusted(answers: Mapping[int, QueryResult[Any]]) -> Exception | None:
    """Return what the bytes of a store raised that cannot be trusted; None if all can."""
    errors = (getattr(answer, "_error", None) for answer in answers.values())
    return next((each for each in errors if isinstance(each, TaskCorruptedException)), None)


def _drained(answer: QueryResult[Any]) -> QueryResult[Any]:
    if answer.isFailure():
        return answer
    found: QueryResult[Any] = QueryResult.forResult(drained(answer.getResult()))
    position = answer.getPosition()
    if position is not None:
        found.setPosition(position)
    for line in answer.getExecutionInfo():
        found.addExecutionInfo(line)
    return found
