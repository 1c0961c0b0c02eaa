"""Format of versioned stores: the changelog has every version, in the order of the writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

from millstream.core.durations import LONG_MAX
from millstream.core.state.changelog_format import ChangelogFormat, ChangelogRecord, Row
from millstream.core.working_copy import WorkingCopy
from millstream.stores.byte_stores.memory import MemoryStore
from millstream.stores.time_keys import META_KEY
from millstream.stores.versioned.layers import HISTORY, LATEST, StoredVersions
from millstream.stores.versioned.rows import Row as Versions
from millstream.stores.versioned.rows import latest_of

_KEY_AT = len(HISTORY) + 8
_FOREVER = LONG_MAX // 2


class VersionedFormat(ChangelogFormat):
    """Versions of each key; the summary is the store's time and the segments that it has.

    Args:
        interval: Width of the segments in milliseconds.
        retention: How far back versions are kept, in milliseconds; None: all are.
    """

    in_order: ClassVar[bool] = True

    def __init__(self, interval: int, retention: int | None) -> None:
        self._interval = interval
        self._retention = _FOREVER if retention is None else retention

    def rows_of(self, record: ChangelogRecord) -> Sequence[Row]:
        """Return the rows of a key whose only version this is."""
        return list(self.replayed([record]))

    def replayed(self, records: Iterable[ChangelogRecord]) -> Iterator[tuple[bytes, bytes]]:
        copy = WorkingCopy(MemoryStore())
        store = StoredVersions("replayed", "memory", self._retention, self._interval, durable=False)
        # All that a store needs that only takes records.
        store.init(_Opening(copy), None)  # type: ignore[arg-type]
        for record in records:
            store.put(record.key, record.value, record.timestamp or 0)
        return copy.scan(None, None)

    def record_of(self, key: bytes, value: bytes) -> ChangelogRecord | None:
        """Return the record of a latest version; those of older ones come from ``records``."""
        if not key.startswith(LATEST):
            return None
        data, time = latest_of(value)
        return ChangelogRecord(key[len(LATEST) :], data, time)

    def records(self, rows: Iterable[tuple[bytes, bytes]]) -> Iterator[ChangelogRecord]:
        """Yield every version by its time, so that none is late when it is read again."""
        found: dict[tuple[int, bytes], bytes | None] = {}
        for key, data in rows:
            if key.startswith(LATEST):
                value, time = latest_of(data)
                found[time, key[len(LATEST) :]] = value
            elif key.startswith(HISTORY):
                versions, own = Versions.of_bytes(data), key[_KEY_AT:]
                # It is a deletion, unless another version begins there.
                found.setdefault((versions.next, own), None)
                for time, older in versions.versions:
                    if older is not None or (time, own) not in found:
                        found[time, own] = older
        for (time, key), version in sorted(found.items()):
            yield ChangelogRecord(key, version, time)

    def record_key(self, key: bytes) -> bytes | None:
        if key.startswith(LATEST):
            return key[len(LATEST) :]
        return key[_KEY_AT:] if key.startswith(HISTORY) else None

    def summary_of(self, rows: Iterable[tuple[bytes, bytes]]) -> bytes:
        return self.merged(_summary(key, value) for key, value in rows)

    def summary_of_records(self, records: Iterable[ChangelogRecord]) -> bytes:
        return self.summary_of(self.replayed(records))

    def merged(self, summaries: Iterable[bytes]) -> bytes:
        found = [each for each in summaries if each]
        if not found:
            return b""
        places = {each[at : at + 8] for each in found for at in range(8, len(each), 8)}
        return max(each[:8] for each in found) + b"".join(sorted(places))

    def summary_rows(self, summary: bytes) -> Sequence[tuple[bytes, bytes]]:
        return ((META_KEY, summary),) if summary else ()


class _Opening:
    """Context of a store that only takes records."""

    def __init__(self, copy: WorkingCopy) -> None:
        self._copy = copy

    def working_copy(self, store: str, kind: str) -> WorkingCopy:
        """Return the store's bytes."""
        del store, kind
        return self._copy

    def count_dropped_record(self, store: str) -> None:
        """Do nothing: the record was refused when it was written, too."""


def _summary(key: bytes, value: Any) -> bytes:
    if key == META_KEY:
        return bytes(value)
    if key.startswith(LATEST):
        return bytes(value[:8])
    if not key.startswith(HISTORY):
        return b""
    versions = Versions.of_bytes(value)
    return max(0, versions.next).to_bytes(8, "big") + key[len(HISTORY) : _KEY_AT]
