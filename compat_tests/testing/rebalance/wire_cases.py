"""The golden file of bytes that Kafka's classes made, and the values that stand in it.

``python -m compat_tests.testing.rebalance.wire_cases`` asks Kafka's classes for the bytes anew.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

from compat_tests.oracle.runner import run_java
from millstream import HostInfo, TaskId, TopicPartition
from millstream.testing.rebalance.wire import AssignmentInfo, SubscriptionInfo

FILE = Path(__file__).with_name("wire_golden.json")
PROGRAM = Path(__file__).parent / "java" / "wire"
Case = dict[str, Any]


def cases(kind: str) -> list[Case]:
    """Return the cases of "subscriptions" or "assignments"."""
    listed: list[Case] = json.loads(FILE.read_text(encoding="utf-8"))[kind]
    return listed


def ask_kafka(target: Path) -> None:
    """Write the golden file, with the bytes that Kafka's classes make now, to ``target``."""
    status = run_java(PROGRAM, str(FILE), str(target), log_level="error")
    if status:
        raise SystemExit(status)


def subscription(case: Case) -> SubscriptionInfo:
    """Return the value that stands in a case."""
    return SubscriptionInfo(
        version=case["version"],
        latest_supported_version=case["latest_supported_version"],
        process_id=UUID(case["process_id"]),
        user_end_point=case["user_end_point"],
        task_offset_sums={TaskId.parse(task): n for task, n in case["task_offset_sums"].items()},
        unique_field=case["unique_field"],
        error_code=case["error_code"],
        client_tags=case["client_tags"],
    )


def assignment(case: Case) -> AssignmentInfo:
    """Return the value that stands in a case."""
    return AssignmentInfo(
        version=case["version"],
        commonly_supported_version=case["commonly_supported_version"],
        active_tasks=tuple(map(TaskId.parse, case["active_tasks"])),
        standby_tasks={
            TaskId.parse(task): _partitions(names) for task, names in case["standby_tasks"].items()
        },
        partitions_by_host=_hosts(case["partitions_by_host"]),
        standby_partitions_by_host=_hosts(case["standby_partitions_by_host"]),
        error_code=case["error_code"],
        next_rebalance_ms=case.get("next_rebalance_ms", 2**63 - 1),
    )


def _hosts(hosts: dict[str, list[str]]) -> dict[HostInfo, tuple[TopicPartition, ...]]:
    split = {name.rpartition(":"): names for name, names in hosts.items()}
    return {HostInfo(host, int(port)): _partitions(each) for (host, _, port), each in split.items()}


def _partitions(names: list[str]) -> tuple[TopicPartition, ...]:
    split = (name.rpartition("-") for name in names)
    return tuple(TopicPartition(topic, int(number)) for topic, _, number in split)


if __name__ == "__main__":
    ask_kafka(Path(sys.argv[1]) if len(sys.argv) > 1 else FILE)
