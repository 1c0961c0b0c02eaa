"""Transactions without an end, as a broker leaves them behind whose disk was full."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from confluent_kafka import TopicPartition

# Its stubs do not export these.
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)
from kafka import KafkaAdminClient, KafkaProducer
from kafka.protocol.producer import TxnOffsetCommitRequest
from kafka.structs import TopicPartition as Place

from millstream.testing.broker import wait_for

_VERIFICATION = "transaction.partition.verification.enable"


def lose_end(
    servers: str,
    id_: str,
    group: str,
    offset: TopicPartition,
    *,
    commit: bool,
    record: tuple[str, bytes] | None = None,
) -> None:
    """Leave a transaction's offset and record without the end that its coordinator has noted.

    A broker that does not verify takes both although they are not in the transaction.

    Args:
        servers: The broker.
        id_: The transactional id.
        group: The group.
        offset: Topic, partition, offset and metadata.
        commit: Whether the coordinator has the transaction for committed.
        record: Topic and value of a record for partition 0.
    """
    with _no_verification(servers):
        producer = KafkaProducer(bootstrap_servers=servers, transactional_id=id_, acks="all")
        producer.init_transactions()
        producer.begin_transaction()
        manager: Any = producer._transaction_manager
        if record is not None:
            manager._partitions_in_transaction.add(Place(record[0], 0))
            producer.send(record[0], record[1], b"k", partition=0, timestamp_ms=1)
            producer.flush()
        producer.send_offsets_to_transaction({}, f"{group}-other")
        if commit:
            producer.commit_transaction()
        else:
            producer.abort_transaction()
        own = manager.producer_id_and_epoch
        _commit_late(servers, id_, own, group, offset)
        producer.close()


def _commit_late(servers: str, id_: str, own: Any, group: str, offset: TopicPartition) -> None:
    topic_class = TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic
    late = topic_class.TxnOffsetCommitRequestPartition(
        partition_index=offset.partition,
        committed_offset=offset.offset,
        committed_leader_epoch=-1,
        committed_metadata=offset.metadata,
    )
    request = TxnOffsetCommitRequest(
        transactional_id=id_,
        group_id=group,
        producer_id=own.producer_id,
        producer_epoch=own.epoch,
        generation_id=-1,
        member_id="",
        group_instance_id=None,
        topics=[topic_class(name=offset.topic, partitions=[late])],
        max_version=3,
    )
    admin: Any = KafkaAdminClient(bootstrap_servers=servers)

    async def send() -> Any:
        nodes = await admin._find_coordinator_ids([group])
        return await admin._manager.send(request, node_id=nodes[group])

    answer = admin._manager.run(send)
    admin.close()
    codes = [each.error_code for topic in answer.topics for each in topic.partitions]
    assert codes == [0], answer


@contextmanager
def _no_verification(servers: str) -> Iterator[None]:
    client = AdminClient({"bootstrap.servers": servers})

    def alter(kind: AlterConfigOpType, value: str | None) -> None:
        entry = ConfigEntry(_VERIFICATION, value, incremental_operation=kind)
        for broker in client.list_topics(timeout=30).brokers:
            own = ConfigResource(ResourceType.BROKER, str(broker), incremental_configs=[entry])
            client.incremental_alter_configs([own])[own].result(30)

    def is_off() -> bool:
        brokers = client.list_topics(timeout=30).brokers
        asked = [ConfigResource(ResourceType.BROKER, str(broker)) for broker in brokers]
        answers = client.describe_configs(asked).values()
        return all(each.result(30)[_VERIFICATION].value == "false" for each in answers)

    alter(AlterConfigOpType.SET, "false")
    # The broker changes its configuration when it likes.
    wait_for(is_off, 30)
    try:
        yield
    finally:
        alter(AlterConfigOpType.DELETE, None)
