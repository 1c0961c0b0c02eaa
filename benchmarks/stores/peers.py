"""Direct use of the libraries under the byte stores, for comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

import lmdb
from rocksdict import Options, Rdict, WriteBatch

Entry = tuple[bytes, bytes]


class Peer(Protocol):
    """The least that a store does."""

    def get(self, key: bytes) -> bytes | None: ...

    def write(self, batch: Mapping[bytes, bytes]) -> None: ...

    def scan(self) -> Iterator[Entry]: ...

    def close(self) -> None: ...


class DictPeer:
    """A dict, entry by entry."""

    def __init__(self, directory: Path) -> None:
        del directory
        self._values: dict[bytes, bytes] = {}
        self.get = self._values.get

    def write(self, batch: Mapping[bytes, bytes]) -> None:
        values = self._values
        for key, value in batch.items():
            values[key] = value

    def scan(self) -> Iterator[Entry]:
        return iter(sorted(self._values.items()))

    def close(self) -> None:
        self._values.clear()


class RocksdictPeer:
    """rocksdict with its own defaults."""

    def __init__(self, directory: Path) -> None:
        self._db = Rdict(str(directory), Options(raw_mode=True))
        self.get = self._db.get

    def write(self, batch: Mapping[bytes, bytes]) -> None:
        changes = WriteBatch(raw_mode=True)
        for key, value in batch.items():
            changes.put(key, value)
        self._db.write(changes)

    def scan(self) -> Iterator[Entry]:
        yield from self._db.items()

    def close(self) -> None:
        self._db.close()


class LMDBPeer:
    """lmdb without syncing, with a transaction for each batch and one for all reads."""

    def __init__(self, directory: Path) -> None:
        self._environment = lmdb.open(str(directory), map_size=8 << 30, sync=False)
        self._reader = self._environment.begin()

    def get(self, key: bytes) -> bytes | None:
        return self._reader.get(key)

    def write(self, batch: Mapping[bytes, bytes]) -> None:
        with self._environment.begin(write=True) as writer:
            writer.cursor().putmulti(sorted(batch.items()))
        self._reader = self._environment.begin()

    def scan(self) -> Iterator[Entry]:
        return iter(self._reader.cursor())

    def close(self) -> None:
        self._reader.abort()
        self._environment.close()


PEERS: dict[str, Callable[[Path], Peer]] = {
    "memory": DictPeer,
    "rocksdb": RocksdictPeer,
    "lmdb": LMDBPeer,
}
