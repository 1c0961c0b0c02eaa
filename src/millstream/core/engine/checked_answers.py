"""A look at what a plugin's byte store answers, before it is taken for bytes.

An answer of another type would fail far from here, as an error of the operator that asked: an
exception handler could pass over it, and the record would be lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import index
from typing import Any, SupportsIndex

from millstream.core.engine.store_wrappers import WrappedStore
from millstream.core.errors import ClassCastException, IllegalStateException, PluginError
from millstream.core.store import ByteStore, Entry, Range, StoreTraits
from millstream.core.wording import a_kind

_BYTES_LIKE = (bytes, bytearray, memoryview)
_PAIRS = "an iterator of pairs (key, value)"
_NO_VERSION = b"unknown"
ANSWERS = "one answer for each key, in the order of the keys"


def checked(store: Any, offered: type[ByteStore]) -> ByteStore:
    """Return a store whose answers are looked at; those of millstream's own stores are not.

    Raises:
        PluginError: ``open`` has not returned a store.
    """
    made = not isinstance(store, type)  # a class has the traits as well
    if not made or not isinstance(getattr(store, "traits", None), StoreTraits):
        returned = a_kind(store) if made else f"the class {store.__name__}"
        raise PluginError(
            f'the open() of store "{offered.name}" returned {returned}, which is no store',
            detail=f"The class is {offered.__module__}.{offered.__qualname__}.",
            hint="Return an instance of the class.",
        )
    found: ByteStore = store
    own = type(store).__module__.startswith("millstream.")
    return found if own else CheckedAnswers(found)


class CheckedAnswers(WrappedStore):
    """Refuses what is not bytes; copies bytes that the store may change later."""

    def __init__(self, below: ByteStore) -> None:
        super().__init__(below)
        del self.get, self.get_many
        self._written: bytes | None = None
        """The version of the last write, of a store that need not know it: it is not durable."""

    def get(self, key: bytes) -> bytes | None:
        """Return the value of ``key``; None if it has none."""
        found = self.below.get(key)
        return found if found is None or type(found) is bytes else self._as_bytes(found, "get()")

    def get_many(self, keys: Iterable[bytes]) -> list[bytes | None]:
        """Return the value of each key, in order."""
        keys = list(keys)
        found = list(self.below.get_many(keys))
        if len(found) != len(keys):
            raise self._refusal("get_many()", f"{len(found)} values for {len(keys)} keys", ANSWERS)
        return [
            each if each is None or type(each) is bytes else self._as_bytes(each, "get_many()")
            for each in found
        ]

    def write(
        self,
        batch: Mapping[bytes, bytes | None],
        version: bytes,
        *,
        dropped: Sequence[Range] = (),
    ) -> None:
        """Apply one batch."""
        # Of no batch, if the write fails: it may have changed some entries.
        self._written = _NO_VERSION
        if dropped:
            self.below.write(batch, version, dropped=dropped)
        else:
            # A store without ``native_ttl`` may do without the argument.
            self.below.write(batch, version)
        # A store that expires entries itself may have dropped an old one at once.
        if batch and not self.traits.native_ttl:
            self._look_at(*next(iter(batch.items())))
        self._written = version

    def scan(
        self, lower: bytes | None, upper: bytes | None, *, reverse: bool = False
    ) -> Iterator[Entry]:
        """Yield the entries with ``lower <= key < upper``."""
        entries = self.below.scan(lower, upper, reverse=reverse)
        if not isinstance(entries, Iterable):
            raise self._refusal("scan()", a_kind(entries), _PAIRS)
        found = map(self._entry, entries)
        # The runtime picks and sorts what a store without ``ordered`` yields.
        return self._in_order(found, lower, upper, reverse) if self.traits.ordered else found

    def rest(self) -> None:
        """Let other processes have the files; a store may be older than this method."""
        if (rest := getattr(self.below, "rest", None)) is not None:
            rest()

    def version(self) -> bytes | None:
        """Return the version of the last ``write``; None for a new store."""
        if not self.traits.durable:
            return self._written
        found = self.below.version()
        return None if found is None else self._as_bytes(found, "version()")

    def size_estimate(self) -> int:
        """Return about how many entries there are."""
        found: Any = self.below.size_estimate()
        if not isinstance(found, SupportsIndex):
            raise self._refusal("size_estimate()", a_kind(found), "a number of entries")
        count = index(found)
        if count < 0:
            raise self._refusal("size_estimate()", str(count), "a number of entries")
        return count

    def _in_order(
        self, entries: Iterator[Entry], lower: bytes | None, upper: bytes | None, reverse: bool
    ) -> Iterator[Entry]:
        """Yield the entries; merging and expiry would go wrong in silence with others."""
        last = None
        for entry in entries:
            key = entry[0]
            if (lower is not None and key < lower) or (upper is not None and key >= upper):
                raise self._refusal("scan()", f"the key {key!r}", _within(lower, upper))
            if last is not None and (key >= last if reverse else key <= last):
                raise self._refusal(
                    "scan()",
                    f"the key {key!r} after {last!r}",
                    f"keys in {'descending' if reverse else 'ascending'} order, each once "
                    "(or say ordered=False in traits)",
                )
            last = key
            yield entry

    def _look_at(self, key: bytes, value: bytes | None) -> None:
        """Read one entry of a write: a store that keeps nothing of it would stay unseen."""
        found = self.get(key)
        if found != value:
            raise IllegalStateException(
                f'store "{self.name}" has lost what was written to it',
                detail="After a write(), get() returned something else; the class is "
                f"{type(self.below).__module__}.{type(self.below).__qualname__}.",
                hint="Run the tests of millstream.testing.kit.ByteStoreTests for the store.",
            )

    def _entry(self, entry: Any) -> Entry:
        if isinstance(entry, (tuple, list)) and len(entry) == 2:
            key, value = entry
            if type(key) is bytes and type(value) is bytes:
                return key, value
            return self._as_bytes(key, "scan()"), self._as_bytes(value, "scan()")
        raise self._refusal("scan()", f"{a_kind(entry)} as an entry", _PAIRS)

    def _as_bytes(self, found: Any, where: str) -> bytes:
        if isinstance(found, _BYTES_LIKE):
            return bytes(found)
        raise self._refusal(where, a_kind(found))

    def _refusal(self, where: str, found: str, wanted: str = "bytes") -> Exception:
        return ClassCastException(
            f'{where} of store "{self.name}" returned {found}',
            detail=f"The class is {type(self.below).__module__}.{type(self.below).__qualname__}.",
            hint=f"Return {wanted}, as the contract of ByteStore says. The tests of "
            "millstream.testing.kit.ByteStoreTests find what else is wrong.",
        )


def _within(lower: bytes | None, upper: bytes | None) -> str:
    above = "" if lower is None else f" from {lower!r} on"
    below = "" if upper is None else f" below {upper!r}"
    return f"keys{above}{below} only (or say ordered=False in traits)"
