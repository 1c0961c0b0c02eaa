"""A `millstream.testing.rebalance.group.SimulatedGroup` in simulated time, applied to the world."""

from __future__ import annotations

from benchmarks.rebalance import checks
from benchmarks.rebalance.checks import CheckedAssignor
from benchmarks.rebalance.clock import Clock
from benchmarks.rebalance.settings import Setting
from benchmarks.rebalance.strategies import Strategy
from benchmarks.rebalance.world import World
from millstream.core.assignment import AssignmentConfigs
from millstream.testing.rebalance.group import SimulatedGroup
from millstream.testing.rebalance.leader import Work
from millstream.testing.rebalance.life_cycles import GroupStage
from millstream.topology.assign.cluster import Cluster

ACCEPTABLE_LAG = 10_000
"""Entries: the default of acceptable.recovery.lag."""
SHORTEST_PROBING_MS = 60_000


class Rebalances:
    """Runs the rebalances of a group when they are due, and moves tasks as they say.

    Args:
        setting: Sizes and costs.
        strategy: Who decides, and how the group gets there.
        clock: The time.
    """

    def __init__(self, setting: Setting, strategy: Strategy, clock: Clock) -> None:
        self._setting, self._strategy, self._clock = setting, strategy, clock
        self.world = World(setting, clock, strategy.all_wait, self._warmed)
        self._assignor = CheckedAssignor(strategy.assignor)
        self._configs = AssignmentConfigs(
            ACCEPTABLE_LAG,
            setting.max_warmups(),
            setting.standbys,
            max(SHORTEST_PROBING_MS, int(setting.probing_s * 1000)),
            [],
        )
        self._work = Work(tasks=tuple(self.world.tasks), sizes=self.world.entries)
        self.group = SimulatedGroup(
            self._assignor,
            self._work,
            self._configs,
            protocol=strategy.protocol,
            max_delay_ms=int(setting.delay_s * 1000) if strategy.waits else 0,
        )
        self._most_idle, self._most = setting.most_rebalances()
        self._asking = False
        self._warm = 0
        self._count = self._idle = 0
        self._began_ms = 0

    def begin(self, names: list[str]) -> None:
        """Let all tasks run where first assignments say, with all state in place."""
        for name in names:
            self.world.add(name)
            self.group.join(name, threads=self._setting.threads)
        self.group.settle()
        # Standbys may take some rounds until they are where they should be.
        while self.group.planned_ms is not None:
            self.group.catch_up()
            self.group.advance(self.group.planned_ms - self.group.now_ms)
            self.group.settle()
        self._began_ms = self.group.now_ms
        members = self.group.members.items()
        numbers = self.world.numbers
        self.world.begin(
            {name: {numbers[task] for task in each.owned} for name, each in members},
            {name: {numbers[task] for task in each.standby} for name, each in members},
        )

    def begin_step(self) -> None:
        """Count rebalances from here."""
        self._count = self._idle = 0

    def is_busy(self) -> bool:
        """Return whether a rebalance is under way, due, planned or to follow a learner."""
        group = self.group
        if self._asking or group.due or group.planned_ms is not None:
            return True
        return any(each.learning or each.leaving for each in group.members.values())

    def moves_at_rest(self) -> int:
        """Return how many tasks would move if the assignor was asked again.

        Raises:
            BrokenPromise: What it says is no assignment.
        """
        members = self.group.members
        asked = Cluster(
            instances=tuple(each.instance() for each in members.values()),
            tasks=self._work.tasks,
            sizes=self._work.sizes,
        )
        wanted = self._assignor.assign(asked, self._configs).active
        return sum(len(set(wanted[name]) - each.owned) for name, each in members.items())

    def look(self, now: float) -> None:
        """Let the time be known, and begin a rebalance if one is due."""
        self._advance(now)
        if self.group.due and not self._asking:
            self._asking = True
            revoking = self.group.state is GroupStage.REVOKING
            self._clock.at(now + self._setting.revoke_s * revoking, self._collect)

    def _advance(self, now: float) -> None:
        ms = self._began_ms + round(now * 1000) - self.group.now_ms
        self.group.advance(ms)
        self._say_goodbye(now)

    def _say_goodbye(self, now: float) -> None:
        """Let those go that have left the group."""
        for name in self.world.leaving - self.group.members.keys():
            self.world.vanish(name, now)

    def _collect(self, now: float) -> None:
        self._advance(now)
        self._report(now)
        for name, share in self.group.collect().items():
            if share.revoked:
                self.world.suspend(name, share.revoked, now)
        eager = self._strategy.stops_all
        takes = self._setting.rebalance_s + self._setting.revoke_s * eager
        self._clock.at(now + takes * (not self._strategy.all_wait), self._assign)

    def _assign(self, now: float) -> None:
        self._advance(now)
        self._report(now)
        self._note()
        if self.group.state is not GroupStage.ASSIGNING:
            # An executor that joined or left in between is part of it.
            self._collect_again(now)
        self.group.assign()
        self._asking = False
        self._follow(now)
        if (planned := self.group.planned_ms) is not None:
            self._clock.at((planned - self._began_ms) / 1000, self.look)
        self.look(now)

    def _collect_again(self, now: float) -> None:
        for name, share in self.group.collect().items():
            if share.revoked:
                self.world.suspend(name, share.revoked, now)

    def _report(self, now: float) -> None:
        """Tell the group how far behind copies are."""
        for name, member in self.group.members.items():
            executor = self.world.executors[name]
            if executor.present:
                member.copies = self.world.lags(executor, now)
                learning = {task: member.copies[task] for task in member.learning}
                self.group.progress(name, learning)

    def _note(self) -> None:
        self._count += 1
        # Where a copy has become ready in between, there was something new to be done.
        self._idle += self._warm == 0
        self._warm = 0
        costs = self.world.ledger.costs
        costs.rebalances += 1
        costs.most_rebalances = max(costs.most_rebalances, self._count)
        checks.check_convergence(self._idle, self._most_idle, "idle ")
        checks.check_convergence(self._count, self._most)

    def _follow(self, now: float) -> None:
        """Bring the world to where the group is."""
        world, members = self.world, self.group.members
        # Who is missing, and not missed yet, gets nothing done.
        present = [name for name in members if world.executors[name].present]
        owned = {name: {world.numbers[task] for task in members[name].owned} for name in present}
        for name in present:
            world.check_stopped(name, owned[name])
        self._say_goodbye(now)
        for name in present:
            taken = world.executors[name].active - owned[name]
            if taken and self._strategy.keeps_share and not members[name].leaving:
                self._assignor.check_share(name)
            world.take(name, taken, now)
        for name in present:
            executor, member = world.executors[name], members[name]
            world.give(name, sorted(owned[name] - executor.active))
            executor.standby = {world.numbers[task] for task in member.standby}
            executor.warmup = {world.numbers[task] for task in member.learning}
        for name in present:
            world.work(name, now)
        world.release(now)

    def _warmed(self, name: str, task: int, now: float) -> None:
        self._warm += 1
        self.group.progress(name, {self.world.tasks[task]: 0})
        self.look(now)
