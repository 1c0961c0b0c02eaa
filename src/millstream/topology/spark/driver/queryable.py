"""Queries of a running application: stores, tasks, metadata and metrics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, TypeVar

from millstream.core.config import StreamsConfig
from millstream.core.errors import (
    ClassCastException,
    IllegalStateException,
    InvalidStateStoreException,
    NullPointerException,
    StreamsNotStartedException,
    StreamsStoppedException,
)
from millstream.core.metadata import (
    HostInfo,
    KeyQueryMetadata,
    LagInfo,
    StreamsMetadata,
    ThreadMetadata,
)
from millstream.core.processor import TaskId
from millstream.core.query import StateQueryRequest, StateQueryResult, StoreQueryParameters
from millstream.core.wording import a_kind
from millstream.topology.checks import not_none
from millstream.topology.spark.driver.client_metadata import ClientMetadata
from millstream.topology.spark.driver.runner import Runner
from millstream.topology.spark.driver.state_machine import State, StateMachine
from millstream.topology.spark.placement.facts import Executor
from millstream.topology.spark.queries.committed import CommittedState
from millstream.topology.spark.queries.queries import Queries, unknown_store
from millstream.topology.spark.state.slots import release_slot

T = TypeVar("T")
R = TypeVar("R")

THREAD_STATES = {
    State.CREATED: "CREATED",
    State.REBALANCING: "STARTING",
    State.RUNNING: "RUNNING",
    State.PENDING_SHUTDOWN: "PENDING_SHUTDOWN",
}


def not_started(stop: str = "") -> StreamsNotStartedException:
    """Return the error for a query before the start."""
    return StreamsNotStartedException(
        "KafkaStreams has not been started, you can retry after calling start()" + stop
    )


def _check_kind(given: Any, kind: type, how: str) -> None:
    # As in Kafka, what is null shows after the look at the application's state.
    if given is not None and not isinstance(given, kind):
        raise ClassCastException(
            f"a query cannot be {a_kind(given)}", hint=f"Write {kind.__name__}.{how}."
        )


class QueryableApplication:
    """The read-only part of ``KafkaStreams``.

    Args:
        runner: The query on Spark.
        config: The application's configuration.
    """

    def __init__(self, runner: Runner, config: StreamsConfig) -> None:
        self._runner = runner
        self._config = config
        self._machine = StateMachine()
        self._queries: Queries | None = None
        self._metadata: ClientMetadata | None = None

    def state(self) -> State:
        """Return the application's state."""
        return self._machine.state

    def store(self, storeQueryParameters: StoreQueryParameters[T]) -> T:
        """Return a view of a store; each read of it shows the last committed batch.

        Raises:
            StreamsNotStartedException: The application has not been started.
            IllegalStateException: The application is not running.
            UnknownStateStoreException: The topology has no such store.
            InvalidStateStoreException: The store is of another type, or cannot be read.
        """
        _check_kind(storeQueryParameters, StoreQueryParameters, "fromNameAndType(name, type)")
        queries = self._running(self._queries)
        view: T = queries.store(not_none(storeQueryParameters, "storeQueryParameters"))
        return view

    def query(self, request: StateQueryRequest[R]) -> StateQueryResult[R]:
        """Run a query on the partitions of a store, as of the last committed batch.

        Raises:
            UnknownStateStoreException: The topology has no such store.
            StreamsNotStartedException: The application has not been started.
            StreamsStoppedException: The application has ended, or is ending.

        Source: KIP-796.
        """
        if request is None:
            raise NullPointerException("request cannot be null")
        _check_kind(request, StateQueryRequest, "inStore(name).withQuery(query)")
        name, state = request.getStoreName(), self.state()
        if name not in self._runner.store_names():
            raise unknown_store(name)
        if state.hasStartedOrFinishedShuttingDown():
            raise StreamsStoppedException(
                f"KafkaStreams has been stopped ({state.name}). This instance can no longer serve "
                "queries."
            )
        if state.hasNotStarted() or self._queries is None:
            raise not_started(".")
        return self._queries.query(request)

    def metadataForAllStreamsClients(self) -> list[StreamsMetadata]:
        """Return this client, if it has an ``application.server``, and Spark's executors.

        An executor has the tasks that it ran last, and Spark's own address. It serves no queries;
        see ``streamsMetadataForStore``. In local mode there are no executors.
        """
        metadata = self._running(self._metadata)
        return metadata.clients() + metadata.executors(self._tasks_by_executor())

    def streamsMetadataForStore(self, storeName: str) -> list[StreamsMetadata]:
        """Return the clients that have a store: this one, if it has an address."""
        return self._running(self._metadata).clients_with(storeName)

    def queryMetadataForKey(
        self, storeName: str, key: Any, keySerializer: Any
    ) -> KeyQueryMetadata | None:
        """Return the partition of a store that has a key; None if there is no such store.

        Args:
            storeName: The store.
            key: The key.
            keySerializer: Its serializer, or the ``StreamPartitioner`` of the records.
        """
        return self._running(self._metadata).for_key(storeName, key, keySerializer)

    def metadataForLocalThreads(self) -> set[ThreadMetadata]:
        """Return one thread for each executor, with the tasks that it ran last and its standbys.

        In local mode, and before the first executor is known, one thread has every task.
        """
        name = f"{self._runner.application_id}-StreamThread-1"
        state = THREAD_STATES.get(self.state())
        if state is None:
            return set()
        if self._metadata is None:
            return {ThreadMetadata(name=name, state=state)}
        sources = (self._runner.last_progress() or {}).get("sources") or []
        by_executor = self._tasks_by_executor()
        if not by_executor:
            return {self._metadata.thread(name, state, sources)}
        prefix, standbys = f"{self._runner.application_id}-executor", self._standbys()
        return {
            self._metadata.thread(
                f"{prefix}-{each.id}-StreamThread-1", state, sources, tasks, standbys[each.id]
            )
            for each, tasks in by_executor.items()
        }

    def allLocalStorePartitionLags(self) -> dict[str, dict[int, LagInfo]]:
        """Return the position of each partition of each store, in segments; the lag is always 0.

        Before the start and after the end there is none, as in Kafka Streams.
        """
        if self._queries is None or self.state().hasCompletedShutdown():
            # After the end Spark may be gone.
            return {}
        return self._queries.lags()

    def _prepare_queries(self) -> None:
        started = self._runner.started
        assert started is not None
        layout = started.job.layout
        location = self._runner.checkpoint_location
        committed = CommittedState(
            started.session, location, len(layout.stages), self._runner.reported_batch
        )
        self._queries = Queries(
            started.plan,
            self._config,
            started.job,
            committed,
            self._check_readable,
            self._runner.carrying,
            begins_with_state=started.begins_with_state,
        )
        server = HostInfo.buildFromEndpoint(self._config.getString("application.server"))
        self._metadata = ClientMetadata(started.plan, layout, server)

    def _tasks_by_executor(self) -> dict[Executor, set[TaskId]]:
        placement = self._runner.placement
        executors = [] if placement is None else placement.executors()
        places = [] if placement is None else placement.places()
        return {
            executor: {place.task for place in places if place.executor == executor.id}
            for executor in executors
        }

    def _standbys(self) -> Mapping[str, set[TaskId]]:
        """Return the tasks of which each executor has a copy."""
        found: defaultdict[str, set[TaskId]] = defaultdict(set)
        placement = self._runner.placement
        for report in [] if placement is None else placement.standbys():
            found[report.executor] |= report.tasks()
        return found

    def _check_readable(self, store: str, stale: bool) -> None:
        state = self.state()
        if state is State.RUNNING or (stale and state is State.REBALANCING):
            return
        wanted = "RUNNING or REBALANCING" if stale else "RUNNING"
        raise InvalidStateStoreException(
            f"Cannot get state store {store} because the application is {state.name}, not {wanted}"
        )

    def _check_running(self) -> None:
        if self.state().hasNotStarted():
            raise not_started()
        if not self.state().isRunningOrRebalancing():
            raise IllegalStateException(
                f"KafkaStreams is not running. State is {self.state().name}."
            )

    def _running(self, part: T | None) -> T:
        """Return a part of the running application, which has it since its start."""
        self._check_running()
        if part is None:
            raise not_started()
        return part

    def _close_queries(self) -> None:
        if self._queries is not None:
            self._queries.close()
            # An application that never came so far has no copies: the slot is another one's.
            release_slot(self._runner.state_dir)
