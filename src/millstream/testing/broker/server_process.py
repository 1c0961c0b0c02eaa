"""A server's process, which ends with the process that started it."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Sequence
from pathlib import Path
from signal import SIGCONT, Signals


class ServerProcess:
    """A running server; its output goes into a file.

    Args:
        command: Program and arguments.
        log: The file, to which output is appended.
        own_dir: A folder that is removed when this process ends without stopping the server, or
            None.
    """

    def __init__(self, command: Sequence[str], log: Path, own_dir: Path | None) -> None:
        with log.open("ab") as file:
            # Its own session: Ctrl-C must reach the caller only, which still needs the server.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
        self._guard = _guard(self._process.pid, str(own_dir or ""))

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def is_running(self) -> bool:
        """Whether the process is alive."""
        return self._process.poll() is None

    def signal(self, number: Signals) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    def end(self, number: Signals, patience_s: float = 15) -> None:
        """End it by a signal; kill it if it takes longer than `patience_s`."""
        self._process.send_signal(number)
        self._process.send_signal(SIGCONT)  # a frozen process sees no SIGTERM
        try:
            self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._guard.stdin is not None:
            # Killed: at the end of its input it would kill the process that has the id now.
            self._guard.kill()
            self._guard.stdin.close()
            self._guard.wait()


def log_tail(log: Path, lines: int) -> str:
    """Return the last lines of a log; an empty text if there is none."""
    with contextlib.suppress(OSError):
        text = log.read_text(encoding="utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:])
    return ""


def _guard(pid: int, own_dir: str) -> subprocess.Popen[bytes]:
    """Start a shell that ends process `pid` and removes its folder when this process is gone.

    It waits on a pipe, which the kernel closes when this process ends. `PR_SET_PDEATHSIG` would
    fire too early, when the thread that started the server ends.
    """
    script = 'read -r _; kill -9 "$1"; [ -z "$2" ] || { sleep 0.2; rm -rf -- "$2"; }'
    return subprocess.Popen(
        ["/bin/sh", "-c", script, "millstream-guard", str(pid), own_dir],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
