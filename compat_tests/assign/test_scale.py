"""A hundred thousand tasks on a thousand instances; `benchmarks.rebalance` has the times."""

from __future__ import annotations

import random
from dataclasses import replace

from compat_tests.assign.clusters import configs, follow
from millstream import TaskId
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.cluster import Assignment, Cluster, Instance, moved
from millstream.topology.assign.high_availability import HighAvailability
from millstream.topology.assign.sticky import Sticky

TASKS = tuple(TaskId(group, number) for group in range(10) for number in range(10_000))


def assigned(assignor: Assignor, cluster: Cluster, standbys: int) -> Assignment:
    return assignor.assign(cluster, configs(standbys=standbys))


def test_sticky_moves_a_tenth_when_a_tenth_joins() -> None:
    standbys = 1
    dice = random.Random(7)
    names = [f"{dice.getrandbits(64):x}" for _ in range(1100)]
    instances = tuple(Instance(id=name) for name in names)
    cluster = Cluster(instances=instances[:1000], tasks=TASKS)
    first = assigned(Sticky(), cluster, standbys)
    cluster = follow(cluster, first)
    bounced = replace(cluster, instances=cluster.instances[::-1])
    again = assigned(Sticky(), bounced, standbys)
    assert moved(first.active, again) == {}
    assert not again.followup
    grown = replace(cluster, instances=cluster.instances + instances[1000:])
    learning = assigned(Sticky(), grown, standbys)
    assert moved(first.active, learning) == {}
    done = assigned(Sticky(), follow(grown, learning), standbys)
    assert len(moved(first.active, done)) <= 0.12 * len(TASKS)
    assert {len(own) for own in done.active.values()} == {90, 91}


def test_high_availability_keeps_what_it_gave_to_instances_of_all_sizes() -> None:
    dice = random.Random(7)
    instances = tuple(
        Instance(id=f"{dice.getrandbits(64):x}", threads=dice.choice([1, 2, 4, 8]))
        for _ in range(1000)
    )
    cluster = Cluster(instances=instances, tasks=TASKS)
    first = assigned(HighAvailability(), cluster, 1)
    again = assigned(HighAvailability(), follow(cluster, first), 1)
    assert moved(first.active, again) == {}
    assert not again.followup


def test_high_availability_moves_nothing_before_it_is_warm() -> None:
    instances = tuple(Instance(id=f"{number:04}") for number in range(110))
    cluster = Cluster(instances=instances[:100], tasks=TASKS[:5000])
    first = HighAvailability().assign(cluster, configs())
    grown = replace(cluster, instances=follow(cluster, first).instances + instances[100:])
    found = assigned(HighAvailability(), grown, 0)
    assert moved(first.active, found) == {}
    assert sum(map(len, found.warmup.values())) == 2
    assert found.followup
