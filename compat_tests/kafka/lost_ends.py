"""Transactions without an end, as a broker leaves them behind whose disk was full."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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
from kafka.structs import OffsetAndMetadata, TopicPartition

from millstream.testing.broker import wait_for

_VERIFICATION = "transaction.partition.verification.enable"
Place = tuple[str, int]


def lose_end(
    servers: str, id_: str, group: str, place: Place, offset: int, text: str, *, commit: bool
) -> None:
    """Leave a transaction's offset without its end, which the coordinator has noted.

    The offset is sent again after the end, which a broker takes that does not verify it.

    Args:
        servers: The broker.
        id_: The transactional id.
        group: The group.
        place: Topic and partition of the offset.
        offset: The offset.
        text: Its metadata.
        commit: Whether the coordinator has the transaction for committed.
    """
    producer = KafkaProducer(bootstrap_servers=servers, transactional_id=id_, acks="all")
    producer.init_transactions()
    producer.begin_transaction()
    kept = OffsetAndMetadata(0 if commit else offset, text, -1)
    producer.send_offsets_to_transaction({TopicPartition(*place): kept}, group)
    if commit:
        producer.commit_transaction()
    else:
        producer.abort_transaction()
    own = producer._transaction_manager.producer_id_and_epoch
    topic_class = TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic
    late = topic_class.TxnOffsetCommitRequestPartition(
        partition_index=place[1],
        committed_offset=offset,
        committed_leader_epoch=-1,
        committed_metadata=text,
    )
    request = TxnOffsetCommitRequest(
        transactional_id=id_,
        group_id=group,
        producer_id=own.producer_id,
        producer_epoch=own.epoch,
        generation_id=-1,
        member_id="",
        group_instance_id=None,
        topics=[topic_class(name=place[0], partitions=[late])],
        max_version=3,
    )
    admin = KafkaAdminClient(bootstrap_servers=servers)

    async def send() -> object:
        nodes = await admin._find_coordinator_ids([group])
        return await admin._manager.send(request, node_id=nodes[group])

    def is_taken() -> bool:
        answer = admin._manager.run(send)
        return all(each.error_code == 0 for topic in answer.topics for each in topic.partitions)

    with _no_verification(servers):
        # The broker changes its configuration when it likes.
        wait_for(is_taken, 30)
    admin.close()
    producer.close()


@contextmanager
def _no_verification(servers: str) -> Iterator[None]:
    client = AdminClient({"bootstrap.servers": servers})

    def alter(kind: AlterConfigOpType, value: str | None) -> None:
        entry = ConfigEntry(_VERIFICATION, value, incremental_operation=kind)
        for broker in client.list_topics(timeout=30).brokers:
            own = ConfigResource(ResourceType.BROKER, str(broker), incremental_configs=[entry])
            client.incremental_alter_configs([own])[own].result(30)

    alter(AlterConfigOpType.SET, "false")
    try:
        yield
    finally:
        alter(AlterConfigOpType.DELETE, None)
