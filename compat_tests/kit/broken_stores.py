"""Byte stores that break one promise each, as their authors might."""

from __future__ import annotations

import fcntl
import os
import pickle
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from typing_extensions import Self

from compat_tests.kit.good_stores import Batch, Entry, FileStore, PlainStore, Ranges
from millstream.core.store import ByteStore
from millstream.plugins import StoreTraits


class UpperIncluded(PlainStore):
    """Takes the upper bound for part of the range."""

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        yield from super().scan(lower, None if upper is None else upper + b"\0", reverse=reverse)


class SignedOrder(PlainStore):
    """Compares bytes as Java's are compared by default."""

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        entries = list(super().scan(lower, upper))
        entries.sort(key=lambda entry: [byte ^ 128 for byte in entry[0]], reverse=reverse)
        yield from entries


class ForwardOnly(PlainStore):
    """Knows no way back."""

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        yield from super().scan(lower, upper)


class EmptyIsNothing(PlainStore):
    """Takes an empty value for a deletion."""

    def put(self, batch: Batch) -> None:
        super().put({key: value or None for key, value in batch.items()})


class TextOnly(PlainStore):
    """Gives back buffers."""

    def get(self, key: bytes) -> bytes | None:
        value = super().get(key)
        return None if value is None else memoryview(value)  # type: ignore[return-value]


class ShortKeys(PlainStore):
    """Has a limit that its library has."""

    def put(self, batch: Batch) -> None:
        if any(len(key) > 511 for key in batch):
            raise ValueError("key too long")
        super().put(batch)


class SortedAnswers(PlainStore):
    """Asks for keys in the order that suits its disk."""

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        return [self.get(key) for key in sorted(keys)]


class KeptBatch(PlainStore):
    """Looks up the last batch in the caller's dictionary."""

    last: Any = {}

    def write(self, batch: Batch, version: bytes, *, dropped: Ranges = ()) -> None:
        super().write(self.last, version)
        self.drop(dropped)
        self.last = batch

    def get(self, key: bytes) -> bytes | None:
        return self.last[key] if key in self.last else super().get(key)

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        self.put(self.last)
        return super().scan(lower, upper, reverse=reverse)


class DropsLast(PlainStore):
    """Drops ranges when the batch has been set."""

    traits = StoreTraits(native_ttl=True)

    def write(self, batch: Batch, version: bytes, *, dropped: Ranges = ()) -> None:
        self.put(batch)
        self.drop(dropped)


class LiveScans(PlainStore):
    """Promises snapshots and reads values as it goes."""

    traits = StoreTraits(snapshot_scans=True)


class OneCursor(PlainStore):
    """Has one cursor for all scans."""

    cursor: Iterator[Entry] = iter(())

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        self.cursor = super().scan(lower, upper, reverse=reverse)
        while True:
            entry = next(self.cursor, None)
            if entry is None:
                return
            yield entry


class OneThread(PlainStore):
    """Works only for whoever opened it."""

    def __init__(self) -> None:
        super().__init__()
        self.thread = threading.get_ident()

    def drop(self, dropped: Ranges) -> None:
        if threading.get_ident() != self.thread:
            raise RuntimeError("created in another thread")
        super().drop(dropped)


class ClosesOnce(PlainStore):
    """Trips over its own second end."""

    def close(self) -> None:
        if not self.open_:
            raise RuntimeError("already closed")
        super().close()


class WritesWhenClosed(PlainStore):
    """Takes what nobody will see."""

    def close(self) -> None:
        pass


class ByDirectory(PlainStore):
    """A table on a server, new at each opening, with the directory as its name."""

    server: ClassVar[dict[Path, dict[bytes, bytes]]] = {}

    @classmethod
    def open(cls, directory: Path, options: Mapping[str, Any]) -> Self:
        store = cls()
        store.entries = cls.server.setdefault(directory, {})
        store.entries.clear()
        return store


class ByLastPart(FileStore):
    """A file for each store, which all tasks have."""

    def __init__(self, directory: Path) -> None:
        root = next(part for part in directory.parents if part.name.startswith("millstream-"))
        (root / "files" / directory.name).mkdir(parents=True, exist_ok=True)
        super().__init__(root / "files" / directory.name)

    def get(self, key: bytes) -> bytes | None:
        self.kept, self.entries = pickle.loads(self.file.read_bytes())
        return super().get(key)


class OneForAll(PlainStore):
    """Keeps entries where all of its objects find them."""

    everything: dict[bytes, bytes] = {}

    def __init__(self) -> None:
        super().__init__()
        self.entries = self.everything


class Litters(PlainStore):
    """Leaves a file where it promised nothing."""

    @classmethod
    def open(cls, directory: Path, options: Any) -> Any:
        (directory / "left").touch()
        return cls()


