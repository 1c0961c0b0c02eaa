"""Fault of leaders that change: every partition moves to a second broker and back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from kafka import TopicPartition
from kafka.admin import KafkaAdminClient

from compat_tests.kafka.topics import topics
from compat_tests.smoke.faults.fault import Fault
from compat_tests.smoke.rig import FaultFailed, Rig
from millstream.testing.broker import EmbeddedBroker
from millstream.testing.broker.ports import free_port

FIRST, SECOND = 1, 2
MOVES = 2
PATIENCE_S = 120


def change_leaders(rig: Rig, random: Random) -> None:
    """Move all partitions to a second broker and back, while the application runs.

    Each move ends with a new leader and a new leader epoch for each partition.
    """
    del random
    with _second_broker(rig):
        try:
            for _ in range(MOVES):
                _lead(rig, SECOND)
                rig.wait_for_output()
                _lead(rig, FIRST)
                rig.wait_for_output()
        finally:
            _lead(rig, FIRST)


@contextmanager
def _second_broker(rig: Rig) -> Iterator[EmbeddedBroker]:
    """Start a broker that joins the cluster of the first."""
    own, behind = free_port(), free_port()
    first = (rig.broker.data_dir / "server.properties").read_text(encoding="utf-8").splitlines()
    shared = dict(line.split("=", 1) for line in first)
    urls = f"PLAINTEXT://127.0.0.1:{own},PROXIED://127.0.0.1:{behind}"
    settings: dict[str, object] = {
        "process.roles": "broker",
        "node.id": SECOND,
        "listeners": urls,
        "advertised.listeners": urls,
    }
    for name in ("listener.security.protocol.map", "controller.quorum.voters"):
        settings[name] = shared[name]
    with EmbeddedBroker(
        port=own,
        data_dir=rig.directory / "second-broker",
        config=settings,
        heap_mb=256,
        java_options=["-XX:TieredStopAtLevel=1"],
    ) as broker:
        yield broker


def _lead(rig: Rig, node: int) -> None:
    """Give all partitions of the application's topics to one broker, and wait for it."""
    admin = KafkaAdminClient(bootstrap_servers=rig.servers)
    names = topics(rig.servers)
    try:
        places = [
            TopicPartition(topic["name"], partition["partition_index"])
            for topic in admin.describe_topics(sorted(names))
            for partition in topic["partitions"]
        ]
        admin.alter_partition_reassignments({place: [node] for place in places})
        give_up = time.monotonic() + PATIENCE_S
        while admin.list_partition_reassignments():
            if time.monotonic() > give_up:
                raise FaultFailed(f"the partitions did not move to broker {node}")
            time.sleep(0.2)
    finally:
        admin.close()


FAULTS = (Fault("leaders-change", change_leaders, weight=0, lives=True),)
