"""Slots: the folders of a machine's worker processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from millstream.topology.spark.state.slots import claimed_slot, free_slots

CLAIM = """
import sys; from pathlib import Path
from millstream.topology.spark.state.slots import *
"""


def test_a_process_keeps_its_slot_and_another_gets_the_next(tmp_path: Path) -> None:
    mine = claimed_slot(tmp_path)
    code = CLAIM + "print(claimed_slot(Path(sys.argv[1])).name)"
    other = subprocess.run(
        [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True
    )

    assert (mine.name, other.stdout.strip()) == ("0", "1")
    assert claimed_slot(tmp_path) == mine
    assert [slot.name for slot in free_slots(tmp_path)] == ["1"]
    assert mine.is_dir()
