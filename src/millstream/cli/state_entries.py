"""Entries of stored state on the command line: found, ordered and printed."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from millstream.cli.options import print_json_line
from millstream.cli.serde_names import NamedSerde, as_json, as_text
from millstream.core.errors import IllegalArgumentException
from millstream.core.headers import Headers, headers_from_pairs
from millstream.topology.savepoints.records import StoredRecord, StoreRecords


@dataclass(frozen=True, slots=True)
class OpenStore:
    """A store of a state, with the serdes of its entries."""

    records: StoreRecords
    key: NamedSerde
    value: NamedSerde

    @property
    def topic(self) -> str:
        """The topic that its serdes are told."""
        application = self.records.savepoint.manifest.application_id
        return f"{application}-{self.records.store}-changelog"

    def key_bytes(self, text: str) -> bytes:
        """Return the bytes of a key that is given as text.

        Raises:
            IllegalArgumentException: The text is none of the key's type.
        """
        try:
            return self.key.write(self.topic, Headers(), self.key.parse(text)) or b""
        except Exception as error:
            raise IllegalArgumentException(
                f'"{text}" cannot be a key of store "{self.records.store}"',
                detail=f"{type(error).__name__}: {getattr(error, 'problem', '') or error}; its "
                f'serde is "{self.key.name}".',
                hint="Write the key as `millstream pipe` takes it, or name another --key-serde.",
            ) from error

    def of_key(self, key: bytes, partition: int | None = None) -> list[StoredRecord]:
        """Return the entries of a key, in order; of one partition or of all."""
        found = self.records.all() if partition is None else self.records.records(partition)
        return sorted((each for each in found if each.key == key), key=order)

    def between(
        self, lower: bytes | None, upper: bytes | None, limit: int | None
    ) -> list[StoredRecord]:
        """Return the first entries with keys between two, both inclusive, in order of bytes."""
        found = (
            each
            for each in self.records.all()
            if (lower is None or each.key >= lower) and (upper is None or each.key <= upper)
        )
        return sorted(found, key=order) if limit is None else heapq.nsmallest(limit, found, order)

    def shown(self, record: StoredRecord) -> dict[str, Any]:
        """Return an entry as JSON values."""
        headers = headers_from_pairs(record.headers)
        found: dict[str, Any] = {
            "partition": record.partition,
            "key": self._read(self.key, record.key, headers, "key"),
            "value": self._read(self.value, record.value, headers, "value"),
        }
        if record.timestamp is not None:
            found["timestamp"] = record.timestamp
        if record.window is not None:
            start, end = record.window
            found["window"] = {"start": start, "end": end}
        if record.headers:
            found["headers"] = [{"key": n, "value": as_json(data)} for n, data in record.headers]
        return found

    def _read(self, serde: NamedSerde, data: bytes | None, headers: Headers, role: str) -> Any:
        if data is None:
            return None
        try:
            return as_json(serde.read(self.topic, headers, data))
        except Exception as error:
            raise IllegalArgumentException(
                f'cannot read a {role} of store "{self.records.store}"',
                detail=f"{type(error).__name__}: {getattr(error, 'problem', '') or error}; its "
                f"bytes are 0x{data[:32].hex()}.",
                hint=f"Name another serde: --{role}-serde, or --app with the application.",
            ) from error


def order(record: StoredRecord) -> tuple[Any, ...]:
    """Return what orders entries: key, window, time, partition."""
    start, end = record.window or (0, 0)
    time = -1 if record.timestamp is None else record.timestamp
    return record.key, start, end or 0, time, record.partition


def print_entries(store: OpenStore, records: Iterable[StoredRecord], *, json: bool) -> None:
    """Print entries, each in a line."""
    for record in records:
        shown = store.shown(record)
        if json:
            print_json_line(shown)
        else:
            print("  ".join(texts(shown)), flush=True)


def texts(shown: dict[str, Any]) -> Iterator[str]:
    """Yield the parts of an entry's line."""
    yield f"partition={shown['partition']}"
    if "window" in shown:
        start, end = shown["window"]["start"], shown["window"]["end"]
        yield f"window={moment(start)}/{'?' if end is None else moment(end)}"
    yield f"key={as_text(shown['key'])}"
    yield f"value={as_text(shown['value'])}"
    if "timestamp" in shown:
        yield f"time={moment(shown['timestamp'])}"
    if "headers" in shown:
        pairs = (f"{each['key']}: {as_text(each['value'])}" for each in shown["headers"])
        yield "headers={" + ", ".join(pairs) + "}"


def moment(timestamp: int) -> str:
    """Return a time as text; the number itself where it is no date."""
    try:
        found = datetime.fromtimestamp(timestamp / 1000, tz=timezone.utc)
    except (ValueError, OverflowError, OSError):
        return str(timestamp)
    return found.strftime("%Y-%m-%dT%H:%M:%S.") + f"{timestamp % 1000:03d}Z"
