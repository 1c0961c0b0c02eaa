"""Runs of one decoder, in a process of its own with little memory, and what was found."""

from __future__ import annotations

import faulthandler
import mmap
import os
import pickle
import resource
import signal
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

import pyarrow as pa

from compat_tests.fuzz.decoder import Decoder, Maker
from compat_tests.fuzz.mutation import mutated
from millstream.core.errors import MillstreamError

MEMORY = 512 << 20
"""Address space that a decoder may take beyond what the process has."""
ARROW = 64 << 20
"""Arrow's memory that an input of at most 1 MiB may cost."""
SECONDS = 2.0
"""Processor time for one input."""
HUNG = 300
_ROOT = Path(__file__).parents[2]
_INDEX = 8
_NOT_READY = (1 << 64) - 1


@dataclass(frozen=True)
class Finding:
    """A decoder's answer that is neither a value nor a typed error."""

    decoder: str
    seed: int
    input: int
    what: str
    where: str
    count: int = 1

    def text(self) -> str:
        """Return it in one line, with the command that repeats it."""
        return (
            f"{self.decoder}: {self.what} at {self.where} ({self.count} inputs); repeat: "
            f"--decoder {self.decoder} --seed {self.seed} --input {self.input}"
        )


@dataclass
class Outcome:
    """Outcome of one decoder's run."""

    decoder: str
    inputs: int = 0
    refused: int = 0
    """Inputs that were answered with a typed error."""
    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)


class TooSlow(BaseException):
    """A decoder took too long for one input."""


def input_of(decoder: Decoder, seed: int, number: int) -> bytes:
    """Return the input of a number: the samples first, then mutated ones."""
    if number < len(decoder.samples):
        return decoder.samples[number]
    return decoder.mend(mutated(decoder.samples, Random(f"{seed} {number}")))


def run(name: str, make: Maker, seed: int, *, inputs: int = 0, seconds: float = 0) -> Outcome:
    """Run a decoder in child processes until so many inputs or seconds are over.

    A process that dies counts as a finding, and another one goes on after its input.
    """
    outcome, first, ends = Outcome(name), 0, time.monotonic() + seconds
    while (outcome.inputs < inputs) if inputs else (time.monotonic() < ends):
        shared = mmap.mmap(-1, _INDEX)
        shared[:_INDEX] = _NOT_READY.to_bytes(_INDEX, "big")
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            os.close(reader)
            _child(writer, shared, Outcome(name), make, seed, range(first, inputs or 1 << 40), ends)
        os.close(writer)
        with open(reader, "rb") as pipe:
            data = pipe.read()
        _, status = os.waitpid(child, 0)
        reached = int.from_bytes(shared[:_INDEX], "big")
        if not data and reached == _NOT_READY:
            raise RuntimeError(f"the samples of {name} cannot be made: status {status}")
        if data:
            _join(outcome, pickle.loads(data))
        else:
            how = f"the process ended with status {status}"
            _note(outcome, Finding(name, seed, reached, how, "native code"))
            outcome.inputs += reached + 1 - first
        first = reached + 1
    return outcome


def _child(
    writer: int,
    shared: mmap.mmap,
    outcome: Outcome,
    make: Maker,
    seed: int,
    numbers: range,
    ends: float,
) -> None:
    status = 1
    try:
        faulthandler.disable()
        decoder = make()
        _limit()
        for number in numbers:
            if numbers.stop == 1 << 40 and time.monotonic() > ends:
                break
            shared[:_INDEX] = number.to_bytes(_INDEX, "big")
            if number % 256 == 0:
                signal.alarm(HUNG)
            _try(decoder, outcome, seed, number)
        with open(writer, "wb") as pipe:
            pipe.write(pickle.dumps(outcome))
        status = 0
    except BaseException:  # noqa: BLE001 - a child must not go on as its parent
        traceback.print_exc()
    finally:
        os._exit(status)


def _limit() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pa.set_memory_pool(pa.system_memory_pool())
    signal.signal(signal.SIGPROF, _slow)


def _slow(number: int, frame: FrameType | None) -> None:
    raise TooSlow(f"more than {SECONDS} s")


def _try(decoder: Decoder, outcome: Outcome, seed: int, number: int) -> None:
    data = input_of(decoder, seed, number)
    outcome.inputs += 1
    before = pa.default_memory_pool().max_memory()
    try:
        try:
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            decoder.decode(data)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except MillstreamError as error:
        outcome.refused += 1
        if number < len(decoder.samples):
            _note(outcome, _finding(outcome, seed, number, error, "refused a valid sample: "))
        elif not error.problem.strip():
            _note(outcome, _finding(outcome, seed, number, error, "says nothing: "))
    except BaseException as error:  # noqa: BLE001 - that is what is looked for
        _note(outcome, _finding(outcome, seed, number, error))
    taken = pa.default_memory_pool().max_memory()
    if taken > max(before, ARROW):
        what = "Arrow took too much memory"
        _note(outcome, Finding(outcome.decoder, seed, number, what, "Arrow"))


def _finding(
    outcome: Outcome, seed: int, number: int, error: BaseException, prefix: str = ""
) -> Finding:
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "/src/millstream/" in frame.filename or "<Avro" in frame.filename
    ]
    last = own[-1] if own else None
    where = "outside" if last is None else f"{Path(last.filename).name}:{last.lineno}"
    what = f"{prefix}{type(error).__name__}: {str(error)[:90]!r}"
    return Finding(outcome.decoder, seed, number, what, where)


def _join(outcome: Outcome, more: Outcome) -> None:
    outcome.inputs += more.inputs
    outcome.refused += more.refused
    for finding in more.findings.values():
        _note(outcome, finding)


def _note(outcome: Outcome, finding: Finding) -> None:
    key = (finding.what.split(":")[0], finding.where)
    before = outcome.findings.get(key)
    count = finding.count + (before.count if before else 0)
    first = before or finding
    outcome.findings[key] = Finding(
        first.decoder, first.seed, first.input, first.what, first.where, count
    )


def found_in(outcomes: Iterator[Outcome]) -> list[Finding]:
    """Return the findings of some outcomes."""
    return [finding for outcome in outcomes for finding in outcome.findings.values()]
