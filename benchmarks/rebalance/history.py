"""Histories of executors that join and leave, the same for all strategies."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Literal

from benchmarks.rebalance.settings import Setting

Kind = Literal["join", "leave", "crash", "bounce"]
KINDS: tuple[Kind, ...] = ("join", "leave", "crash", "bounce")
AT_ONCE = 0.1
"""At most this part of the executors joins or leaves in one step."""
IN_A_ROW = 0.2
"""How likely a step is to come before the group has settled."""
SETTLED_S = 4 * 3600.0
"""In which most groups settle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Executors that join, leave, crash or bounce at the same time."""

    number: int
    at_s: float
    kind: Kind
    executors: tuple[str, ...]
    away_s: float = 0.0
    """How long they are away, if they bounce."""


def executor_name(number: int) -> str:
    """Return an executor's name; names are in the order in which executors join."""
    return f"executor-{number:05}"


def names(setting: Setting) -> list[str]:
    """Return the executors at the start."""
    return [executor_name(number) for number in range(setting.executors)]


def history(setting: Setting) -> list[Step]:
    """Return a random history; one of fewer steps is the beginning of one of more."""
    present = names(setting)
    back: dict[str, float] = {}
    joined, now, found = len(present), 0.0, []
    fewest, most = max(2, setting.executors // 2), 2 * setting.executors
    for number in range(1, setting.history_steps() + 1):
        rng = random.Random(f"{setting.seed}/{number}")
        now += rng.uniform(1, 20) if rng.random() < IN_A_ROW else SETTLED_S * rng.uniform(1, 2)
        here = [name for name in present if back.get(name, 0.0) <= now]
        count = rng.randint(1, max(1, int(setting.executors * AT_ONCE)))
        kind = rng.choice(KINDS)
        if kind != "join" and len(here) - count < fewest:
            kind = "join"
        if kind == "join" and len(present) + count > most:
            kind, count = "bounce", 1
        if kind == "join":
            chosen = [executor_name(joined + each) for each in range(count)]
            joined += count
            present += chosen
        else:
            chosen = sorted(rng.sample(here, count))
        away = rng.uniform(0.1, 1.5) * max(setting.delay_s, 60.0) if kind == "bounce" else 0.0
        if kind == "bounce":
            back |= dict.fromkeys(chosen, now + away)
        elif kind != "join":
            present = [name for name in present if name not in set(chosen)]
        found.append(Step(number=number, at_s=now, kind=kind, executors=tuple(chosen), away_s=away))
    return found


def scale_up(setting: Setting) -> list[Step]:
    """Return the history in which a tenth more executors join at once."""
    joining = tuple(executor_name(setting.executors + each) for each in range(setting.joining()))
    return [Step(number=1, at_s=60.0, kind="join", executors=joining)]


def bounce(setting: Setting) -> list[Step]:
    """Return the history in which an executor is away for half of the delay."""
    name = executor_name(setting.executors // 2)
    away = setting.delay_s / 2 or 30.0
    return [Step(number=1, at_s=60.0, kind="bounce", executors=(name,), away_s=away)]
