"""The compared strategies: an assignor, and the behaviour during a rebalance."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from millstream.core.assignment import AssignmentConfigs
from millstream.core.processor import TaskId
from millstream.testing.rebalance.member import Protocol
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.choose import chosen_assignor
from millstream.topology.assign.cluster import Assignment, Cluster
from millstream.topology.assign.high_availability import HighAvailability
from millstream.topology.assign.round_robin import RoundRobin
from millstream.topology.assign.sticky import Sticky

KEY = "task.assignor.class"
BUILT_IN = (Sticky.name, HighAvailability.name, RoundRobin.name)
VARIANTS = ("no-delay", "learners", "eager", "hash", "random")
CHEAP = ("eager", "hash", "random")
"""Those that rebalance rarely enough to be simulated at any size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """An assignor and a protocol."""

    name: str
    assignor: Assignor
    protocol: Protocol = Protocol.COOPERATIVE
    waits: bool = False
    """Whether the tasks of a lost executor wait for it to come back."""
    drains: bool = True
    """Whether who leaves stays until others are ready to go on with its tasks."""
    all_wait: bool = False
    """Whether all executors wait until each has its state, as in a batch."""
    keeps_share: bool = False
    """Whether the assignor promises to take nothing from whoever has no more than its share."""
    chosen: str = Sticky.name
    """The assignor that the command line named."""

    @property
    def stops_all(self) -> bool:
        """Whether all tasks stop before the group is asked."""
        return self.protocol is Protocol.EAGER


def strategies(chosen: str, seed: int) -> Mapping[str, Callable[[], Strategy]]:
    """Return what can be compared, by name; each is made anew for each history.

    Args:
        chosen: The assignor that is looked at most closely.
        seed: Of random placement.
    """

    def cooperative(name: str) -> Strategy:
        assignor = assignor_named(name)
        keeps = isinstance(assignor, Sticky)
        return Strategy(name=name, assignor=assignor, waits=True, keeps_share=keeps, chosen=chosen)

    def variant(name: str) -> Strategy:
        like = replace(cooperative(chosen), name=name)
        if name == "no-delay":
            return replace(like, waits=False)
        if name == "learners":
            return replace(like, protocol=Protocol.LEARNERS)
        alone = replace(like, waits=False, drains=False, keeps_share=False, protocol=Protocol.EAGER)
        if name == "eager":
            return alone
        if name == "hash":
            return replace(alone, assignor=HashPlacement())
        return replace(alone, assignor=RandomPlacement(seed), all_wait=True)

    assignors = dict.fromkeys([chosen, *BUILT_IN])
    return {name: partial(cooperative, name) for name in assignors} | {
        name: partial(variant, name) for name in VARIANTS
    }


def assignor_named(name: str) -> Assignor:
    """Return an assignor: a plugin's name, or the path of a class.

    Raises:
        ConfigException: There is none.
    """
    return chosen_assignor({"application.id": "bench", "bootstrap.servers": "none:0", KEY: name})


class HashPlacement:
    """The hash of a task's name, modulo the number of executors."""

    name = "hash"

    def assign(self, cluster: Cluster, configs: AssignmentConfigs) -> Assignment:
        """Return an assignment that depends on nothing but the executors' number and order."""
        ids = sorted(instance.id for instance in cluster.instances)
        owners = {task: ids[zlib.crc32(f"{task}".encode()) % len(ids)] for task in cluster.tasks}
        return placed(ids, owners)


class RandomPlacement:
    """What Spark does: a task runs where it ran, but a new executor takes tasks at random."""

    name = "random"

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(f"{seed}/placement")
        self._known: set[str] = set()

    def assign(self, cluster: Cluster, configs: AssignmentConfigs) -> Assignment:
        """Return an assignment that is not balanced."""
        ids = sorted(instance.id for instance in cluster.instances)
        owners = {task: each.id for each in cluster.instances for task in each.active}
        new = [each for each in ids if each not in self._known]
        first, self._known = not self._known, set(ids)
        for task in cluster.tasks:
            owner = owners.get(task)
            if owner is None:
                owners[task] = self._rng.choice(ids)
            elif new and not first and self._rng.random() < len(new) / len(ids):
                owners[task] = self._rng.choice(new)
        return placed(ids, owners)


def placed(ids: list[str], owners: dict[TaskId, str]) -> Assignment:
    """Return an assignment without copies."""
    active: dict[str, list[TaskId]] = {each: [] for each in ids}
    for task, owner in owners.items():
        active[owner].append(task)
    nothing: dict[str, tuple[TaskId, ...]] = dict.fromkeys(ids, ())
    return Assignment(
        active={each: tuple(sorted(tasks)) for each, tasks in active.items()},
        standby=nothing,
        warmup=nothing,
    )
