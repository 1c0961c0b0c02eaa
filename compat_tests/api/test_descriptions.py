"""What a description of a topology tells of its nodes, and metadata of what they hold."""

from __future__ import annotations

import re
from typing import Any

from millstream import (
    HostInfo,
    LagInfo,
    Processor,
    Serdes,
    Stores,
    StreamsMetadata,
    TaskId,
    TaskMetadata,
    ThreadMetadata,
    TopicPartition,
    Topology,
)

TEXT = Serdes.String()


class Keeps(Processor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        pass


def builder(name: str) -> Any:
    supplier = Stores.inMemoryKeyValueStore(name)
    return Stores.keyValueStoreBuilder(supplier, TEXT, TEXT).withLoggingDisabled()


def test_a_description_names_nodes_topics_and_stores() -> None:
    topology = Topology()
    topology.addSource("source", "one", "two").addSource("pattern", re.compile("in-.*"))
    topology.addProcessor("processor", Keeps, "source", "pattern")
    topology.addStateStore(builder("kept"), "processor")
    topology.addSink("sink", "out", "processor")
    topology.addSink("dynamic", choose, "processor")
    topology.addGlobalStore(
        builder("global"),
        *("g-source", TEXT.deserializer(), TEXT.deserializer(), "g-topic", "g-processor", Keeps),
    )
    description = topology.describe()
    (found,) = description.subtopologies()
    nodes: dict[str, Any] = {node.name(): node for node in found.nodes()}
    assert found.id() == 0
    assert nodes["source"].topicSet() == {"one", "two"}
    assert nodes["source"].topicPattern() is None
    assert nodes["pattern"].topicSet() is None
    assert nodes["pattern"].topicPattern().pattern == "in-.*"
    assert nodes["processor"].stores() == {"kept"}
    assert {node.name() for node in nodes["processor"].predecessors()} == {"source", "pattern"}
    assert {node.name() for node in nodes["processor"].successors()} == {"sink", "dynamic"}
    assert (nodes["sink"].topic(), nodes["sink"].topicNameExtractor()) == ("out", None)
    assert nodes["dynamic"].topic() is None
    assert nodes["dynamic"].topicNameExtractor() is not None
    (store,) = description.globalStores()
    assert (store.source().name(), store.processor().name(), store.id()) == (
        *("g-source", "g-processor"),
        1,
    )


def choose(key: str, value: str, context: Any) -> str:
    return "out"


def test_metadata_tell_what_they_were_made_of_and_are_equal_by_it() -> None:
    lag = LagInfo(3, 10)
    assert (lag.currentOffsetPosition(), lag.endOffsetPosition(), lag.offsetLag()) == (3, 10, 7)
    assert str(lag) == "LagInfo { currentOffsetPosition=3, endOffsetPosition=10, offsetLag=7}"
    assert lag == LagInfo(3, 10) != LagInfo(3, 11)
    assert hash(lag) == hash(LagInfo(3, 10))
    part = TopicPartition("in", 0)
    host = HostInfo("here", 1)
    instance = instance_of(host, part)
    assert (instance.hostInfo(), instance.host(), instance.port()) == (host, "here", 1)
    assert (instance.stateStoreNames(), instance.topicPartitions()) == ({"kept"}, {part})
    assert instance.standbyStateStoreNames() == {"copy"}
    assert instance.standbyTopicPartitions() == set()
    assert instance == instance_of(host, part) != instance_of(HostInfo("there", 1), part)
    assert hash(instance) == hash(instance_of(host, part))


def instance_of(host: HostInfo, part: TopicPartition) -> StreamsMetadata:
    return StreamsMetadata(
        host_info=host,
        store_names=frozenset({"kept"}),
        partitions=frozenset({part}),
        standby_store_names=frozenset({"copy"}),
    )


def test_tasks_and_threads_tell_what_they_were_made_of() -> None:
    part = TopicPartition("in", 0)
    task = TaskMetadata(
        task_id=TaskId(0, 1),
        partitions=frozenset({part}),
        committed=((part, 5),),
        ends=((part, 9),),
    )
    assert (task.taskId(), task.topicPartitions()) == (TaskId(0, 1), {part})
    assert (task.committedOffsets(), task.endOffsets()) == ({part: 5}, {part: 9})
    assert task.timeCurrentIdlingStarted() is None
    assert task == TaskMetadata(
        task_id=TaskId(0, 1),
        partitions=frozenset({part}),
        committed=((part, 5),),
        ends=((part, 9),),
    )
    assert len({task, task}) == 1
    thread = thread_of(task)
    assert (thread.threadName(), thread.threadState()) == ("t", "RUNNING")
    assert (thread.activeTasks(), thread.standbyTasks()) == ({task}, set())
    assert (thread.consumerClientId(), thread.restoreConsumerClientId()) == ("c", "r")
    assert (thread.producerClientIds(), thread.adminClientId()) == ({"p"}, "a")
    assert thread == thread_of(task)
    assert hash(thread) == hash(thread_of(task))


def thread_of(task: TaskMetadata) -> ThreadMetadata:
    return ThreadMetadata(
        name="t",
        state="RUNNING",
        active=frozenset({task}),
        consumer_client_id="c",
        restore_consumer_client_id="r",
        producer_client_ids=frozenset({"p"}),
        admin_client_id="a",
    )
