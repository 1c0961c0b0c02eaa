"""Faults of disks and processes: rebuilt from the changelog or refused, never silently wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from compat_tests.properties.line import LineOfTasks
from millstream.core.engine.output import Sent
from millstream.core.errors import (
    LockException,
    ProcessorStateException,
    TaskCorruptedException,
)
from millstream.plugins.registry import store_class
from millstream.stores.byte_stores.lmdb import LMDBStore
from millstream.stores.byte_stores.rocksdb import RocksDBStore
from millstream.topology.spark.state.manifest import Manifest
from millstream.topology.spark.state.segments import (
    CHANGES,
    Section,
    decode_segment,
    encode_segments,
)
from millstream.topology.spark.state.slots import DirectoryLock, claimed_slot

KINDS = ["rocksdb", "lmdb"]
WORDS = ["a", "b", "a", "c"]


def counting(kind: str, **config: Any) -> Any:
    return {
        "config": {"statestore.cache.max.bytes": 0, "default.dsl.store": kind, **config},
        "topics": {"in": ["string", "string"], "out": ["string", "long"]},
        "stores": {},
        "topology": [
            {"id": "s", "op": "stream", "topics": ["in"], "key": "string", "value": "string"},
            {"id": "g", "op": "groupByKey", "from": ["s"], "key": "string", "value": "string"},
            {"id": "t", "op": "count", "from": ["g"], "materialized": {"store": "counts"}},
            {"id": "r", "op": "toStream", "from": ["t"]},
            {"op": "to", "from": ["r"], "topic": "out", "key": "string", "value": "long"},
        ],
    }


@pytest.fixture(params=KINDS)
def line(request: pytest.FixtureRequest) -> Iterator[LineOfTasks]:
    with LineOfTasks(counting(request.param)) as made:
        yield made


def counted(line: LineOfTasks, worker: int = 0) -> dict[str, int]:
    """Run a batch of the words; return the last count of each."""
    line.batch([Sent("in", w.encode(), b"x", 0, None) for w in WORDS], 0, worker)
    sent = line.seen.batches[-1]["out"]
    return {key.decode(): int.from_bytes(value, "big") for key, value, *_ in sent}


def state(line: LineOfTasks, worker: int = 0) -> Path:
    return Path(line.jobs[worker].state_dir) / line.jobs[worker].application_id


def files(line: LineOfTasks) -> list[Path]:
    kept = [path for path in state(line).glob("**/stores/**/*") if path.is_file()]
    return [path for path in kept if path.stat().st_size and path.name not in ("LOG", "LOCK")]


def flip(path: Path, random: Random) -> None:
    data = bytearray(path.read_bytes())
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    path.write_bytes(data)


def test_a_state_directory_that_is_deleted_between_batches_is_rebuilt(line: LineOfTasks) -> None:
    assert counted(line) == {"a": 2, "b": 1, "c": 1}
    shutil.rmtree(state(line))
    assert counted(line) == {"a": 4, "b": 2, "c": 2}
    assert counted(line) == {"a": 6, "b": 3, "c": 3}
    assert files(line)


def test_files_that_are_damaged_while_not_in_use_are_rebuilt(line: LineOfTasks) -> None:
    random = Random(1)
    for batch in range(1, 6):
        assert counted(line) == {"a": 2 * batch, "b": batch, "c": batch}
        line.restart(0, lose=False)
        for path in files(line):
            flip(path, random)


def test_files_that_are_emptied_while_in_use_do_no_harm(line: LineOfTasks) -> None:
    counted(line)
    for path in files(line):
        if path.suffix != ".mdb":  # truncating a mapped file ends the process, as a bad disk does
            path.write_bytes(b"")
    assert counted(line) == {"a": 4, "b": 2, "c": 2}
    line.restart(0, lose=False)
    assert counted(line) == {"a": 6, "b": 3, "c": 3}


@pytest.mark.parametrize("handler", ["LogAndFail", "LogAndContinue"])
def test_a_read_that_fails_is_not_left_to_the_exception_handler(
    handler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"millstream.{handler}ProcessingExceptionHandler"
    with LineOfTasks(counting("rocksdb", **{"processing.exception.handler": name})) as line:
        counted(line)
        failures = [OSError("bad sector"), OSError("bad sector")]

        def read_many(store: RocksDBStore, keys: Any) -> list[bytes | None]:
            if failures:
                raise failures.pop()
            return [store.get(key) for key in keys]

        monkeypatch.setattr(RocksDBStore, "get_many", read_many)
        assert counted(line) == {"a": 4, "b": 2, "c": 2}
        assert not failures


def test_a_store_that_cannot_be_repaired_stops_the_task(
    line: LineOfTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted(line)
    for store in (RocksDBStore, LMDBStore):

        def refuse(*_: Any, **__: Any) -> None:
            raise ProcessorStateException("cannot write", detail="No space left on device")

        monkeypatch.setattr(store, "write", refuse)
    with pytest.raises(ProcessorStateException, match="No space left on device") as caught:
        counted(line)
    assert caught.value.__cause__ is None


def test_an_error_of_a_users_store_names_the_store_when_it_stops_the_task(
    line: LineOfTasks, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted(line)
    for store in (RocksDBStore, LMDBStore):
        monkeypatch.setattr(store, "write", lambda *_, **__: os.environ["MILLSTREAM_ABSENT"])
    with pytest.raises(TaskCorruptedException, match='store "counts"') as caught:
        counted(line)
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
def test_one_flipped_bit_is_refused_or_does_not_matter(
    kind: str, seed: int, tmp_path: Path
) -> None:
    random = Random(seed)
    store = store_class(kind).open(tmp_path, {})
    history: dict[bytes | None, dict[bytes, bytes]] = {None: {}}
    content: dict[bytes, bytes] = {}
    for version in range(8):
        batch = {random.randbytes(3): random.randbytes(40) for _ in range(100)}
        content = content | batch
        history[b"%d" % version] = content
        store.write(batch, b"%d" % version)
    store.close()
    kept = [path for path in tmp_path.iterdir() if path.stat().st_size and path.name != "LOCK"]
    flip(random.choice(kept), random)

    try:
        opened = store_class(kind).open(tmp_path, {})
    except ProcessorStateException:
        return
    with suppress(ProcessorStateException):
        assert dict(opened.scan(None, None)) == history[opened.version()]
    opened.close()


def test_a_scan_does_not_take_a_damaged_block_for_the_end(tmp_path: Path) -> None:
    random = Random(3)
    store = store_class("rocksdb").open(tmp_path, {})
    store.write({random.randbytes(3): random.randbytes(40) for _ in range(3000)}, b"1")
    store.close()
    largest = max(tmp_path.glob("*.sst"), key=lambda path: path.stat().st_size)
    data = bytearray(largest.read_bytes())
    data[len(data) // 2] ^= 1
    largest.write_bytes(data)
    opened = store_class("rocksdb").open(tmp_path, {})
    for reverse in (False, True):
        with pytest.raises(ProcessorStateException, match="checksum mismatch"):
            list(opened.scan(None, None, reverse=reverse))
    opened.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_store_that_is_changed_while_it_is_open_says_so(kind: str, tmp_path: Path) -> None:
    store = store_class(kind).open(tmp_path, {})
    store.write({b"a": b"1"}, b"1")
    shutil.rmtree(tmp_path)
    with pytest.raises(ProcessorStateException):
        store.version()
    with pytest.raises(ProcessorStateException):
        store.write({b"a": b"2"}, b"2")
    with suppress(ProcessorStateException):
        store.close()


FULL_DISK = """
import resource, sys
from pathlib import Path
from millstream.core.errors import ProcessorStateException
from millstream.plugins.registry import store_class
directory = Path(sys.argv[2])
store = store_class(sys.argv[1]).open(directory, {})
store.write({b"a": b"1"}, b"1")
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
try:
    for version in range(2, 40):
        store.write({b"%d" % version: b"x" * 100_000}, b"%d" % version)
