"""Faults by name: each strikes the application or what it needs, and mends before it returns."""

from __future__ import annotations

from compat_tests.smoke.faults import (
    brokers,
    files,
    instances,
    leaders,
    machines,
    processes,
    requests,
    topics,
)
from compat_tests.smoke.faults.fault import Fault

FAULTS: dict[str, Fault] = {
    fault.name: fault
    for family in (processes, machines, brokers, leaders, requests, files, instances, topics)
    for fault in family.FAULTS
}
