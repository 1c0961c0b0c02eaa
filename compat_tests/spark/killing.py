"""Commands as processes that are killed at random moments."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from compat_tests.cli.support import command
from compat_tests.spark.support import PATIENCE_S

BEGIN = 0.3
"""The first moments of a command, in which it imports, are of little interest."""
KINDS = ("whole", "whole", "python", "jvm")


@dataclass
class Killer:
    """Kills commands at random moments of their time.

    Args:
        seed: For the moments and the kinds of kills.
        folder: Where the commands run; their output is in ``commands.log`` there.
    """

    seed: int
    folder: Path
    takes_s: dict[str, float] = field(default_factory=dict)
    """Command -> how long it takes, as seen so far."""
    kills: dict[str, int] = field(default_factory=dict)
    """Command -> how often it was killed."""

    def __post_init__(self) -> None:
        self.random = Random(self.seed)

    def killed(self, *arguments: str, expected_s: float = 9) -> bool:
        """Run a command and kill it; return False if it had ended well before.

        Sometimes all its processes are killed, sometimes only Python's or only the JVM.
        """
        name = _name(arguments)
        takes_s = self.takes_s.get(name, expected_s)
        kind = self.random.choice(KINDS)
        moment = takes_s * (BEGIN + (1 - BEGIN) * self.random.random())
        log = (self.folder / "commands.log").open("ab")
        log.write(f"== {' '.join(arguments)}: {kind} after {moment:.2f} s\n".encode())
        log.flush()
        process = subprocess.Popen(
            [sys.executable, "-m", "millstream.cli", *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(moment)
        if process.returncode is None:
            self._kill(process, kind)
            self.kills[name] = self.kills.get(name, 0) + 1
            log.close()
            return True
        log.close()
        assert process.returncode == 0, self.told()
        self.takes_s[name] = moment
        return False

    def done(self, *arguments: str) -> None:
        """Run a command to its end, and note how long it takes."""
        began = time.monotonic()
        ended = command(*arguments, cwd=self.folder)
        assert ended.returncode == 0, ended.stderr
        self.takes_s[_name(arguments)] = time.monotonic() - began

    def told(self) -> str:
        """The last of what the commands have printed."""
        return (self.folder / "commands.log").read_text(errors="replace")[-6000:]

    def _kill(self, process: subprocess.Popen[bytes], kind: str) -> None:
        members = _session(process.pid)
        java = [pid for pid, name in members.items() if name == "java"]
        if kind == "jvm" and java:
            for pid in java:
                _kill(pid)
            # Without its JVM it must end by itself.
            assert process.wait(PATIENCE_S) != 0, self.told()
        elif kind == "python":
            process.kill()
        else:
            for pid in members:
                _kill(pid)
        process.wait()


def _name(arguments: Sequence[str]) -> str:
    return " ".join(arguments[: 2 if arguments[0] == "state" else 1])


def _session(leader: int) -> dict[int, str]:
    """Return the processes of a session by number, with their names."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        with suppress(OSError):
            head, _, rest = (entry / "stat").read_text().rpartition(")")
            if int(rest.split()[3]) == leader:
                found[int(entry.name)] = head.partition("(")[2]
    return found


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
