"""Savepoints from elsewhere: the manifest, Parquet files, and records of every type of store."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq

from compat_tests.folders import folder
from compat_tests.fuzz.decoder import Decoder, Maker
from compat_tests.fuzz.rooms.checkpoint import DESCRIPTION, note
from compat_tests.fuzz.rooms.rows import BETWEEN, ROWS, noted
from compat_tests.fuzz.rooms.spark import snapshot_samples
from millstream.topology.savepoints.directory import entry_files, partition_directory
from millstream.topology.savepoints.manifest import FILE, SavepointManifest, StoreManifest
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.records import StoreRecords
from millstream.topology.savepoints.writer import SavepointWriter
from millstream.topology.spark.checkpoint.store_notes import StoreNote


def written(store: StoreNote, entries: list[tuple[bytes, bytes]]) -> Path:
    """Return the directory of a savepoint with one store."""
    root = folder("fuzz-") / "savepoint"
    with SavepointWriter(root) as writer:
        writer.add("sums", 0, entries)
        writer.finish(
            SavepointManifest(
                application_id="app",
                topology=DESCRIPTION,
                tasks={0: 1},
                stores={"sums": StoreManifest(note=asdict(store), subtopology=0)},
                positions={"in": {0: 12}},
                snapshots={"0_0": snapshot_samples()[0]},
                topics={"S": ["a"]},
            )
        )
    return root


def manifests() -> Decoder:
    """``savepoint.json``, and what lists its contents."""
    root = written(note(), [(b"k", b"v")])
    sample = (root / FILE).read_bytes()

    def decode(data: bytes) -> object:
        (root / FILE).write_bytes(data)
        found = Savepoint(root)
        for name, store in found.manifest.stores.items():
            StoreRecords(found, name)
            for number in store.partitions:
                list(found.columns(name, number))
        return found.manifest.to_json()

    return Decoder([sample], decode)


def files() -> Decoder:
    """A Parquet file of entries."""
    entries = [(f"k{n}".encode(), bytes(n % 40)) for n in range(50)]
    root = written(note(), entries)
    (path,) = entry_files(partition_directory(root, "sums", 0))
    sample = path.read_bytes()
    plain = root.parent / "plain.parquet"
    for codec in ("none", "snappy"):
        pq.write_table(
            pq.read_table(path), plain, compression=codec, use_dictionary=codec != "none"
        )
    others = [sample, plain.read_bytes()]

    def decode(data: bytes) -> object:
        path.write_bytes(data)
        return list(Savepoint(root).entries("sums", 0))

    return Decoder(others, decode)


def records(store: StoreNote, samples: list[tuple[bytes, bytes]]) -> Decoder:
    """Entries of a store, in a file that fits its manifest: what they are is still unknown."""
    found = Savepoint(written(store, [(b"k", b"v")]))

    def decode(data: bytes) -> object:
        key, _, value = data.partition(BETWEEN)
        rows: Any = SimpleNamespace(
            root=found.root, manifest=found.manifest, entries=lambda *_: iter([(key, value)])
        )
        return list(StoreRecords(rows, "sums").all())

    return Decoder([key + BETWEEN + value for key, value in samples], decode)


def _records_of(name: str) -> Maker:
    return lambda: records(noted(name), ROWS[name]())


DECODERS: dict[str, Maker] = {
    "savepoint-manifest": manifests,
    "savepoint-file": files,
    **{
        f"savepoint-records-{name}": _records_of(name)
        for name in ("key-value", "window", "session")
    },
    **{
        f"savepoint-records-{name}": _records_of(name)
        for name in ("versioned", "suppression", "unmatched", "waiting", "headers", "own")
    },
}
