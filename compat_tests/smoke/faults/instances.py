"""Faults of operation: a second driver, and a topic that is made anew."""

from __future__ import annotations

import signal
import subprocess
from random import Random

from compat_tests.smoke.faults.fault import Fault
from compat_tests.smoke.proc import descendants, kill_all, send
from compat_tests.smoke.rig import PATIENCE_S, FaultFailed, Rig


def second_driver(rig: Rig, random: Random) -> None:
    """Start a second driver with the same directories: it must be refused."""
    del random
    mark = rig.mark()
    second = rig.another()
    try:
        second.wait(60)
    except subprocess.TimeoutExpired:
        raise FaultFailed("a second driver runs beside the first") from None
    finally:
        kill_all(descendants(second.pid))
        second.wait()
    said = rig.said_since(mark)
    if "REFUSED LockException" not in said or "hint: " not in said:
        raise FaultFailed(f"a second driver is not told why it is refused:\n{said}")


def frozen_and_replaced(rig: Rig, random: Random) -> None:
    """Freeze the driver, start another one elsewhere, then let the first continue."""
    del random
    frozen = rig.pids()
    process, rig.overrides = rig.give_up_process(), dict(rig.overrides)
    send(frozen, signal.SIGSTOP)
    mark = rig.mark()
    try:
        # On another machine: the checkpoint is shared, the local directory is not.
        rig.overrides["millstream.checkpoint.location"] = str(rig.checkpoint)
        rig.overrides["state.dir"] = str(rig.directory / "elsewhere")
        rig.start()
        rig.wait_for_output()
        send(frozen, signal.SIGCONT)
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise FaultFailed("a driver that was replaced goes on") from None
        if "another instance has taken over" not in rig.said_since(mark):
            raise FaultFailed(f"a replaced driver does not say so:\n{rig.said_since(mark)}")
    finally:
        kill_all(frozen)
        process.wait()
    rig.close()
    del rig.overrides["state.dir"], rig.overrides["millstream.checkpoint.location"]
    rig.start()


FAULTS = (
    Fault("two-drivers", second_driver, weight=1, lives=True),
    Fault("frozen-and-replaced", frozen_and_replaced, weight=0),
)
