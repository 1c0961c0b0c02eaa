"""Random clusters with the answers of Kafka Streams' own assignors.

``python -m compat_tests.assign.golden`` makes the file anew; that needs a JDK.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

from compat_tests.oracle.runner import run_java
from millstream import AssignmentConfigs, TaskId
from millstream.topology.assign.cluster import Cluster, Instance
from millstream.topology.assign.numbered import RUNNING

HERE = Path(__file__).parent
FILE = HERE / "assignors_golden.json"
RACKS = ("east", "north", "west")
Case = dict[str, Any]


def cases() -> list[Case]:
    return json.loads(FILE.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def cluster(case: Case) -> Cluster:
    return Cluster(
        instances=tuple(_instance(each) for each in case["instances"]),
        tasks=_tasks(case["tasks"]),
        stateful=frozenset(_tasks(case["stateful"])),
        racks=_replicas(case["racks"]),
        changelog_racks=_replicas(case["changelog_racks"]),
    )


def configs(case: Case) -> AssignmentConfigs:
    given = case["configs"]
    return AssignmentConfigs(
        given["lag"],
        given["warmups"],
        given["standbys"],
        600_000,
        given["tags"],
        given["traffic"],
        given["non_overlap"],
        given["strategy"],
    )


def _instance(given: Case) -> Instance:
    return Instance(
        id=given["id"],
        threads=given["threads"],
        active=_tasks(given["active"]),
        standby=_tasks(given["standby"]),
        lags={TaskId.parse(task): lag for task, lag in given["lags"].items()},
        tags=given["tags"],
        rack=given["rack"],
    )


def _tasks(names: list[str]) -> tuple[TaskId, ...]:
    return tuple(TaskId.parse(name) for name in names)


def _replicas(given: dict[str, list[list[str]]]) -> dict[TaskId, tuple[frozenset[str], ...]]:
    return {
        TaskId.parse(task): tuple(frozenset(racks) for racks in replicas)
        for task, replicas in given.items()
    }


def _random_case(seed: int, assignor: str, *, tags: bool, strategy: str) -> Case:
    dice = random.Random(f"{assignor} {strategy} {tags} {seed}")
    names = [
        f"{group}_{partition}"
        for group in range(dice.randint(1, 3))
        for partition in range(dice.randint(1, 6))
    ]
    stateful = sorted(dice.sample(names, dice.randint(len(names) // 2, len(names))))
    count = dice.randint(1, 6)
    racks = RACKS[: dice.randint(1, 3)]
    used = strategy != "none"
    return {
        "assignor": assignor,
        "instances": list(_random_instances(dice, names, stateful, count, racks, fresh=used)),
        "tasks": sorted(names),
        "stateful": stateful,
        "racks": {name: _random_racks(dice) for name in names} if used else {},
        "changelog_racks": {name: _random_racks(dice)[:1] for name in stateful} if used else {},
        "configs": {
            "lag": dice.choice([0, 100, 10_000]),
            "warmups": dice.randint(1, 4),
            # With standbys, Kafka would ask a broker where changelogs are.
            "standbys": 0 if used else dice.choice([0, 0, 1, 2]),
            "tags": ["zone", "cluster"][: dice.randint(1, 2)] if tags else [],
            "traffic": 10 if used else None,
            "non_overlap": 1 if used else None,
            "strategy": strategy,
        },
    }


def _random_racks(dice: random.Random) -> list[list[str]]:
    return [sorted(dice.sample(RACKS, dice.randint(1, 2))) for _ in range(dice.randint(1, 2))]


def _random_instances(
    dice: random.Random,
    names: list[str],
    stateful: list[str],
    count: int,
    racks: tuple[str, ...],
    *,
    fresh: bool,
) -> Iterator[Case]:
    owner = {name: dice.randrange(-1, count) for name in names}
    if fresh:
        owner = dict.fromkeys(names, -1)
    some = not fresh and dice.random() < 0.5
    for index in range(count):
        active = sorted(name for name in names if owner[name] == index)
        standby = sorted(
            name for name in stateful if owner[name] != index and not fresh and dice.random() < 0.3
        )
        known = [name for name in stateful if name in standby or (some and dice.random() < 0.2)]
        lags = {name: dice.choice([0, 50, 5_000, 20_000]) for name in known}
        lags |= {name: RUNNING for name in active if name in stateful}
        yield {
            "id": str(UUID(int=(index + 1) << 64 | index + 1)),
            "threads": dice.choice([1, 1, 1, 2, 3]),
            "active": active,
            "standby": standby,
            "lags": lags,
            "tags": {"zone": dice.choice("ab"), "cluster": dice.choice("xyz")},
            "rack": dice.choice(racks),
        }


def main() -> None:
    kinds = [("high-availability", False, "none", 100), ("high-availability", True, "none", 30)]
    kinds += [("high-availability", False, "min_traffic", 20), ("sticky", False, "none", 50)]
    kinds += [("high-availability", False, "balance_subtopology", 20)]
    found = [
        _random_case(seed, assignor, tags=tags, strategy=strategy)
        for assignor, tags, strategy, count in kinds
        for seed in range(count)
    ]
    FILE.write_text(json.dumps(found), encoding="utf-8")
    raise SystemExit(run_java(HERE / "java" / "assignors", str(FILE)))


if __name__ == "__main__":
    main()
