"""Metadata of an application's tasks on Spark, as ``KafkaStreams`` shows it."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from typing import Any, SupportsIndex

from millstream.core.errors import (
    ClassCastException,
    IllegalArgumentException,
    NullPointerException,
)
from millstream.core.function_kinds import method_or_self
from millstream.core.kafka import TopicPartition
from millstream.core.metadata import (
    HostInfo,
    KeyQueryMetadata,
    StreamsMetadata,
    TaskMetadata,
    ThreadMetadata,
)
from millstream.core.partitioning import default_partition
from millstream.core.plan import Plan
from millstream.core.processor import TaskId
from millstream.core.wording import a_kind
from millstream.topology.spark.checkpoint.log import flat, source_positions
from millstream.topology.spark.compile import Layout, Stage
from millstream.topology.spark.placement.facts import Executor

NO_STANDBY: frozenset[HostInfo] = frozenset()


class ClientMetadata:
    """Tasks, stores and partitions of a started application.

    Args:
        plan: The topology; source patterns are already resolved to topics.
        layout: Its stages.
        server: Its ``application.server``; None if it has none.
    """

    def __init__(self, plan: Plan, layout: Layout, server: HostInfo | None) -> None:
        self._plan = plan
        self._layout = layout
        self._server = server

    def clients(self) -> list[StreamsMetadata]:
        """Return the one client; none if it has no address."""
        if self._server is None:
            return []
        names = {name for stage in self._layout.stages for name in self._stores(stage)}
        places = {place for stage in self._layout.stages for place in _places(stage)}
        return [
            StreamsMetadata(
                host_info=self._server,
                store_names=frozenset(names | self._globals()),
                partitions=frozenset(places),
            )
        ]

    def executors(self, tasks: Mapping[Executor, Container[TaskId]]) -> list[StreamsMetadata]:
        """Return the executors as clients, with Spark's own addresses.

        Args:
            tasks: The tasks of each executor.
        """
        return [
            StreamsMetadata(
                host_info=HostInfo(executor.host, executor.port),
                store_names=frozenset(
                    name
                    for stage in self._layout.stages
                    if any(task in mine for task in stage.task_ids())
                    for name in self._stores(stage)
                ),
                partitions=frozenset(
                    place
                    for stage in self._layout.stages
                    for place in _places(stage)
                    if TaskId(stage.subtopology, place.partition()) in mine
                ),
            )
            for executor, mine in tasks.items()
        ]

    def clients_with(self, store: str) -> list[StreamsMetadata]:
        """Return the clients that have a store."""
        if store is None:
            raise NullPointerException("storeName cannot be null")
        return [client for client in self.clients() if store in client.stateStoreNames()]

    def for_key(self, store: str, key: Any, partitioner: Any) -> KeyQueryMetadata | None:
        """Return the location of a key's partition of a store; None if there is no such store."""
        for name, argument in (("storeName", store), ("key", key), ("partitioner", partitioner)):
            if argument is None:
                raise NullPointerException(f"{name} can't be null")
        server = self._server or HostInfo.unavailable()
        if store in self._globals():
            return KeyQueryMetadata(server, NO_STANDBY, -1)
        stage = next((s for s in self._layout.stages if store in self._stores(s)), None)
        if stage is None:
            return None
        topic = (*stage.topics, *stage.internal)[0]
        partition = _partition(topic, key, partitioner, stage.tasks)
        return KeyQueryMetadata(server, NO_STANDBY, partition)

    def stores(self) -> dict[str, Stage]:
        """Return the stage of every store that is not global."""
        return {name: stage for stage in self._layout.stages for name in self._stores(stage)}

    def thread(
        self,
        name: str,
        state: str,
        sources: list[Mapping[str, Any]],
        only: Container[TaskId] | None = None,
        standby: Container[TaskId] = (),
    ) -> ThreadMetadata:
        """Return the metadata of the query, or of an executor, as a stream thread.

        Args:
            name: The thread's name.
            state: The thread's state, by Kafka's names.
            sources: Spark's progress of the sources in its last batch.
            only: The executor's tasks; None for all.
            standby: The tasks of which it has standby copies.
        """
        active = self._tasks(sources, only)
        copies = self._tasks(sources, standby)
        return ThreadMetadata(
            name=name, state=state, active=frozenset(active), standby=frozenset(copies)
        )

    def _tasks(
        self, sources: list[Mapping[str, Any]], only: Container[TaskId] | None
    ) -> list[TaskMetadata]:
        committed, ends = _offsets(sources, "endOffset"), _offsets(sources, "latestOffset")
        tasks = []
        for stage in self._layout.stages:
            for task in stage.task_ids():
                if only is not None and task not in only:
                    continue
                places = frozenset(p for p in _places(stage) if p.partition() == task.partition())
                tasks.append(
                    TaskMetadata(
                        task_id=task,
                        partitions=places,
                        committed=tuple((p, committed[p]) for p in places if p in committed),
                        ends=tuple((p, ends[p]) for p in places if p in ends),
                    )
                )
        return tasks

    def _stores(self, stage: Stage) -> list[str]:
        parts = (part for part in self._plan.subtopologies if part.id == stage.subtopology)
        return [node.name for part in parts for node in part.stores]

    def _globals(self) -> set[str]:
        return {store.store.name for store in self._plan.globals}


def _places(stage: Stage) -> list[TopicPartition]:
    topics = (*stage.topics, *stage.internal)
    return [TopicPartition(topic, number) for topic in topics for number in range(stage.tasks)]


def _partition(topic: str, key: Any, partitioner: Any, count: int) -> int:
    if hasattr(partitioner, "serialize"):
        data = partitioner.serialize(topic, key)
        if data is None:
            raise NullPointerException("the serializer gives no bytes for the key")
        return default_partition(data, count)
    ask: Any = method_or_self(partitioner, "partitions")
    if not callable(ask):
        raise ClassCastException(
            f"the key's serializer cannot be {a_kind(partitioner)}",
            hint="Give a serializer, such as Serdes.String().serializer(), or a StreamPartitioner.",
        )
    found: Any = ask(topic, key, None, count)
    # As for a sink, one number is as good as a set.
    chosen = [found] if isinstance(found, SupportsIndex) else found
    if not isinstance(chosen, Collection) or len(chosen) != 1 or isinstance(chosen, str | bytes):
        raise IllegalArgumentException(
            "The partitions returned by StreamPartitioner#partitions method when used for "
            "fetching KeyQueryMetadata for key should be a singleton set",
            detail=f"It returned {found!r}.",
            hint=f"Return one number from 0 to {count - 1}, or a set of one.",
        )
    return int(next(iter(chosen)))


def _offsets(sources: list[Mapping[str, Any]], which: str) -> dict[TopicPartition, int]:
    found = flat(source_positions(source.get(which) for source in sources))
    return {TopicPartition(*place): offset for place, offset in found.items()}
