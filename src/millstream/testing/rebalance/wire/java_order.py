"""Iteration orders of Java's hash tables of tasks and topics, which show in the bytes."""

from __future__ import annotations

from collections.abc import Iterable

from millstream.core.java_collections import bucket_order, string_hash, table_size
from millstream.core.kafka import TopicPartition
from millstream.core.processor import TaskId

WORD = 0xFFFFFFFF


def in_task_order(tasks: Iterable[TaskId]) -> list[TaskId]:
    """Return distinct tasks as a ``HashSet`` filled in this order yields them."""
    distinct = list(dict.fromkeys(tasks))
    return bucket_order(distinct, _task_hash, table_size(len(distinct)))


def in_number_order(numbers: Iterable[int]) -> list[int]:
    """Return distinct numbers as the keys of a ``HashMap`` on which they were computed if absent.

    (Unlike ``put``, that adds at the head of a bucket, and doubles a full table one call later.)
    """
    keys: dict[int, None] = {}
    capacity = 16
    for number in numbers:
        if len(keys) > capacity * 3 // 4:
            capacity *= 2
        keys[number] = None
    return bucket_order(list(keys)[::-1], lambda number: number & WORD, capacity)


def in_partition_order(partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
    """Return distinct partitions as a ``HashSet`` filled in this order yields them."""
    distinct = list(dict.fromkeys(partitions))
    return bucket_order(distinct, _partition_hash, table_size(len(distinct)))


def _task_hash(task: TaskId) -> int:
    name = task.topologyName()
    numbers = (31 + task.subtopology()) * 31 + task.partition()
    return numbers * 31 + (string_hash(name) if name else 0) & WORD


def _partition_hash(partition: TopicPartition) -> int:
    return 31 * (31 + partition.partition()) + string_hash(partition.topic()) & WORD
