"""The files of a savepoint: what is written is read again, and what is damaged is an error."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from millstream import IllegalArgumentException, ProcessorStateException, StreamsException
from millstream.topology.savepoints import directory
from millstream.topology.savepoints.checksums import contents_of, entry_checksum, joined
from millstream.topology.savepoints.manifest import FILE, SavepointManifest, StoreManifest
from millstream.topology.savepoints.partition_writer import ROW_GROUP_BYTES, PartitionWriter
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.writer import OPEN_FILES, SavepointWriter

ENTRIES = [(b"a", b"1"), (b"b", b""), (b"", b"empty key"), (b"\xff\x00", b"\x00" * 300)]


def manifest(*stores: str) -> SavepointManifest:
    return SavepointManifest(
        application_id="app",
        topology="Topologies:",
        tasks={0: 2},
        stores={name: StoreManifest(subtopology=0) for name in stores},
        positions={"in": {0: 7}},
        snapshots={"0_0": b"\x00\xff"},
    )


def written(root: Path, entries: dict[tuple[str, int], list[tuple[bytes, bytes]]]) -> Path:
    with SavepointWriter(root) as writer:
        for (store, partition), given in entries.items():
            writer.add(store, partition, given)
        writer.finish(manifest(*{store for store, _ in entries}))
    return root


def total(point: Savepoint) -> int:
    """Return the number of entries, having read all."""
    places = [(name, n) for name, store in point.manifest.stores.items() for n in store.partitions]
    return sum(1 for place in places for _ in point.entries(*place))


def one_file(root: Path) -> Path:
    (found,) = root.rglob("*.parquet")
    return found


def rewrite(path: Path, **columns: list[object]) -> None:
    pq.write_table(pa.table(columns), path)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    root = written(
        tmp_path / "new" / "point", {("counts", 0): ENTRIES, ("counts", 3): [(b"k", b"v")]}
    )

    found = Savepoint(root)

    assert sorted(found.entries("counts", 0)) == sorted(ENTRIES)
    assert list(found.entries("counts", 3)) == [(b"k", b"v")]
    assert list(found.entries("counts", 1)) == []
    assert found.manifest.stores["counts"].partitions[0].count == 4
    assert found.manifest.snapshots == {"0_0": b"\x00\xff"}
    assert total(found) == 5


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.dictionaries(st.binary(max_size=20), st.binary(max_size=50), max_size=40), st.randoms())
def test_any_entries_in_any_order_have_the_same_contents(
    entries: dict[bytes, bytes], random: Random
) -> None:
    pairs = list(entries.items())
    mixed = random.sample(pairs, len(pairs))
    half = len(mixed) // 2
    parts = (
        contents_of([k for k, _ in each], [v for _, v in each])
        for each in (mixed[:half], mixed[half:])
    )

    assert joined(parts) == contents_of(list(entries), list(entries.values()))


def test_the_checksum_of_an_entry_never_changes() -> None:
    assert entry_checksum(b"", b"") == 0
    assert entry_checksum(b"key", b"value") == 11337526560615562129
    assert entry_checksum(b"keyv", b"alue") != entry_checksum(b"key", b"value")


@pytest.mark.parametrize("store", ["..", "a/b", "a b", "umläut", "store=x", "50%", "-c.o_u"])
def test_any_name_of_a_store_is_safe(tmp_path: Path, store: str) -> None:
    root = written(tmp_path / "point", {(store, 0): ENTRIES})

    assert sorted(Savepoint(root).entries(store, 0)) == sorted(ENTRIES)
    assert {each.name for each in tmp_path.iterdir()} == {"point"}
    assert len(list((root / "entries").iterdir())) == 1


def test_other_users_cannot_read_a_savepoint(tmp_path: Path) -> None:
    root = written(tmp_path / "point", {("counts", 0): ENTRIES})

    modes = [each.stat().st_mode for each in (root, *root.rglob("*"))]

    assert [stat.filemode(mode) for mode in modes if mode & 0o007] == []


def test_many_partitions_and_large_values_need_little_memory_and_few_files(tmp_path: Path) -> None:
    large = b"x" * (ROW_GROUP_BYTES // 2)
    with SavepointWriter(tmp_path / "point") as writer:
        for number in range(4):
            writer.add("large", 0, [(bytes([number]), large)])
        for number in range(OPEN_FILES + 20):
            writer.add("wide", number, [(b"k", large), (b"l", large)])
        done = writer.finish(manifest("large", "wide", "empty"))

    found = Savepoint(tmp_path / "point")
    assert found.manifest == done
    assert len(found.manifest.stores["wide"].partitions) == OPEN_FILES + 20
    assert found.manifest.stores["empty"].partitions == {}
    assert total(found) == 4 + 2 * (OPEN_FILES + 20)


def test_several_writers_may_write_one_partition(tmp_path: Path) -> None:
    root = written(tmp_path / "point", {})
    parts = []
    for entry in ENTRIES:
        with PartitionWriter(root, "counts", 0) as writer:
            writer.add([entry])
        parts.append(writer.contents)
    body = json.loads((root / FILE).read_text())
    total = joined(parts)
    body["stores"]["counts"] = {
        "note": {},
        "subtopology": 0,
        "partitions": {"0": {"count": 4, "size": total.size, "checksum": total.checksum}},
    }
    (root / FILE).write_text(json.dumps(body))

    assert sorted(Savepoint(root).entries("counts", 0)) == sorted(ENTRIES)


def test_a_directory_with_a_savepoint_is_refused(tmp_path: Path) -> None:
    written(tmp_path, {("counts", 0): ENTRIES})

    with pytest.raises(StreamsException, match="already has a savepoint"):
        SavepointWriter(tmp_path)

    assert total(Savepoint(tmp_path)) == 4


@pytest.mark.parametrize("name", ["other.txt", "entries", ".savepoint.json.draft"])
def test_a_directory_that_is_not_empty_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("")

    with pytest.raises(StreamsException, match="cannot write a savepoint") as caught:
        SavepointWriter(tmp_path)

    assert name in caught.value.detail


def test_a_file_instead_of_a_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StreamsException, match="cannot write a savepoint"):
        SavepointWriter(tmp_path / "file")
    with pytest.raises(StreamsException, match="there is no savepoint"):
        Savepoint(tmp_path / "file")


def test_a_writer_that_fails_leaves_an_empty_directory(tmp_path: Path) -> None:
    def entries() -> Iterator[tuple[bytes, bytes]]:
        yield b"k", b"x" * ROW_GROUP_BYTES
        raise ZeroDivisionError

    with SavepointWriter(tmp_path / "point") as writer:
        pytest.raises(ZeroDivisionError, writer.add, "counts", 0, entries())

    assert list((tmp_path / "point").iterdir()) == []
    assert total(Savepoint(written(tmp_path / "point", {("counts", 0): ENTRIES}))) == 4


def test_a_writer_that_fails_at_its_last_step_leaves_no_manifest_without_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path) -> None:
        if path == tmp_path:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patched:
        patched.setattr(directory, "_sync", fail)
        with pytest.raises(StreamsException, match="cannot write a savepoint"):
            written(tmp_path, {("counts", 0): ENTRIES})
    assert not list(tmp_path.iterdir())
    assert total(Savepoint(written(tmp_path, {("counts", 0): ENTRIES}))) == len(ENTRIES)


def test_a_store_without_manifest_is_refused(tmp_path: Path) -> None:
    with SavepointWriter(tmp_path) as writer:
        writer.add("counts", 0, ENTRIES)
        with pytest.raises(IllegalArgumentException, match='"counts" is not in the manifest'):
            writer.finish(manifest("other"))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("location", ["", "s3://bucket/point", "hdfs://host/point"])
def test_other_file_systems_are_refused(location: str) -> None:
    with pytest.raises(IllegalArgumentException, match="cannot be the directory"):
        Savepoint(location)


def test_a_url_of_a_file_is_a_path(tmp_path: Path) -> None:
    root = written(tmp_path / "with space", {("counts", 0): ENTRIES})

    assert total(Savepoint(root.as_uri())) == 4


def test_an_interrupted_savepoint_is_none(tmp_path: Path) -> None:
    root = written(tmp_path, {("counts", 0): ENTRIES})
    (root / FILE).unlink()

    with pytest.raises(StreamsException, match="there is no savepoint"):
        Savepoint(root)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": 2}, "It has version 2"),
        ({"format": "other"}, "it is not the manifest of a savepoint"),
        ({"stores": None}, "$.stores"),
        ({"surplus": 1}, "surplus"),
    ],
)
def test_another_manifest_is_refused(
    tmp_path: Path, change: dict[str, object], reason: str
) -> None:
    root = written(tmp_path, {("counts", 0): ENTRIES})
    body = json.loads((root / FILE).read_text())
    (root / FILE).write_text(json.dumps({**body, **change}))

    with pytest.raises(StreamsException, match="cannot read") as caught:
        Savepoint(root)

    assert reason in caught.value.detail


def test_missing_files_are_told(tmp_path: Path) -> None:
    root = written(tmp_path, {("counts", 0): ENTRIES, ("counts", 1): ENTRIES})
    one = next((root / "entries" / "store=counts" / "partition=1").iterdir())
    one.unlink()

    with pytest.raises(ProcessorStateException, match='partition 1 of store "counts"') as caught:
        Savepoint(root)

    assert caught.value.detail == "Its files are missing."


def test_files_that_the_manifest_does_not_know_are_told(tmp_path: Path) -> None:
    root = written(tmp_path, {("counts", 0): ENTRIES})
    with PartitionWriter(root, "counts", 1) as writer:
        writer.add(ENTRIES)

    with pytest.raises(ProcessorStateException, match="partition 1") as caught:
        Savepoint(root)

    assert caught.value.detail == "The manifest does not know of its files."


@pytest.mark.parametrize(
    ("keys", "values", "reason"),
    [
        ([b"a"], [b"1"], "It has 1 entries, and 2 by the manifest"),
        ([b"a", b"b"], [b"1", b"22"], "have 5 bytes, and 4 by the manifest"),
        ([b"a", b"b"], [b"2", b"1"], "The checksum of its entries"),
        ([b"a", None], [b"1", b"2"], "has a null"),
        ([b"a", b"b"], ["1", "2"], 'no column "value" of bytes'),
    ],
)
def test_other_entries_than_the_manifests_are_told(
    tmp_path: Path, keys: list[object], values: list[object], reason: str
) -> None:
    root = written(tmp_path, {("counts", 0): [(b"a", b"1"), (b"b", b"2")]})
    rewrite(one_file(root), key=keys, value=values)

    with pytest.raises(ProcessorStateException, match='store "counts"') as caught:
        list(Savepoint(root).entries("counts", 0))

    assert reason in caught.value.detail


def test_a_file_without_the_columns_is_told(tmp_path: Path) -> None:
    root = written(tmp_path, {("counts", 0): ENTRIES})
    rewrite(one_file(root), key=[b"a"])

    with pytest.raises(ProcessorStateException) as caught:
        list(Savepoint(root).entries("counts", 0))

    assert 'no column "value"' in caught.value.detail


@pytest.mark.parametrize("keep", [0, 3, 100])
def test_a_cut_file_is_told(tmp_path: Path, keep: int) -> None:
    root = written(tmp_path, {("counts", 0): ENTRIES})
    path = one_file(root)
    path.write_bytes(path.read_bytes()[:keep])

    with pytest.raises(ProcessorStateException, match="partition 0") as caught:
        total(Savepoint(root))

    assert path.name in caught.value.detail


def test_a_changed_byte_of_a_file_is_told(tmp_path: Path) -> None:
    entries = [(b"k%d" % n, b"v%d" % n) for n in range(200)]
    root = written(tmp_path, {("counts", 0): entries})
    path, told = one_file(root), 0
    data = bytearray(path.read_bytes())
    for at in range(40, len(data) // 2, 61):
        changed = bytearray(data)
        changed[at] ^= 0x10
        path.write_bytes(changed)
        try:
            # Not every byte of a file means something.
            assert sorted(Savepoint(root).entries("counts", 0)) == sorted(entries)
        except ProcessorStateException:
            told += 1
    assert told > 5
