"""Programs that end while their application runs."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import pytest

from compat_tests import ROOT
from compat_tests.spark.driver.test_lifecycle import App
from millstream.topology.spark.driver.program_end import CLOSING, LEFT


@pytest.fixture
def app(tmp_path: Path) -> App:
    return App(tmp_path)


_PROGRAM = """
import atexit, os, sys
from pathlib import Path
from compat_tests.spark.driver.test_lifecycle import App

atexit.register(lambda: print(*app.states, *app.runner.stopped, flush=True))
app = App(Path(sys.argv[1]))
{}
"""
_ENDS = {
    "its end": ("app.start()", 0, "closes"),
    "an error": ("app.start()\nraise ValueError('of main')", 1, "closes"),
    "sys.exit": ("app.start()\nsys.exit(3)", 3, "closes"),
    "close()": ("app.start()\napp.close()", 0, "silent"),
    "close() at exit": ("app.start()\natexit.register(app.close)", 0, "silent"),
    "close() at exit, set before": ("atexit.register(app.close)\napp.start()", 0, "silent"),
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


def test_a_program_that_ends_while_its_application_closes_says_so(
    app: App, caplog: pytest.LogCaptureFixture
) -> None:
    app.start()
    app.runner.may_stop.clear()
    assert app.close(1) is False
    assert "close() has not come to its end within 0.001 s" in caplog.text
    threading.Timer(0.05, app.runner.may_stop.set).start()
    app._program_end.reached()
    assert app.state().name == "NOT_RUNNING"
    assert CLOSING % "app" in caplog.text
    assert LEFT % "app" not in caplog.text


def test_ctrl_c_does_not_wait_for_the_batch(
    app: App, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def close() -> None:
        raise KeyboardInterrupt

    app.start()
    with monkeypatch.context() as patch:
        patch.setattr(app, "close", close)
        app._program_end.reached()
    assert "not waiting for the current batch" in caplog.text
    app.close()


def test_an_application_that_is_not_needed_any_more_is_not_kept(tmp_path: Path) -> None:
    other = App(tmp_path)
    end, found = other._program_end, weakref.ref(other)
    del other
    gc.collect()
    assert found() is None
    end.reached()


def test_close_needs_no_new_thread_at_the_end_of_a_program(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.start()

    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refused)
    assert app.close(10_000)
    assert app.states[-1] == "NOT_RUNNING"
