"""Stores that the workers of a machine share: one copy, used in turn."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.properties.line import LineOfTasks
from compat_tests.spark.state.test_changelog import Cluster, steps
from compat_tests.stores.test_faults import counted, counting, state
from millstream.stores.byte_stores.memory import MemoryStore
from millstream.topology.spark.state.changelog import Changelog
from millstream.topology.spark.state.slots import DirectoryLock


class Shared(MemoryStore):
    """What every worker of a cluster opens; it lives as long as the machine."""

    def close(self) -> None:
        pass


@settings(max_examples=150, deadline=None)
@given(script=st.lists(steps, max_size=25))
def test_workers_that_share_their_stores_see_what_was_committed(script: list[Any]) -> None:
    stores: dict[str, Shared] = {}
    cluster = Cluster()
    for step, worker, changed in script:
        if step == "lose":
            cluster.lose(worker)
            continue
        if worker not in cluster.workers:
            cluster.workers[worker] = Changelog(
                lambda store, kind: stores.setdefault(store, Shared())
            )
        cluster.batch(worker, changed, fails=step == "fail")
    cluster.batch(99, {})


def test_the_next_worker_goes_on_with_the_copy_of_the_one_before() -> None:
    with LineOfTasks(counting("lmdb")) as line:
        line.jobs[1] = replace(line.jobs[1], state_dir=line.jobs[0].state_dir)
        for batch in range(1, 5):
            worker = batch % 2
            assert counted(line, worker) == {"a": 2 * batch, "b": batch, "c": batch}
            # In the second batch there is nothing but the first one's changes.
            assert batch == 2 or not line.live[worker, 0].rebuilt()
            # A process opens a file of LMDB once: here the other worker has to end first.
            line.restart(worker, lose=False)
        assert len(list(state(line).glob("**/data.mdb"))) == 1


READERS = """
import lmdb, sys
print(lmdb.open(sys.argv[1], readonly=True, max_dbs=2).readers())
"""


def test_a_worker_reads_from_the_copy_in_its_turn_only() -> None:
    """Pages that a reader may need are kept: the file would grow with each turn of another one."""
    with LineOfTasks(counting("lmdb")) as line:
        for _ in range(2):
            counted(line)
        (file,) = state(line).glob("shared/**/data.mdb")
        told = [sys.executable, "-c", READERS, str(file.parent)]
        found = subprocess.run(told, capture_output=True, text=True, check=True).stdout
        versions = [each.split()[-1] for each in found.split("\n")[1:] if each.strip()]
        assert set(versions) == {"-"}, found


def test_a_worker_that_cannot_have_the_copy_makes_its_own() -> None:
    with LineOfTasks(counting("lmdb")) as line:
        assert counted(line) == {"a": 2, "b": 1, "c": 1}
        (shared,) = state(line).glob("shared/*/*")
        other = DirectoryLock(shared)
        assert other.acquire()
        assert counted(line) == {"a": 4, "b": 2, "c": 2}
        assert len(list(state(line).glob("**/data.mdb"))) == 2
        other.release()
        assert counted(line) == {"a": 6, "b": 3, "c": 3}


def test_rocksdb_is_not_shared() -> None:
    with LineOfTasks(counting("rocksdb")) as line:
        counted(line)
        assert not list(state(line).glob("shared/*"))
