"""Byte stores that keep every promise in the plainest way; the broken ones are made of them."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from typing_extensions import Self

from millstream.plugins import ByteStore, StoreTraits

Entry = tuple[bytes, bytes]
Batch = Mapping[bytes, "bytes | None"]
Ranges = Sequence[tuple[bytes, bytes]]


class PlainStore(ByteStore):
    """A dictionary; nothing is promised beyond order."""

    name = "plain"

    def __init__(self) -> None:
        self.entries: dict[bytes, bytes] = {}
        self.open_ = True

    @classmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Self:
        return cls()

    def get(self, key: bytes) -> bytes | None:
        return self.entries.get(key)

    def write(self, batch: Batch, version: bytes, *, dropped: Ranges = ()) -> None:
        assert self.open_
        batch = dict(batch)  # before anything changes: to read it may fail
        self.drop(dropped)
        self.put(batch)

    def drop(self, dropped: Ranges) -> None:
        for lower, upper in dropped:
            for key in [key for key in self.entries if lower <= key < upper]:
                del self.entries[key]

    def put(self, batch: Batch) -> None:
        for key, value in batch.items():
            if value is None:
                self.entries.pop(key, None)
            else:
                self.entries[key] = value

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        for key in sorted(self.entries, reverse=reverse):
            if (lower is None or lower <= key) and (upper is None or key < upper):
                yield key, self.entries[key]

    def close(self) -> None:
        self.open_ = False


class UnorderedStore(PlainStore):
    """Yields everything as it comes."""

    name = "unordered"
    traits = StoreTraits(ordered=False)

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        yield from self.entries.items()


class FileStore(PlainStore):
    """A dictionary and its version in one file, which every write replaces."""

    name = "file"
    traits = StoreTraits(durable=True, native_ttl=True)

    def __init__(self, directory: Path) -> None:
        super().__init__()
        self.directory = directory
        self.kept: bytes | None = None
        if self.file.exists():
            self.kept, self.entries = pickle.loads(self.file.read_bytes())

    @property
    def file(self) -> Path:
        return self.directory / "entries"

    @classmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Self:
        return cls(directory)

    def write(self, batch: Batch, version: bytes, *, dropped: Ranges = ()) -> None:
        before = dict(self.entries), self.kept
        try:
            super().write(batch, version, dropped=dropped)
            self.kept = version
            self.save()
        except BaseException:
            self.entries, self.kept = before
            raise

    def save(self) -> None:
        written = self.directory / "written"
        written.write_bytes(pickle.dumps((self.kept, self.entries)))
        os.replace(written, self.file)

    def version(self) -> bytes | None:
        return self.kept
