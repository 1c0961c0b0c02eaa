"""Measurements: time of an assignment, and costs of strategies in three histories."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.rebalance.history import Step, bounce, executor_name, history, names, scale_up
from benchmarks.rebalance.ledger import Costs
from benchmarks.rebalance.settings import Setting
from benchmarks.rebalance.simulation import Simulation
from benchmarks.rebalance.strategies import Strategy
from benchmarks.rebalance.world import tasks_of
from millstream.core.assignment import AssignmentConfigs
from millstream.topology.assign.assignor import Assignor
from millstream.topology.assign.cluster import Assignment, Cluster, Instance

HISTORIES: dict[str, Callable[[Setting], list[Step]]] = {
    "scale_up": scale_up,
    "bounce": bounce,
    "history": history,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """What one strategy costs in one history."""

    costs: Costs
    moved_tasks: int
    """Tasks that have moved at least once."""


Lives = dict[str, dict[str, Life]]
"""By strategy, then by the history's name."""


def lives(setting: Setting, made: Mapping[str, Callable[[], Strategy]]) -> Lives:
    """Let every strategy live through the same histories.

    Raises:
        BrokenPromise: An invariant does not hold.
    """
    return {
        name: {told: _life(setting, make(), steps(setting)) for told, steps in HISTORIES.items()}
        for name, make in made.items()
    }


def _life(setting: Setting, strategy: Strategy, steps: list[Step]) -> Life:
    simulation = Simulation(setting, strategy)
    costs = simulation.live_through(steps)
    return Life(costs=costs, moved_tasks=len(simulation.world.ledger.moved_tasks))


def assign_seconds(setting: Setting, assignor: Assignor) -> dict[str, float]:
    """Return the CPU seconds of assignments: of new tasks, of unchanged ones, after a scale-up."""
    configs = AssignmentConfigs(10_000, setting.max_warmups(), setting.standbys, 600_000, [])
    cluster = Cluster(
        instances=_instances(setting, names(setting), None), tasks=tuple(tasks_of(setting.tasks))
    )
    found: dict[str, float] = {}

    def timed(what: str, asked: Cluster) -> Assignment:
        began = time.process_time()
        assignment = assignor.assign(asked, configs)
        found[what] = time.process_time() - began
        return assignment

    first = timed("new", cluster)
    more = [executor_name(setting.executors + each) for each in range(setting.joining())]
    timed("unchanged", replace(cluster, instances=_instances(setting, names(setting), first)))
    joined = [*names(setting), *more]
    timed("scale_up", replace(cluster, instances=_instances(setting, joined, first)))
    return found


def _instances(
    setting: Setting, ids: Iterable[str], before: Assignment | None
) -> tuple[Instance, ...]:
    active = {} if before is None else before.active
    standby = {} if before is None else before.standby
    return tuple(
        Instance(
            id=each,
            threads=setting.threads,
            active=active.get(each, ()),
            standby=standby.get(each, ()),
            lags=dict.fromkeys(standby.get(each, ()), 0),
        )
        for each in ids
    )


def summary(
    setting: Setting, assignor: str, seconds: dict[str, float], found: Lives
) -> dict[str, Any]:
    """Return everything that has been measured, to print as JSON."""
    chosen = found.get(assignor)
    return {
        "executors": setting.executors,
        "tasks": setting.tasks,
        "threads": setting.threads,
        "seed": setting.seed,
        "steps": setting.history_steps(),
        "assignor": assignor,
        "assign_s": round(max(seconds.values()), 4),
        "moved_on_scale_up": chosen and chosen["scale_up"].moved_tasks / setting.tasks,
        "moved_on_bounce": chosen and chosen["bounce"].moved_tasks / setting.tasks,
        "assign": {what: round(each, 4) for what, each in seconds.items()},
        "strategies": {
            name: {
                told: {"moved_tasks": life.moved_tasks} | life.costs.summary(setting.tasks)
                for told, life in each.items()
            }
            for name, each in found.items()
        },
    }