class FirstRangeOnly(PlainStore):
    """Takes the ranges for one."""

    traits = StoreTraits(native_ttl=True)

    def drop(self, dropped: Ranges) -> None:
        super().drop(dropped[:1])


class RemembersDropped(PlainStore):
    """Keeps what it has read, until the batch has the key."""

    traits = StoreTraits(native_ttl=True)

    def __init__(self) -> None:
        super().__init__()
        self.read: dict[bytes, bytes | None] = {}

    def get(self, key: bytes) -> bytes | None:
        if key not in self.read:
            self.read[key] = super().get(key)
        return self.read[key]

    def put(self, batch: Batch) -> None:
        super().put(batch)
        for key in batch:
            self.read.pop(key, None)


class FewVariables(PlainStore):
    """Asks for as many keys as a statement may have variables."""

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        return [self.get(key) for key in list(keys)[:999]]


class MarksDeletions(PlainStore):
    """Has a value for what is not there."""

    def get(self, key: bytes) -> bytes | None:
        found = super().get(key)
        return None if found == b"\0" else found


class ListedScans(PlainStore):
    """Returns all entries at once; the runtime takes that."""

    def scan(self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False) -> Any:
        return list(super().scan(lower, upper, reverse=reverse))


class BackwardPages(PlainStore):
    """Turns each page round, and not their order."""

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        entries = list(super().scan(lower, upper))
        for start in range(0, len(entries), 100):
            page = entries[start : start + 100]
            yield from reversed(page) if reverse else page


class CutKeys(PlainStore):
    """Has two bytes for the length of a key."""

    def get(self, key: bytes) -> bytes | None:
        return super().get(key[:65_535])

    def put(self, batch: Batch) -> None:
        super().put({key[:65_535]: value for key, value in batch.items()})


class NoBoundIfEmpty(PlainStore):
    """Tests its upper bound for truth."""

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        yield from super().scan(lower, upper or None, reverse=reverse)


class SwallowsFailures(PlainStore):
    """Logs what went wrong, and goes on."""

    def write(self, batch: Batch, version: bytes, *, dropped: Ranges = ()) -> None:
        with suppress(Exception):
            super().write(batch, version, dropped=dropped)


class HalfWritten(PlainStore):
    """Changes its memory entry by entry while it reads the batch."""

    def write(self, batch: Batch, version: bytes, *, dropped: Ranges = ()) -> None:
        assert self.open_
        self.drop(dropped)
        self.put(batch)


class KeepsWhatFailed(FileStore):
    """Changes its memory before its file, and leaves it so when the disk is full."""

    def write(self, batch: Batch, version: bytes, *, dropped: Ranges = ()) -> None:
        PlainStore.write(self, batch, version, dropped=dropped)
        self.kept = version
        self.save()


class SwallowsFullDisks(KeepsWhatFailed):
    """Hopes for the next write."""

    def save(self) -> None:
        with suppress(OSError):
            super().save()


class LosesVersion(FileStore):
    """Remembers the version while it is open."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.kept = None


class NoVersion(FileStore):
    """Says it is durable and has no version."""

    version = ByteStore.version


class InPlace(FileStore):
    """Saves entry by entry."""

    def write(self, batch: Batch, version: bytes, *, dropped: Ranges = ()) -> None:
        self.drop(dropped)
        self.put(batch)
        self.kept = version
        self.save()

    def put(self, batch: Batch) -> None:
        for key, value in batch.items():
            super().put({key: value})
            if len(batch) < 1_000:
                self.save()


class SavesAtClose(FileStore):
    """Keeps everything in memory until the end."""

    def write(self, batch: Batch, version: bytes, *, dropped: Ranges = ()) -> None:
        PlainStore.write(self, batch, version, dropped=dropped)
        self.kept = version

    def close(self) -> None:
        if self.open_:
            self.save()
        super().close()


class TwoFiles(FileStore):
    """Replaces the entries, and then the version."""

    @property
    def version_file(self) -> Path:
        return self.directory / "version"

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.kept = None
        if self.version_file.exists():
            self.kept = pickle.loads(self.version_file.read_bytes())

    def save(self) -> None:
        super().save()
        time.sleep(0.002)  # a slow disk
        written = self.directory / "written"
        written.write_bytes(pickle.dumps(self.kept))
        os.replace(written, self.version_file)


class Hoards(FileStore):
    """Says that others may look and locks them out."""

    traits = StoreTraits(durable=True, native_ttl=True, shareable=True)

    def __init__(self, directory: Path) -> None:
        self.lock = (directory / "lock").open("w")
        fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        super().__init__(directory)

    def close(self) -> None:
        self.lock.close()
        super().close()