except ProcessorStateException as error:
    print(version, error.problem)
"""


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_is_an_error_and_loses_nothing_written_before(
    kind: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", FULL_DISK, kind, str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    failed, _, problem = said.partition(" ")
    assert problem.startswith("cannot write to the ")
    store = store_class(kind).open(tmp_path, {})
    assert store.version() == b"%d" % (int(failed) - 1)
    assert [key for key, _ in store.scan(None, None)] == sorted(
        [b"a", *(b"%d" % version for version in range(2, int(failed)))]
    )
    store.close()


HOLDS = """
import sys
from pathlib import Path
from millstream.plugins.registry import store_class
from millstream.topology.spark.state.slots import DirectoryLock, claimed_slot
root = Path(sys.argv[2])
slot = claimed_slot(root)
lock = DirectoryLock(root / "shared")
assert lock.acquire()
store = store_class(sys.argv[1]).open(slot, {})
store.write({b"a": b"1"}, b"1")
print("holds", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("kind", KINDS)
def test_the_locks_of_a_process_that_died_are_free(kind: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDS, kind, str(tmp_path)]
    lock = DirectoryLock(tmp_path / "shared")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"holds\n"
        assert not lock.acquire()
        if kind == "rocksdb":
            with pytest.raises(LockException):
                store_class(kind).open(tmp_path / "slots" / "0", {})
        holder.kill()
    assert lock.acquire()
    lock.release()
    slot = claimed_slot(tmp_path)
    assert slot.name == "0"
    store = store_class(kind).open(slot, {})
    assert (store.version(), store.get(b"a")) == (b"1", b"1")
    store.close()


def test_a_slot_that_was_deleted_is_claimed_anew(tmp_path: Path) -> None:
    slot = claimed_slot(tmp_path)
    shutil.rmtree(tmp_path)
    assert claimed_slot(tmp_path) == slot
    assert (slot / "lock").exists()


def test_every_flipped_bit_of_a_segment_is_seen() -> None:
    sections = [
        Section(
            store="counts",
            kind=CHANGES,
            keys=[b"k%d" % n for n in range(40)],
            values=[b"v" * 20] * 39 + [None],
            dropped=((b"a", b"b"),),
        )
    ]
    (segment,) = encode_segments(b"p" * 16, b"i" * 16, sections)
    for bit in range(8 * len(segment)):
        damaged = bytearray(segment)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ProcessorStateException):
            decode_segment(bytes(damaged), "segment 1")
    for length in range(len(segment)):
        with pytest.raises(ProcessorStateException):
            decode_segment(segment[:length], "segment 1")


