"""What is killed late is the process that was seen, not a later one with its number."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

from compat_tests.smoke.proc import Known, kill_known


def test_a_later_process_with_the_same_number_is_left_alone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        seen = Known.of(child.pid)
        kill_known([replace(seen, began=f"{int(seen.began) - 1}")])
        assert (seen.runs(), child.poll()) == (True, None)
        kill_known([seen])
        assert child.wait(20) == -9
    assert not seen.runs()


def test_a_process_that_is_gone_is_not_known() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait(20)
    assert not Known.of(child.pid).runs()
