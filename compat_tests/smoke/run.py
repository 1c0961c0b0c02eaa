"""One run of the smoke test: input, faults, and the look at what was written."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from compat_tests.smoke.data import Data, make_data
from compat_tests.smoke.expected import expected
from compat_tests.smoke.faults import FAULTS
from compat_tests.smoke.faults.fault import Fault
from compat_tests.smoke.reading import ends, hanging, read_topics, topics_of
from compat_tests.smoke.report import Report, Strike
from compat_tests.smoke.rig import TRANSACTION_TIMEOUT_S, FaultFailed, Rig, proxied_broker
from compat_tests.smoke.topology import PARTS, RELATIONAL_SINKS, SINKS, WRITTEN_AND_READ
from compat_tests.smoke.verifier import Verdict, verify

OUTPUTS = (*WRITTEN_AND_READ, *SINKS, *RELATIONAL_SINKS)
PIECES = 4
"""Of the input, for each fault."""
QUIET_S = 6
GIVE_UP_S = 60
END_S = 3600
"""Long enough for what a busy machine has not read when the last fault is over; without an end,
an application that repeats itself for ever would not be found."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says."""

    seed: int = 1
    kills: int = 20
    guarantee: str = "exactly_once_v2"
    faults: Sequence[str] = ()
    minutes: float = 0.0
    keys: int = 20
    per_key: int = 1000
    without: str = ""
    parts: Sequence[str] = PARTS


def run(options: Options, directory: Path) -> Report:
    """Run the application, disturb it, and verify what it has written."""
    report = Report(options.seed, options.guarantee, options.without)
    data = make_data(options.seed, options.keys, options.per_key)
    # Each number comes back in four topics.
    batch = max(300, 6 * options.keys * options.per_key // (PIECES * options.kills + 10))
    with (
        proxied_broker(directory / "broker") as (broker, proxy),
        Rig(
            directory,
            broker,
            proxy,
            guarantee=options.guarantee,
            records_per_batch=batch,
            without=options.without,
            parts=options.parts,
        ) as rig,
    ):
        try:
            _disturb(rig, data, options, report)
            report.verdict = _verdict(rig, data)
            report.aborted = _aborted(rig)
        except FaultFailed as error:
            report.problem = str(error)
    return report


def _disturb(rig: Rig, data: Data, options: Options, report: Report) -> None:
    """Send the input piece by piece, and let a fault strike in each."""
    random = Random(options.seed)
    rig.create_topics()
    rig.produce(data.tables)
    rig.start()
    if "relational" in rig.parts:
        _wait_for_tables(rig, data)
    pieces = iter(data.slices(PIECES * options.kills + 10))
    rig.feed = lambda: rig.produce(next(pieces, ()))
    give_up = time.monotonic() + options.minutes * 60 if options.minutes else None
    for fault in _chosen(rig, options, random, report):
        if give_up is not None and time.monotonic() > give_up:
            break
        rig.wait_for_output()
        rig.feed()
        time.sleep(random.random() * 1.5)
        report.strikes.append(_struck(rig, fault, random))
        last = report.strikes[-1]
        print(
            f"{len(report.strikes)}: {fault.name}, mended after {last.took_s:.1f} s, output after "
            f"{last.recovery_s:.1f} s {last.problem}",
            file=sys.stderr,
            flush=True,
        )
    for piece in pieces:
        rig.produce(piece)
    rig.produce(data.flush)


def _chosen(rig: Rig, options: Options, random: Random, report: Report) -> Iterator[Fault]:
    """Return the faults in turn: each that is named once, then some at random."""
    named = [FAULTS[name] for name in options.faults or FAULTS]
    if not options.faults:
        named = [fault for fault in named if fault.weight]
    able = []
    for fault in named:
        if why := fault.impossible(rig):
            report.skipped[fault.name] = why
        else:
            able.append(fault)
    once = random.sample(able, len(able))[: options.kills] if options.faults else []
    yield from once
    for _ in range(options.kills - len(once)):
        yield random.choices(able, [max(1, fault.weight) for fault in able])[0]


def _struck(rig: Rig, fault: Fault, random: Random) -> Strike:
    rig.note(f"fault {fault.name}")
    begin, ended, problem, mended = time.monotonic(), rig.ends, "", time.monotonic()
    took = recovery = 0.0
    try:
        fault.strike(rig, random)
        mended = time.monotonic()
        took = mended - begin
        recovery = rig.wait_for_output()
        if fault.lives and rig.ends > ended:
            problem = f"the application ended:\n{rig.tail()}"
    except Exception as error:  # noqa: BLE001 - the next fault still strikes
        problem = f"{type(error).__name__}: {error}"
        rig.proxy.clear()
        rig.kill()
        rig.start()
    rig.note(f"output after {recovery:.1f} s")
    return Strike(fault.name, took, recovery, problem)


def _wait_for_tables(rig: Rig, data: Data) -> None:
    """Wait until the tables are read: what is joined later must find them."""
    wanted: dict[str, int] = {}
    for sent in data.tables:
        wanted[sent.topic] = wanted.get(sent.topic, 0) + 1
    give_up = time.monotonic() + 300
    while rig.committed(wanted) < sum(wanted.values()):
        rig.ensure_running()
        if time.monotonic() > give_up:
            raise FaultFailed(f"the tables were not read:\n{rig.tail()}")
        time.sleep(0.3)


def _verdict(rig: Rig, data: Data) -> Verdict:
    """Wait until the output is complete, or neither it nor what is read changes; verify it."""
    outputs, give_up = expected(data, rig.parts), time.monotonic() + END_S
    last, since = None, time.monotonic()
    tried = False
    while True:
        rig.ensure_running()
        # Answers of a foreign-key join to rows that have changed since are read without any output.
        now = (ends(rig.servers, OUTPUTS), rig.committed(topics_of(rig.servers)))
        if now != last:
            last, since, tried = now, time.monotonic(), False
        quiet_s = time.monotonic() - since
        # Where damage is expected, there is nothing to wait for.
        patience_s = 3 * QUIET_S if rig.without else GIVE_UP_S
        over = quiet_s > patience_s or time.monotonic() > give_up
        if over or (quiet_s > QUIET_S and not tried):
            tried = True
            found = verify(
                outputs, read_topics(rig.servers, outputs), exactly_once=rig.exactly_once
            )
            if over or found.is_clean(exactly_once=rig.exactly_once):
                break
        time.sleep(0.5)
    if quiet_s <= patience_s and not found.is_clean(exactly_once=rig.exactly_once):
        print(
            f"the output still grew after {END_S} s: what is called lost may be unread yet",
            file=sys.stderr,
            flush=True,
        )
    rig.close()
    open_ones = hanging(rig.servers, OUTPUTS, TRANSACTION_TIMEOUT_S + 15)
    read = read_topics(rig.servers, outputs)
    return verify(outputs, read, exactly_once=rig.exactly_once, hanging=open_ones)


def _aborted(rig: Rig) -> int:
    """Return how many records of aborted transactions the outputs have."""
    counts = [
        sum(map(len, read_topics(rig.servers, OUTPUTS, committed=committed).values()))
        for committed in (False, True)
    ]
    return counts[0] - counts[1]
