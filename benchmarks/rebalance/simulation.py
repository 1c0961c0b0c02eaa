"""Simulation of a group of executors over a history."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.rebalance import checks
from benchmarks.rebalance.checks import BrokenPromise
from benchmarks.rebalance.clock import Act, Clock
from benchmarks.rebalance.history import Step, names
from benchmarks.rebalance.ledger import Costs
from benchmarks.rebalance.rebalances import Rebalances
from benchmarks.rebalance.settings import Setting
from benchmarks.rebalance.strategies import Strategy
from millstream.core.errors import MillstreamError


class Simulation:
    """A group that is stable at first.

    Args:
        setting: Sizes and costs.
        strategy: Who decides, and how the group gets there.
    """

    def __init__(self, setting: Setting, strategy: Strategy) -> None:
        self._setting, self._strategy = setting, strategy
        self._clock = Clock()
        self._rebalances = Rebalances(setting, strategy, self._clock)
        self._group = self._rebalances.group
        self.world = self._rebalances.world
        self._step = 0
        self._unsettled_since: float | None = None

    def live_through(self, steps: Sequence[Step]) -> Costs:
        """Return what a history costs.

        Raises:
            BrokenPromise: An invariant does not hold; the hint is a call that shows it.
        """
        try:
            self._live(steps)
        except MillstreamError as error:
            strategy = self._strategy
            call = self._setting.command(self._step, strategy.name, strategy.chosen)
            raise BrokenPromise(
                f"{strategy.name}, step {self._step}: {error.problem}",
                detail=error.detail,
                hint=f"See it again: {call}",
            ) from error
        costs = self.world.ledger.costs
        costs.restored_bytes = sum(each.restored for each in self.world.executors.values())
        return costs

    def _live(self, steps: Sequence[Step]) -> None:
        self._rebalances.begin(names(self._setting))
        for step in steps:
            self._clock.at(step.at_s, self._taking(step))
        while (now := self._clock.tick()) is not None:
            if self._unsettled_since is not None and self._is_settled():
                self._settle(now, now - self._unsettled_since)
        if self._unsettled_since is not None:
            raise BrokenPromise(
                "the group does not settle",
                detail=f"{self.world.ledger.down()} tasks are down, and nothing is left to do.",
            )

    def _taking(self, step: Step) -> Act:
        def take(now: float) -> None:
            self.world.ledger.mark(now)
            self._step, self._unsettled_since = step.number, now
            self._rebalances.begin_step()
            for name in step.executors:
                if step.kind == "join":
                    self.world.add(name)
                    self._group.join(name, threads=self._setting.threads)
                elif step.kind == "leave" and self._strategy.drains:
                    self._drain(name, now)
                else:
                    self._go(name, step, now)
            self._rebalances.look(now)

        return take

    def _drain(self, name: str, now: float) -> None:
        self.world.leaving.add(name)
        self._group.leave(name, timeout_ms=int(self._setting.drain_s * 1000))
        self._clock.at(now + self._setting.drain_s, self._rebalances.look)

    def _go(self, name: str, step: Step, now: float) -> None:
        self.world.vanish(name, now)
        if step.kind == "crash":
            self.world.executors[name].lose_disk()
            self._clock.at(now + self._setting.detect_s, self._missing(name))
        else:
            self._group.crash(name)
        if step.kind == "bounce":
            self._clock.at(now + step.away_s, self._returning(name))

    def _missing(self, name: str) -> Act:
        def miss(now: float) -> None:
            self._group.crash(name)
            self._rebalances.look(now)

        return miss

    def _returning(self, name: str) -> Act:
        def come_back(now: float) -> None:
            self.world.executors[name].present = True
            self._group.join(name, threads=self._setting.threads)
            self._rebalances.look(now)

        return come_back

    def _is_settled(self) -> bool:
        if self.world.ledger.down() or self._rebalances.is_busy():
            return False
        return all(self.world.executors[name].present for name in self._group.members)

    def _settle(self, now: float, took_s: float) -> None:
        """Check what must be true now, and look again only after the next step."""
        self._unsettled_since = None
        ledger = self.world.ledger
        ledger.mark(now)
        ledger.costs.balance_s.append(took_s)
        checks.check_owned(self.world.owners, set(self._group.members), len(self.world.tasks))
        checks.check_at_rest(self._rebalances.moves_at_rest())
        self._weigh()

    def _weigh(self) -> None:
        costs, sizes = self.world.ledger.costs, self.world.sizes
        executors = [self.world.executors[name] for name in self._group.members]
        threads = sum(each.threads for each in executors)
        heaviest = max(len(each.active) / each.threads for each in executors)
        costs.imbalance = max(costs.imbalance, heaviest * threads / len(sizes))
        held = [sum(sizes[task] for task in each.active) / each.threads for each in executors]
        costs.imbalance_bytes = max(costs.imbalance_bytes, max(held) * threads / sum(sizes))
