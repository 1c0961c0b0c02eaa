"""Without fencing a writer that was taken for dead repeats its output; with it, it does not.

``names`` leaves on what covers a part of the fence: offsets are read only when no open transaction
holds newer ones. So the replacement of a writer that stopped with its offsets in the transaction
waits until the broker ends that transaction by time. Claims are not in play: both writers are of
one instance, as two attempts at a task are.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from compat_tests import ROOT
from compat_tests.kafka.fixture import KafkaServer

ONCE, TWICE = ["a", "b"], ["a", "b", "a", "b"]
OFFSETS, END = "send_offsets_to_transaction", "commit_transaction"


@pytest.mark.long
@pytest.mark.broker
@pytest.mark.parametrize(
    ("without", "moment", "committed"),
    [
        ("", OFFSETS, ONCE),
        ("", END, ONCE),
        ("fencing", OFFSETS, TWICE),
        ("fencing", END, TWICE),
        ("names", OFFSETS, TWICE),
        ("names", END, ONCE),
    ],
)
def test_what_a_writer_does_that_goes_on_after_its_replacement(
    kafka: KafkaServer, tmp_path: Path, without: str, moment: str, committed: list[str]
) -> None:
    place = str(Path(__file__).parent / "weakened")
    name = f"zombie-{without or 'nothing'}-{moment.partition('_')[0]}"
    path = os.pathsep.join([place, str(ROOT), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "compat_tests.smoke.zombie"]
        + [kafka.bootstrap_servers, name, str(tmp_path), moment],
        env=os.environ | {"PYTHONPATH": path, "SMOKE_WITHOUT": without},
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    said = json.loads(done.stdout)
    assert said == {
        "wrote": {"replacement": True, "zombie": committed == TWICE},
        "committed": committed,
    }
