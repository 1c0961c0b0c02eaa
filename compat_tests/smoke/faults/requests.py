"""Faults of single requests: the proxy cuts, delays or swallows them."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from random import Random

from compat_tests.kafka.proxy import (
    Action,
    cut,
    cut_answer,
    delay,
    swallow_answer,
    swallow_request,
)
from compat_tests.smoke.faults.fault import Fault, needs_transactions
from compat_tests.smoke.proc import kill_all
from compat_tests.smoke.rig import FaultFailed, Rig

APIS = ("EndTxn", "TxnOffsetCommit", "AddOffsetsToTxn", "Produce", "Fetch", "Metadata")
TRANSACTIONAL = ("EndTxn", "TxnOffsetCommit", "AddOffsetsToTxn")
ONCE = ("Metadata",)
"""Clients ask it when they begin, then not for minutes. So workers that write begin anew."""
MOST_BEFORE = 4
MOST_ONCE = 2
"""A worker that begins anew asks as often: its producer does, and its consumer."""
DELAY_S = 8
WAIT_S, AGAIN_S = 180, 20
KILLS_EVERY = 3
"""A new worker on a busy machine may ask for nothing within ``AGAIN_S``; it is not killed then."""


def struck(api: str, do: Action) -> Callable[[Rig, Random], None]:
    """Return a fault: something happens to the n-th request of a kind."""

    def strike(rig: Rig, random: Random) -> None:
        at = random.randint(1, MOST_BEFORE)
        rule = rig.proxy.rule(api=api, at=min(at, MOST_ONCE) if api in ONCE else at, do=do)
        give_up = time.monotonic() + WAIT_S
        for attempt in count():
            if api in ONCE and attempt % KILLS_EVERY == 0:
                kill_all(rig.worker_pids("sink"))
            if rule.struck.wait(AGAIN_S) or time.monotonic() > give_up:
                break
            # Workers that have nothing to write ask for nothing.
            rig.feed()
        rig.proxy.clear()
        if not rule.struck.is_set():
            raise FaultFailed(f"there was no request {api}: {dict(rig.proxy.counts)}")

    return strike


def _faults() -> list[Fault]:
    found = []
    for api in APIS:
        possible = {"impossible": needs_transactions} if api in TRANSACTIONAL else {}
        for name, do, weight in (
            ("cut", cut, 1),
            ("cut-answer", cut_answer, 1),
            ("delay", delay(DELAY_S), 1),
            # Until the client gives the request up, a minute passes.
            ("swallow", swallow_request, 0),
            ("swallow-answer", swallow_answer, 0),
        ):
            strike = struck(api, do)
            found.append(Fault(f"{name}-{api}", strike, weight, lives=True, **possible))
    return found


FAULTS = tuple(_faults())