def test_every_flipped_bit_of_a_manifest_is_seen() -> None:
    # The text's length is not under the checksum: whitespace after the text must not pass for it.
    manifest = Manifest(stores={"counts": "memory"}, snapshot=b"    \n\n\t  ").encode()
    for bit in range(8 * len(manifest)):
        damaged = bytearray(manifest)
        damaged[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ProcessorStateException):
            Manifest.decode(bytes(damaged))
    for length in range(len(manifest)):
        with pytest.raises(ProcessorStateException):
            Manifest.decode(manifest[:length])


@pytest.mark.parametrize("fault", ["flipped", "truncated", "missing", "swapped"])
def test_a_rebuild_from_a_damaged_changelog_is_refused(line: LineOfTasks, fault: str) -> None:
    for _ in range(4):
        counted(line)
    segments = line.states[0].segments
    seq = sorted(segments)[1]
    match fault:
        case "flipped":
            segments[seq] = segments[seq][:-1] + bytes([segments[seq][-1] ^ 1])
        case "truncated":
            segments[seq] = segments[seq][:-1]
        case "missing":
            del segments[seq]
        case "swapped":
            segments[seq], segments[seq + 1] = segments[seq + 1], segments[seq]
    assert counted(line)["a"] == 10, "who has the state does not read old segments"
    line.restart(0, lose=True)
    with pytest.raises(ProcessorStateException, match=r"cannot read segment \d+ of the checkpoint"):
        counted(line)
