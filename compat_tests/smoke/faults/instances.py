"""Faults of operation: a second driver, and a topic that is made anew."""

from __future__ import annotations

import signal
import subprocess
from random import Random

from compat_tests.kafka.proxy import Action
from compat_tests.smoke.faults.fault import Fault
from compat_tests.smoke.proc import descendants, kill_all, send
from compat_tests.smoke.rig import PATIENCE_S, FaultFailed, Rig
from millstream.testing.broker import WaitTimeoutError, wait_for

LONG_TRANSACTION_MS = 600_000


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


def spare_takes_over(rig: Rig, random: Random) -> None:
    """Start a second driver that waits, then kill the first one: the second must go on."""
    del random
    mark = rig.mark()
    spare = rig.another(**{"millstream.takeover": "wait"})
    try:
        wait_for(lambda: "waits as a hot spare" in rig.said_since(mark), PATIENCE_S)
    except WaitTimeoutError:
        kill_all(descendants(spare.pid))
        raise FaultFailed(f"a spare does not say so:\n{rig.said_since(mark)}") from None
    rig.kill()
    rig.go_on_with(spare)
    rig.wait_for_output()
    if "takes over from" not in rig.said_since(mark):
        raise FaultFailed(f"a spare does not take over:\n{rig.said_since(mark)}")


def frozen_and_replaced(rig: Rig, random: Random) -> None:
    """Freeze the driver while it writes, start another one elsewhere, let the first continue."""
    del random
    rig.close()
    # The frozen transaction must not end by time: the broker must refuse it.
    rig.overrides["producer.transaction.timeout.ms"] = LONG_TRANSACTION_MS
    rig.start()
    rig.wait_for_output()
    frozen = rig.pids()
    rule = rig.proxy.rule(
        api="Produce", do=Action("freeze"), then=lambda: send(rig.pids(), signal.SIGSTOP)
    )
    rig.feed()
    has_frozen = rule.struck.wait(PATIENCE_S)
    rig.proxy.clear()
    frozen = list({*frozen, *rig.pids()})
    process, mark = rig.give_up_process(), rig.mark()
    try:
        if not has_frozen:
            raise FaultFailed("the application did not write")
        # On another machine: the checkpoint is shared, the local directory is not.
        rig.overrides["millstream.checkpoint.location"] = str(rig.checkpoint)
        rig.overrides["state.dir"] = str(rig.directory / "elsewhere")
        rig.start()
        rig.wait_for_commit()
        send(frozen, signal.SIGCONT)
        _wait_for_its_end(rig, process, mark)
    finally:
        kill_all(frozen)
        process.wait()
    rig.close()
    for key in ("state.dir", "millstream.checkpoint.location", "producer.transaction.timeout.ms"):
        del rig.overrides[key]
    rig.start()


def _wait_for_its_end(rig: Rig, process: subprocess.Popen[bytes], mark: int) -> None:
    try:
        process.wait(PATIENCE_S if not rig.without else 60)
    except subprocess.TimeoutExpired:
        raise FaultFailed("a driver that was replaced goes on") from None
    if "another instance has taken over" not in rig.said_since(mark):
        raise FaultFailed(f"a replaced driver does not say so:\n{rig.said_since(mark)}")


FAULTS = (
    Fault("two-drivers", second_driver, weight=1, lives=True),
    Fault("frozen-and-replaced", frozen_and_replaced, weight=0),
    Fault("spare-takes-over", spare_takes_over, weight=0),
)
