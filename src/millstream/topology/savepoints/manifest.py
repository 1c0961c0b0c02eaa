"""Manifest of a savepoint: what its entries are, and where the application had read to.

A savepoint is a directory::

    savepoint.json                                    the manifest, written last
    entries/store=NAME/partition=N/*.parquet          columns: key (binary), value (binary)

Entries are those of the byte stores: keys and values as the store's layout makes them. A file has
no order, and a partition any number of files. Names that begin with ``.`` or ``_`` are not read.
The name of a store is escaped as in a URL. ``checksums.entry_checksum`` is the first half of
MurmurHash3 (x64, 128 bits) of key and value joined, seeded with the length of the key.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from millstream.core.errors import StreamsException
from millstream.core.typed_json import fitted, read_json
from millstream.topology.spark.checkpoint.later import check_version
from millstream.topology.spark.checkpoint.store_notes import StoreNote

FILE = "savepoint.json"
ENTRIES = "entries"
FORMAT = "millstream-savepoint"
VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """Entries of one partition of a store, for checks.

    ``checksum`` does not depend on their order: the sum, modulo 2**64, of ``entry_checksum`` of
    each entry.
    """

    count: int = 0
    size: int = 0
    """Bytes of all keys and values."""
    checksum: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreManifest:
    """One store of a savepoint; a part of a store (``NAME-spilled``) is one of its own."""

    note: Mapping[str, Any] = field(default_factory=dict)
    """Type, layout and serdes: a ``StoreNote`` as JSON; empty if nothing is known."""
    subtopology: int | None = None
    """Sub-topology of the savepoint's topology; None for a global store, which has partition 0."""
    partitions: Mapping[int, Contents] = field(default_factory=dict)
    """Only those with entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SavepointManifest:
    """Everything of a savepoint but the entries."""

    application_id: str
    topology: str
    """Text of ``describe()``."""
    tasks: Mapping[int, int]
    """Sub-topology -> number of tasks."""
    stores: Mapping[str, StoreManifest] = field(default_factory=dict)
    positions: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """Topic -> partition -> offset of the next record to read; repartition topics on the broker by
    their full names. A topic that has grown since has partitions here of which nothing was read."""
    partitions: Mapping[str, int] = field(default_factory=dict)
    """Topic, as described -> its partitions when the application started; empty in savepoints of
    earlier versions and of the test driver."""
    snapshots: Mapping[str, bytes] = field(default_factory=dict)
    """Task, as ``0_1`` -> the engine's snapshot of it (``core/engine/snapshot.py``)."""
    global_snapshots: Mapping[str, bytes] = field(default_factory=dict)
    """Global store -> the snapshot of the task that fills it."""
    topics: Mapping[str, list[str]] = field(default_factory=dict)
    """Source node with a pattern -> the topics that matched."""
    store_format: str = "DEFAULT"
    """``dsl.store.format``."""
    words: tuple[str, ...] | None = None
    """Words for stores that have had their effect on the state, as ``evolution/words.py`` writes
    them; None where they are not known, as in savepoints of earlier versions."""
    created_ms: int = 0
    checkpoint: str = ""
    """Id of the checkpoint that it was made from; empty for none."""
    batch: int = -1
    """The last batch of that checkpoint that it contains."""
    library: str = ""
    """Version of millstream that wrote it."""

    def to_json(self) -> str:
        """Return the text of ``savepoint.json``."""
        body = asdict(self)
        for name in ("snapshots", "global_snapshots"):
            body[name] = {k: base64.b64encode(v).decode() for k, v in body[name].items()}
        return json.dumps({"format": FORMAT, "version": VERSION, **body}, indent=1)

    @staticmethod
    def from_json(text: str, location: str) -> SavepointManifest:
        """Read the text of ``savepoint.json``.

        Raises:
            StreamsException: The text is damaged, or of another format or version.
        """
        try:
            head = read_json(text, _Head)
            if head.format != FORMAT:
                raise ValueError("it is not the manifest of a savepoint")
            check_version(f'cannot read "{FILE}" of savepoint "{location}"', head.version, VERSION)
            if head.version != VERSION:
                raise ValueError(f"it has version {head.version}; this package reads {VERSION}")
            known = {each.name for each in fields(SavepointManifest)} | {"format", "version"}
            if surplus := sorted(read_json(text, dict[str, Any]).keys() - known):
                raise ValueError(f"it has fields that this package does not know: {surplus}")
            found = read_json(text, SavepointManifest)
            for store in found.stores.values():
                if store.note:
                    fitted(store.note, StoreNote)
            return found
        except ValueError as error:
            raise StreamsException(
                f'cannot read "{FILE}" of savepoint "{location}"',
                detail=f"{type(error).__name__}: {error}.",
                hint="Give the directory of a savepoint that is complete: the manifest is written "
                "last.",
            ) from error


@dataclass(frozen=True, slots=True)
class _Head:
    format: str
    version: int
