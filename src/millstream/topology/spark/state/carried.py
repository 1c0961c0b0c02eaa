"""Changes of stores that the tasks of a batch report to the driver, while it is asked for them.

Spark takes the reports of workers to the driver with the results of its tasks. A report of an
attempt that failed never arrives; one of an attempt that succeeded arrives before Spark commits the
batch. Each report names the version that it begins with and the one that it ends with, so whoever
applies it knows whether it fits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from millstream.core.typed_json import read_json
from millstream.core.working_copy import Changes
from millstream.topology.spark.state.manifest import ChangelogPosition, Manifest
from millstream.topology.spark.state.segments import CHANGES, decode_segment

ASKED = "spark.millstream.asked"
"""Setting of the query's session by which the driver tells the workers what is asked for."""

Asked = Mapping[int, frozenset[str]]
"""Index of a stage -> names of its stores."""


def asked_to_text(asked: Asked) -> str:
    """Return the setting's value."""
    return json.dumps({str(index): sorted(names) for index, names in sorted(asked.items())})


def asked_of(text: str | None) -> Asked:
    """Return what a value of the setting asks for; nothing if it is not set, or not by us."""
    try:
        found = read_json(text or "{}", dict[str, list[str]])
        return {int(index): frozenset(names) for index, names in found.items()}
    except ValueError:
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedTask:
    """Changes of a task's stores in one batch, from the attempt that made them."""

    run_id: str
    """Run of the application; a batch that failed may be repeated in the next one."""
    batch: int
    stage: int
    partition: int
    base: ChangelogPosition
    """The version that the batch began with."""
    head: bytes
    """The manifest after the batch, without what only a worker needs."""
    segments: tuple[bytes, ...] | None
    """The changes, with those of all stores that are asked for; None if they are too large."""

    @property
    def size(self) -> int:
        """The size of the changes in bytes."""
        return sum(map(len, self.segments or ()))

    def manifest(self) -> Manifest:
        """Return the manifest.

        Raises:
            ProcessorStateException: It is damaged.
        """
        return Manifest.decode(self.head)

    def changes(self) -> dict[str, Changes]:
        """Return the changes by store; stores that did not change are missing.

        Raises:
            ProcessorStateException: A segment is damaged.
        """
        entries: dict[str, dict[bytes, bytes | None]] = {}
        dropped: dict[str, tuple[tuple[bytes, bytes], ...]] = {}
        for number, blob in enumerate(self.segments or ()):
            for section in decode_segment(blob, f"change {number} of a batch").sections:
                if section.kind != CHANGES:
                    continue
                found = entries.setdefault(section.store, {})
                found.update(zip(section.keys, section.values, strict=True))
                dropped[section.store] = dropped.get(section.store, ()) + section.dropped
        return {store: Changes(found, dropped[store]) for store, found in entries.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedBatch:
    """Sign that a batch carries the changes of the stores that were asked for when it began.

    The last step of the batch sends it, in every partition and after all tasks. A task that has no
    report in such a batch did not run.
    """

    run_id: str
    batch: int
    asked: str
    """The setting as the batch has it."""


def head_of(manifest: Manifest) -> bytes:
    """Return a manifest's bytes without what only a worker needs."""
    return replace(manifest, snapshot=b"", round=None).encode()
