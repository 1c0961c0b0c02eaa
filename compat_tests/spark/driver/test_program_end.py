"""Programs that end while their application runs."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from compat_tests import ROOT
from compat_tests.spark.driver.test_lifecycle import App
from millstream.topology.spark.driver.program_end import LEFT, ProgramEnd

_PROGRAM = """
import atexit, os, sys
from pathlib import Path
from compat_tests.spark.driver.test_lifecycle import App

app = App(Path(sys.argv[1]))
atexit.register(lambda: print(*app.states, *app.runner.stopped, flush=True))
{}
"""
_ENDS = {
    "its end": ("app.start()", 0, "closes"),
    "an error": ("app.start()\nraise ValueError('of main')", 1, "closes"),
    "sys.exit": ("app.start()\nsys.exit(3)", 3, "closes"),
    "close()": ("app.start()\napp.close()", 0, "silent"),
    "close() at exit": ("app.start()\natexit.register(app.close)", 0, "silent"),
    "no start": ("", 0, "nothing"),
    "a fork's end": (
        "app.start()\nif os.fork() == 0: sys.exit()\nos.wait()\nprint('parent')\napp.close()",
        0,
        "forked",
    ),
}
_SAID = {
    "closes": "REBALANCING RUNNING PENDING_SHUTDOWN NOT_RUNNING stopped\n",
    "silent": "REBALANCING RUNNING PENDING_SHUTDOWN NOT_RUNNING stopped\n",
    "nothing": "\n",
    "forked": "REBALANCING RUNNING\nparent\n"
    "REBALANCING RUNNING PENDING_SHUTDOWN NOT_RUNNING stopped\n",
}


@pytest.mark.parametrize(("end", "status", "what"), _ENDS.values(), ids=_ENDS)
def test_a_program_that_ends_closes_its_application_and_says_so(
    end: str, status: int, what: str, tmp_path: Path
) -> None:
    program = [sys.executable, "-c", _PROGRAM.format(end), str(tmp_path)]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (status, _SAID[what]), done.stderr
    assert done.stderr.count(LEFT % "app") == (what == "closes")


def test_ctrl_c_does_not_wait_for_the_batch(caplog: pytest.LogCaptureFixture) -> None:
    def close() -> None:
        raise KeyboardInterrupt

    end = ProgramEnd("app", lambda: True, close)
    end.watch()
    end.reached()
    end.forget()
    assert "not waiting for the current batch" in caplog.text


def test_close_needs_no_new_thread_at_the_end_of_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = App(tmp_path)
    app.start()

    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refused)
    assert app.close(10_000)
    assert app.states[-1] == "NOT_RUNNING"
