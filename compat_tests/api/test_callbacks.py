"""What users implement for stores, restores, queries and assignors is called as it says."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

import pytest

from compat_tests.assign.clusters import cluster, configs, instance
from millstream import (
    BatchingStateRestoreCallback,
    CommitCallback,
    KeyValue,
    MockProcessorContext,
    QueryableStoreTypes,
    Serdes,
    StandbyUpdateListener,
    StateRestoreCallback,
    StateRestoreListener,
    StateStore,
    Stores,
    TaskAssignmentUtils,
    TaskId,
    TopicPartition,
)
from millstream.topology.assign.cluster_state import ClusterState, PartitionOfTask
from millstream.topology.spark.driver.restores import tell
from millstream.topology.spark.state.changelog import Rebuilt

TEXT = Serdes.String()
PLACE = TopicPartition("app-s-changelog", 0)


class Listener(StateRestoreListener):
    def __init__(self) -> None:
        self.heard: list[tuple[Any, ...]] = []

    def onRestoreStart(
        self, topicPartition: Any, storeName: str, startingOffset: int, endingOffset: int
    ) -> None:
        self.heard.append(("start", startingOffset, endingOffset))

    def onBatchRestored(
        self, topicPartition: Any, storeName: str, batchEndOffset: int, numRestored: int
    ) -> None:
        self.heard.append(("batch", batchEndOffset, numRestored))

    def onRestoreEnd(self, topicPartition: Any, storeName: str, totalRestored: int) -> None:
        self.heard.append(("end", totalRestored))


def test_a_restore_listener_is_told_and_a_suspended_restore_needs_no_answer() -> None:
    listener = Listener()
    tell(listener, "app", Rebuilt(store="s", partition=0, first=3, steps=((3, 10), (5, 1)), end=6))
    assert listener.heard == [("start", 3, 6), ("batch", 3, 10), ("batch", 5, 1), ("end", 11)]
    listener.onRestoreSuspended(PLACE, "s", 5)
    assert len(listener.heard) == 4


def test_a_batching_callback_takes_one_change_as_a_batch() -> None:
    class Takes(BatchingStateRestoreCallback):
        def __init__(self) -> None:
            self.taken: list[list[KeyValue[bytes, bytes | None]]] = []

        def restoreAll(self, records: Collection[KeyValue[bytes, bytes | None]]) -> None:
            self.taken.append(list(records))

    callback = Takes()
    callback.restore(b"k", b"v")
    callback.restore(b"k", None)
    assert callback.taken == [[KeyValue(b"k", b"v")], [KeyValue(b"k", None)]]


def test_a_store_may_register_callbacks_of_any_form() -> None:
    class Restores(StateRestoreCallback):
        def restore(self, key: bytes, value: bytes | None) -> None:
            """Nothing is restored in a mock."""

    class Commits(CommitCallback):
        def onCommit(self) -> None:
            """Nothing is committed in a mock."""

    context: Any = MockProcessorContext()
    store = opened(Stores.inMemoryKeyValueStore("s"), context)
    stores = context.getStateStoreContext()
    stores.register(store, Restores())
    stores.register(store, lambda key, value: None, Commits())
    Restores().restore(b"k", b"v")
    Commits().onCommit()
    assert context.getStateStore("s") is store


@pytest.mark.parametrize("kind", ["keyValueStore", "windowStore", "sessionStore"])
def test_a_mock_knows_the_stores_that_were_opened_with_it(kind: str) -> None:
    context: Any = MockProcessorContext()
    store = make(kind, context)
    assert context.getStateStore("s") is store


def test_a_standby_listener_may_be_written() -> None:
    class Hears(StandbyUpdateListener):
        heard: list[str] = []

        def onUpdateStart(self, topicPartition: Any, storeName: str, startingOffset: int) -> None:
            self.heard.append("start")

        def onBatchLoaded(
            self,
            topicPartition: Any,
            storeName: str,
            taskId: TaskId,
            batchEndOffset: int,
            batchSize: int,
            currentEndOffset: int,
        ) -> None:
            self.heard.append("batch")

        def onUpdateSuspended(
            self,
            topicPartition: Any,
            storeName: str,
            storeOffset: int,
            currentEndOffset: int,
            reason: Any,
        ) -> None:
            self.heard.append(reason.name)

    listener = Hears()
    listener.onUpdateStart(PLACE, "s", 0)
    listener.onBatchLoaded(PLACE, "s", TaskId(0, 0), 5, 5, 9)
    listener.onUpdateSuspended(PLACE, "s", 5, 9, StandbyUpdateListener.SuspendReason.MIGRATED)
    assert listener.heard == ["start", "batch", "MIGRATED"]


def opened(supplier: Any, context: Any) -> Any:
    made = Stores.keyValueStoreBuilder(supplier, TEXT, TEXT).withLoggingDisabled().build()
    made.init(context.getStateStoreContext(), made)
    return made


class Provider:
    """The stores of one name, as `QueryableStoreType.create` wants them."""

    def __init__(self, store: StateStore) -> None:
        self.store = store

    def stores(self, name: str, kind: Any) -> list[Any]:
        assert kind.accepts(self.store)
        return [self.store] if name == "s" else []


def make(kind: str, context: Any = None) -> Any:
    windows = Stores.inMemoryWindowStore("s", 100, 10, False)
    builders: dict[str, Any] = {
        "keyValueStore": lambda: Stores.keyValueStoreBuilder(
            Stores.inMemoryKeyValueStore("s"), TEXT, TEXT
        ),
        "timestampedKeyValueStore": lambda: Stores.timestampedKeyValueStoreBuilder(
            Stores.inMemoryKeyValueStore("s"), TEXT, TEXT
        ),
        "windowStore": lambda: Stores.windowStoreBuilder(windows, TEXT, TEXT),
        "timestampedWindowStore": lambda: Stores.timestampedWindowStoreBuilder(windows, TEXT, TEXT),
        "sessionStore": lambda: Stores.sessionStoreBuilder(
            Stores.inMemorySessionStore("s", 100), TEXT, TEXT
        ),
    }
    made: Any = builders[kind]()
    store = made.withLoggingDisabled().build()
    store.init((context or MockProcessorContext()).getStateStoreContext(), store)
    return store


READS: dict[str, Any] = {
    "keyValueStore": lambda store: store.get("k"),
    "timestampedKeyValueStore": lambda store: store.get("k"),
    "windowStore": lambda store: store.fetch("k", 5),
    "timestampedWindowStore": lambda store: store.fetch("k", 5),
    "sessionStore": lambda store: list(store.fetch("k")),
}


@pytest.mark.parametrize("kind", READS)
def test_a_type_of_stores_shows_a_store(kind: str) -> None:
    shown: Any = getattr(QueryableStoreTypes, kind)().create(Provider(make(kind)), "s")
    assert not READS[kind](shown)


def test_what_an_assignor_is_told_of_a_task() -> None:
    id = str(UUID(int=1))
    state = ClusterState(cluster("0_0 0_1", instance(id)), configs())
    info = state.allTasks()[TaskId(0, 1)]
    assert info.id() == TaskId(0, 1)
    assert isinstance(info.stateStoreNames(), set)
    assert info.topicPartitions() == set()
    partition = PartitionOfTask(PLACE, frozenset({"here"}), changelog=True)
    assert partition.topicPartition() == PLACE
    assert (partition.isSource(), partition.isChangelog()) == (False, True)
    assert partition.rackIds() == {"here"}


def test_a_predicate_decides_where_copies_may_go() -> None:
    class Never(TaskAssignmentUtils.MoveStandbyTaskPredicate):
        def canMoveStandbyTask(
            self, source: Any, destination: Any, sourceTask: TaskId, kafkaStreamsAssignments: Any
        ) -> bool:
            return False

    assert not Never().canMoveStandbyTask(None, None, TaskId(0, 0), {})
