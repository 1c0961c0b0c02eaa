"""Entries of a stored state as JSON lines: written to a file, and read from one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, TextIO

from millstream.cli.state_entries import OpenStore
from millstream.core.errors import IllegalArgumentException
from millstream.core.headers import Headers
from millstream.topology.savepoints.changing import StoreChanges
from millstream.topology.savepoints.records import StoredRecord, Window

_FIELDS = {"key", "value", "timestamp", "partition", "window", "headers"}


def check_new(file: str) -> None:
    """Check that a file is not there yet.

    Raises:
        IllegalArgumentException: It is.
    """
    if file != "-" and Path(file).exists():
        raise IllegalArgumentException(
            f"cannot write {file}", detail="It is there already.", hint="Name a new file."
        )


def write_lines(store: OpenStore, file: str) -> int:
    """Write the entries of a store to a new file, or to standard output; return their number.

    Raises:
        IllegalArgumentException: The file exists or cannot be written.
    """
    if file == "-":
        return _write(store, sys.stdout)
    # A file that ends too early could be imported, without the rest.
    draft = Path(f"{file}.part")
    try:
        try:
            with draft.open("w", encoding="utf-8") as opened:
                count = _write(store, opened)
            check_new(file)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
        return count
    except OSError as error:
        raise IllegalArgumentException(
            f"cannot write {file}", detail=f"{error.strerror}.", hint="Name a new file."
        ) from error


def import_lines(store: OpenStore, file: Path, result: str, *, replace: bool) -> int:
    """Write a savepoint with the entries of a file; return how many there were.

    Raises:
        IllegalArgumentException: The file cannot be read, or a line is wrong; nothing is written.
        UnsupportedOperationException: Entries of such a store cannot be changed.
    """
    changes, count = StoreChanges(store.records), 0
    try:
        with file.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                try:
                    changes.put(_parsed(store, changes, json.loads(line)))
                except Exception as error:
                    raise IllegalArgumentException(
                        f"cannot import line {number} of {file}",
                        detail=f"{type(error).__name__}: {getattr(error, 'problem', '') or error}.",
                        hint="Write lines as `millstream state export` does.",
                    ) from error
                count += 1
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise IllegalArgumentException(f"cannot read {file}", detail=f"{reason}.") from error
    changes.write(result, replace=replace)
    return count


def _write(store: OpenStore, target: TextIO) -> int:
    count = 0
    for record in store.records.all():
        target.write(json.dumps(store.shown(record), ensure_ascii=False, default=str) + "\n")
        count += 1
    return count


def _parsed(store: OpenStore, changes: StoreChanges, line: Any) -> StoredRecord:
    if not isinstance(line, dict):
        raise TypeError("it is not a JSON object")
    if unknown := line.keys() - _FIELDS:
        raise ValueError(f"unknown fields: {', '.join(sorted(unknown))}")
    headers = Headers()
    for each in line.get("headers") or ():
        headers.add(each["key"], None if each["value"] is None else _bytes(each["value"]))
    if line.get("key") is None:
        raise ValueError("there is no key")
    key = store.key.write(store.topic, headers, store.key.of_json(line["key"])) or b""
    value = line.get("value")
    data = None
    if value is not None:
        data = store.value.write(store.topic, headers, store.value.of_json(value))
    note = store.records.note
    timestamp = _whole(line, "timestamp")
    if timestamp is None and data is not None and note.values != "plain" and note.type != "session":
        raise ValueError("there is no timestamp, which the store keeps")
    partition = _whole(line, "partition")
    if partition is None:
        partition = changes.partition_of(key)
    if not 0 <= partition < changes.tasks:
        raise ValueError(f"the store has partitions 0 to {changes.tasks - 1}, not {partition}")
    return StoredRecord(
        partition=partition,
        key=key,
        value=data,
        timestamp=timestamp,
        window=_window(line, note.type),
        headers=tuple((each.key(), each.value()) for each in headers),
    )


def _window(line: dict[str, Any], kind: str) -> Window | None:
    if kind not in ("window", "session"):
        if line.get("window") is not None:
            raise ValueError("the store has no windows")
        return None
    window = line.get("window")
    if not isinstance(window, dict):
        raise TypeError('there is no window: {"start": ..., "end": ...}')
    start, end = _whole(window, "start"), _whole(window, "end")
    if start is None or start < 0 or (kind == "session" and (end is None or end < start)):
        raise ValueError("a window has a start from 0 on, and a session an end at or after it")
    return start, end


def _whole(fields: dict[str, Any], name: str) -> int | None:
    value = fields.get(name)
    if value is not None and type(value) is not int:
        raise ValueError(f"{name} must be a whole number")
    return value


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text[2:]) if text.startswith("0x") else text.encode()
