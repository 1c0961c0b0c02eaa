"""Settings of a simulation, and their command line."""

from __future__ import annotations

import argparse
import math
import random
import shlex
from dataclasses import asdict, dataclass, field, fields
from typing import Any

MB = 1_000_000
ENTRY_BYTES = 100
MANY_TASKS = 20_000


def option(default: Any, text: str) -> Any:
    """Return a field that is an option of the command line as well."""
    return field(default=default, metadata={"help": text})


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A group of executors, its tasks, and what things cost."""

    executors: int = option(100, "executors at the start")
    tasks: int = option(10_000, "tasks, all with state")
    threads: int = option(4, "threads of an executor")
    seed: int = option(0, "of sizes, histories and random placement")
    steps: int | None = option(
        None, "joins, leaves, crashes and bounces; 20, or 2 above 20,000 tasks"
    )
    standbys: int = option(0, "copies kept of each task (num.standby.replicas)")
    warmups: int | None = option(None, "max.warmup.replicas; as many as there are tasks")
    skew: float = option(0.6, "exponent of Zipf's law for the sizes of states; 0: all alike")
    state_mb: float = option(256.0, "mean size of a task's state")
    delay_s: float = option(120.0, "how long a lost executor's tasks wait for it to come back")
    drain_s: float = option(600.0, "how long a leaving executor waits for others to be ready")
    restore_mb_s: float = option(100.0, "state that an executor restores in a second")
    rebalance_s: float = option(3.0, "from the start of a rebalance to the new assignment")
    revoke_s: float = option(0.5, "to stop a revoked task")
    detect_s: float = option(10.0, "until a crash is noticed")
    probing_s: float = option(600.0, "probing.rebalance.interval.ms, in seconds")
    churn: float = option(0.0001, "part of a state that changes in a second")

    def history_steps(self) -> int:
        """Return how long a history is."""
        if self.steps is not None:
            return self.steps
        return 2 if self.is_large() else 20

    def is_large(self) -> bool:
        """Return whether only what matters most is simulated, unless more is asked for."""
        return self.tasks > MANY_TASKS

    def joining(self) -> int:
        """Return how many executors a tenth is."""
        return max(1, round(self.executors / 10))

    def max_warmups(self) -> int:
        """Return how many warm-ups there may be at the same time."""
        return self.tasks if self.warmups is None else self.warmups

    def sizes(self) -> list[float]:
        """Return the bytes of each task's state: Zipf's law, in random order."""
        ranks = list(range(1, self.tasks + 1))
        random.Random(f"{self.seed}/sizes").shuffle(ranks)
        weights = [rank**-self.skew for rank in ranks]
        unit = self.state_mb * MB * self.tasks / sum(weights)
        return [weight * unit for weight in weights]

    def most_rebalances(self) -> tuple[int, int]:
        """Return the number of rebalances after which an unchanged group must be stable.

        The first number counts those that come without a copy having become ready before: each
        round of warm-ups has one that starts them, one that revokes, one that hands over. The
        second counts all: as many more as follow each other while a round's states are restored.
        """
        sizes = self.sizes()
        longest_s = (max(sizes) + 2 * sum(sizes) / self.executors) / (self.restore_mb_s * MB)
        rounds = math.ceil(self.tasks / self.max_warmups())
        idle = 8 + 3 * rounds
        return idle, idle + math.ceil(rounds * longest_s / (self.rebalance_s + self.revoke_s))

    def command(self, steps: int, strategy: str, assignor: str) -> str:
        """Return the call that does it again, up to a step."""
        given = asdict(self) | {"steps": steps}
        always = {"executors", "tasks", "seed", "steps"}
        words = ["python", "-m", "benchmarks.rebalance"]
        for each in fields(self):
            value = given[each.name]
            if each.name in always or value != each.default:
                words += [flag(each.name), f"{value}"]
        words += ["--assignor", assignor, "--strategy", strategy]
        return shlex.join(words)


INTEGERS = {"executors", "tasks", "threads", "seed", "steps", "standbys", "warmups"}
FROM_NOTHING = {"seed", "steps", "standbys", "skew", "delay_s", "revoke_s", "detect_s", "churn"}


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for each field."""
    for each in fields(Setting):
        known = "" if each.default is None else f" ({each.default:,})"
        parser.add_argument(
            flag(each.name),
            type=_number(int if each.name in INTEGERS else float, each.name in FROM_NOTHING),
            default=each.default,
            metavar="N",
            help=each.metadata["help"] + known,
        )


def setting_of(options: argparse.Namespace) -> Setting:
    """Return what the options say."""
    return Setting(**{each.name: getattr(options, each.name) for each in fields(Setting)})


def _number(kind: type, nothing_too: bool) -> Any:
    def read(text: str) -> Any:
        number = kind(text.replace("_", "").replace(",", ""))
        if number < 0 or (number == 0 and not nothing_too):
            raise argparse.ArgumentTypeError("must be 0 or more" if nothing_too else "must be > 0")
        return number

    read.__name__ = kind.__name__
    return read
