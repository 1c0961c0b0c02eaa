"""An application that runs with another state directory on the same checkpoint."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from millstream import LockException, StreamsConfig
from millstream.topology.spark.admission.lease import HeldLease, LeaseNote, Leases
from millstream.topology.spark.checkpoint.files import LocalFiles
from millstream.topology.spark.migration.hand_back import _check_stopped

CONFIG = StreamsConfig({"application.id": "app", "bootstrap.servers": "b:1"})


def test_it_is_not_handed_back_before_it_has_ended(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    note = LeaseNote(instance="far", host="m2", lease_ms=1000)
    leases = Leases(files)
    assert leases.create(1, note)
    held = HeldLease(leases, 1, note, lost=pytest.fail)
    held.start()
    opened: Any = SimpleNamespace(generations=SimpleNamespace(root_files=files))
    with pytest.raises(LockException, match='"app" cannot be handed back: it runs') as caught:
        _check_stopped(opened, CONFIG)
    assert 'instance far on machine "m2"' in caught.value.detail
    held.release()
    _check_stopped(opened, CONFIG)
