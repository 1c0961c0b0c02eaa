"""Costs of a drain: CPU seconds by kind of process, and memory.

They are read from `/proc` four times a second. Where there is none, nothing is known of them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

from typing_extensions import Self

from benchmarks.soak.samples import below

EVERY_S = 0.25
KINDS = ("JVM", "pack", "stage", "sink", "driver", "other", "broker")
BUSY = "machine"
"""What all processes of the machine have used, whether they belong to the benchmark or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What a drain has used."""

    cpu_s: Mapping[str, float] = field(default_factory=dict)
    """Kind of process -> CPU seconds while the clock ran."""
    peak_mb: float = 0.0
    """The most memory that a side's processes had together, shared pages counted once."""
    others: float = 0.0
    """Cores that were busy with anything but the side and the broker while the clock ran."""

    @property
    def own_cpu_s(self) -> float:
        """CPU seconds of the side, without the broker's."""
        return sum(used for kind, used in self.cpu_s.items() if kind != "broker")


@dataclass(frozen=True, slots=True)
class Sample:
    """CPU seconds by kind of process until a moment (microseconds of the epoch)."""

    at_us: int
    cpu_s: Mapping[str, float]


class Meter:
    """Reads what a side's processes and the broker use, in a thread of its own."""

    def __init__(self, root: int, broker: int | None) -> None:
        self.samples: list[Sample] = []
        self.peak_mb = 0.0
        self._root, self._broker = root, broker
        self._last: dict[int, tuple[str, float]] = {}
        self._stop = Event()
        self._thread = Thread(target=self._watch, name="meter", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def costs(self, start_us: int, stop_us: int) -> Costs:
        """Return what was used between two moments, and the memory until now."""
        before, after = (_nearest(self.samples, moment) for moment in (start_us, stop_us))
        if before is None or after is None:
            return Costs()
        used = {kind: s - before.cpu_s.get(kind, 0) for kind, s in after.cpu_s.items()}
        busy = used.pop(BUSY)
        seconds = max((after.at_us - before.at_us) / 1e6, EVERY_S)
        others = max(0.0, busy - sum(used.values())) / seconds
        return Costs(cpu_s=used, peak_mb=self.peak_mb, others=others)

    def _watch(self) -> None:
        turn = 0
        while not self._stop.wait(EVERY_S):
            with suppress(OSError, ValueError, IndexError):
                self._sample(with_memory=turn % 4 == 0)
            turn += 1

    def _sample(self, *, with_memory: bool) -> None:
        at_us = time.time_ns() // 1000
        own = [pid for pid, _ in below(self._root)]
        for pid in own:
            self._note(pid, kind_of(pid, self._root))
        if self._broker is not None:
            self._note(self._broker, "broker")
        cpu_s: dict[str, float] = dict.fromkeys(KINDS, 0.0)
        # A process that has ended has used what it had used when it was seen last.
        for kind, used in self._last.values():
            cpu_s[kind] += used
        self.samples.append(Sample(at_us, {**cpu_s, BUSY: _busy_s()}))
        if with_memory:
            self.peak_mb = max(self.peak_mb, sum(map(memory_mb, own)))

    def _note(self, pid: int, kind: str) -> None:
        with suppress(OSError, ValueError, IndexError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            self._last[pid] = kind, (int(fields[11]) + int(fields[12])) / _TICKS


_TICKS = os.sysconf("SC_CLK_TCK")


def _nearest(samples: list[Sample], moment_us: int) -> Sample | None:
    return min(samples, key=lambda each: abs(each.at_us - moment_us), default=None)


def kind_of(pid: int, root: int) -> str:
    """Return the kind of a process of a side, whose first process is the root."""
    with suppress(OSError):
        name = Path(f"/proc/{pid}/comm").read_text().strip()
        if name == "java":
            return "JVM"
        for role in ("pack", "stage", "sink"):
            if name.startswith(role):
                return role
        return "driver" if pid == root else "other"
    return "other"


def memory_mb(pid: int) -> float:
    """Return the memory of a process, with its share of shared pages; 0 if it is gone."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


def _busy_s() -> float:
    # user, nice, system, idle, iowait, irq, softirq, steal
    numbers = [int(each) for each in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return (sum(numbers) - numbers[3] - numbers[4]) / _TICKS
