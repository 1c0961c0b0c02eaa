"""Faults of the application's own processes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from random import Random

from compat_tests.kafka.proxy import Action
from compat_tests.smoke.faults.fault import Fault, needs_transactions
from compat_tests.smoke.proc import Known, kill_all, kill_known, send
from compat_tests.smoke.rig import TRANSACTION_TIMEOUT_S, FaultFailed, Rig


def kill_everything(rig: Rig, random: Random) -> None:
    """Kill driver, JVM and workers at the same moment, as a machine that fails does."""
    del random
    rig.kill()
    rig.ensure_running()


def kill_jvm(rig: Rig, random: Random) -> None:
    """Kill Spark's JVM: the driver must notice and end."""
    del random
    others = [Known.of(pid) for pid in rig.pids()]
    os.kill(rig.jvm_pid(), signal.SIGKILL)
    said = rig.wait_for_end(60)
    if "FAILED" not in said:
        raise FaultFailed(f"a driver without its JVM does not say that it failed:\n{said}")
    kill_known(others)
    rig.ensure_running()


def kill_python(rig: Rig, random: Random) -> None:
    """Kill the driver's Python alone: JVM and workers must end by themselves."""
    del random
    others = [Known.of(pid) for pid in rig.pids()[1:]]
    os.kill(rig.driver_pid, signal.SIGKILL)
    rig.wait_for_end(10)
    # The next start does not wait for them: what they still write must not count.
    rig.ensure_running()
    rig.left_overs += others


def kill_worker(rig: Rig, random: Random) -> None:
    """Kill one Python worker: its task is tried again."""
    workers = rig.worker_pids()
    if workers:
        kill_all([random.choice(workers)])


def kill_all_workers(rig: Rig, random: Random) -> None:
    """Kill all Python workers at the same moment."""
    del random
    kill_all(rig.worker_pids())


def stop_and_continue(rig: Rig, random: Random) -> None:
    """Freeze all processes for longer than a transaction may last."""
    del random
    pids = rig.pids()
    send(pids, signal.SIGSTOP)
    time.sleep(TRANSACTION_TIMEOUT_S + 3)
    send(pids, signal.SIGCONT)


def stop_workers(rig: Rig, random: Random) -> None:
    """Freeze the workers that write, for longer than a transaction may last."""
    del random
    pids = rig.worker_pids("sink") or rig.worker_pids()
    send(pids, signal.SIGSTOP)
    time.sleep(TRANSACTION_TIMEOUT_S + 3)
    send(pids, signal.SIGCONT)


def kill_after(api: str, at: int) -> Callable[[Rig, Random], None]:
    """Return a fault that kills everything when the broker has answered a request."""

    def strike(rig: Rig, random: Random) -> None:
        del random
        pids = rig.pids()
        rule = rig.proxy.rule(
            api=api, at=at, do=Action("kill"), then=lambda: send(pids, signal.SIGKILL)
        )
        struck = rule.struck.wait(90)
        rig.proxy.clear()
        if not struck:
            raise FaultFailed(f"there was no request {api}")
        rig.kill()
        rig.ensure_running()

    return strike


def kill_sinks_after(api: str) -> Callable[[Rig, Random], None]:
    """Return a fault that kills the workers that write, in the middle of a transaction."""

    def strike(rig: Rig, random: Random) -> None:
        del random
        rule = rig.proxy.rule(
            api=api, do=Action("kill"), then=lambda: send(rig.worker_pids("sink"), signal.SIGKILL)
        )
        struck = rule.struck.wait(90)
        rig.proxy.clear()
        if not struck:
            raise FaultFailed(f"there was no request {api}")

    return strike


def _at(name: str, strike: Callable[[Rig, Random], None], weight: int, *, lives: bool) -> Fault:
    return Fault(name, strike, weight, lives, needs_transactions)


FAULTS = (
    Fault("driver-killed", kill_everything, weight=6),
    Fault("jvm-killed", kill_jvm, weight=2),
    Fault("python-killed", kill_python, weight=2),
    Fault("worker-killed", kill_worker, weight=4, lives=True),
    Fault("workers-killed", kill_all_workers, weight=2, lives=True),
    Fault("stopped-and-continued", stop_and_continue, weight=0, lives=True),
    Fault("sink-stopped-and-continued", stop_workers, weight=0, lives=True),
    _at("killed-at-EndTxn", kill_after("EndTxn", 1), 3, lives=False),
    _at("killed-at-second-EndTxn", kill_after("EndTxn", 2), 2, lives=False),
    _at("killed-at-TxnOffsetCommit", kill_after("TxnOffsetCommit", 1), 1, lives=False),
    _at("sink-killed-at-TxnOffsetCommit", kill_sinks_after("TxnOffsetCommit"), 2, lives=True),
    _at("sink-killed-at-EndTxn", kill_sinks_after("EndTxn"), 2, lives=True),
)
