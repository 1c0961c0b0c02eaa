"""Faults of the broker: gone for a moment, for long, or silent."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

from compat_tests.smoke.faults.fault import Fault
from compat_tests.smoke.rig import Rig
from compat_tests.smoke.small_disk import cannot_mount, fill, small_disk

AWAY_S = 25
MINUTES_AWAY_S = 200
FREE_MB = 200


def kill_broker(rig: Rig, random: Random) -> None:
    """Kill the broker as `kill -9` does, and start it again at once."""
    del random
    rig.broker.kill()
    rig.broker.restart()


def away(seconds: float) -> Callable[[Rig, Random], None]:
    """Return a fault: the broker does not run for some time."""

    def strike(rig: Rig, random: Random) -> None:
        del random
        rig.broker.kill()
        time.sleep(seconds)
        rig.broker.restart()

    return strike


def silent(seconds: float) -> Callable[[Rig, Random], None]:
    """Return a fault: the broker's connections stay open without answers."""

    def strike(rig: Rig, random: Random) -> None:
        del random
        rig.broker.pause()
        time.sleep(seconds)
        rig.broker.unpause()

    return strike


def fill_disk(rig: Rig, random: Random) -> None:
    """Fill the disk of the broker, which ends by that; free it, and start the broker again."""
    del random
    rig.broker.kill()
    with small_disk(rig.broker.data_dir / "data", FREE_MB) as ballast:
        try:
            rig.broker.restart()
            rig.wait_for_output()
            fill(ballast)
            time.sleep(AWAY_S)
            rig.broker.kill()
            ballast.unlink()
            rig.broker.restart()
            rig.wait_for_output()
        finally:
            rig.broker.kill()
    rig.broker.restart()


def _cannot_mount(rig: Rig) -> str:
    return cannot_mount(rig.directory)


FAULTS = (
    Fault("broker-killed", kill_broker, weight=3, lives=True),
    Fault("broker-away", away(AWAY_S), weight=1, lives=True),
    Fault("broker-away-for-minutes", away(MINUTES_AWAY_S), weight=0, lives=True),
    Fault("broker-silent", silent(AWAY_S), weight=1, lives=True),
    Fault("broker-disk-full", fill_disk, weight=0, lives=True, impossible=_cannot_mount),
)
