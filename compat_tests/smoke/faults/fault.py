"""What a fault is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from compat_tests.smoke.rig import Rig


def _always(_: Rig) -> str:
    return ""


def needs_transactions(rig: Rig) -> str:
    """Tell that a request of transactions does not come, with at least once."""
    return "" if rig.exactly_once else "without transactions there is no such request"


@dataclass(frozen=True, slots=True)
class Fault:
    """A way to disturb the application.

    Attributes:
        name: As ``--faults`` takes it.
        strike: Disturbs a running application, and mends; the application may be starting again
            when it returns, or have ended by itself.
        weight: How often it is chosen at random, beside the others; 0: only by name or once.
        lives: Whether the application must not end by this.
        impossible: Tells why it cannot be done here; empty if it can.
    """

    name: str
    strike: Callable[[Rig, Random], None]
    weight: int = 1
    lives: bool = False
    impossible: Callable[[Rig], str] = _always
