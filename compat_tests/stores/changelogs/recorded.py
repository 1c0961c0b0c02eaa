"""Recorded scenarios replayed with everything that a changelog format is judged by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from compat_tests import SCENARIOS
from compat_tests.conformance.corpus import read_scenario, scenario_files
from compat_tests.conformance.hosts import DriverHost, RawRecord
from compat_tests.conformance.replay import replay
from millstream.core.config import StreamsConfig
from millstream.core.state.changelog_format import ChangelogRecord
from millstream.topology.spark.checkpoint.store_notes import StoreNote, notes_of

Json = dict[str, Any]


@dataclass
class Kept:
    """A store after a scenario."""

    name: str
    note: StoreNote
    rows: dict[bytes, bytes]
    records: list[ChangelogRecord]
    store: Any
    builder: Any
    copy: Any
    """Its working copy."""


@dataclass
class KeepingHost(DriverHost):
    """The test driver, whose changelogs and bytes of stores can be read afterwards."""

    sent: list[RawRecord] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)

    def __init__(self) -> None:
        super().__init__()
        self.sent, self.kept = [], []

    def start(self, topology: Any, config: dict[str, Any], wall_clock_ms: int) -> None:
        self._plan, self._config = topology.plan(), StreamsConfig(config)
        super().start(topology, config, wall_clock_ms)

    def pipe(self, record: RawRecord) -> None:
        self.sent.append(record)
        super().pipe(record)

    def produced(self) -> list[RawRecord]:
        found = super().produced()
        self.sent += found
        return found

    def close(self) -> None:
        self.kept = list(self._kept())
        super().close()

    def _kept(self) -> Iterator[Kept]:
        if self._driver is None:
            return
        notes = notes_of(self._plan, self._config)
        copies = self._driver._host._copies
        builders = {
            node.name: node.builder for part in self._plan.subtopologies for node in part.stores
        }
        for name, store in self._driver._task.stores.items():
            topic = f"app-{name}-changelog"
            records = [_record(each) for each in self.sent if each.topic == topic]
            if records and name in copies:
                rows = dict(copies[name].store.scan(None, None))
                copy = copies[name]
                yield Kept(name, notes[name], rows, records, store, builders[name], copy)


def _record(raw: RawRecord) -> ChangelogRecord:
    assert raw.key is not None
    return ChangelogRecord(raw.key, raw.value, raw.timestamp, raw.headers)


def recorded() -> list[Json]:
    """The scenarios whose changelogs Kafka Streams' own are known."""
    found = map(read_scenario, scenario_files(SCENARIOS))
    return [each for each in found if each.get("captureInternal") and "outputs" in each["expect"]]


def kept_stores(scenario: Json) -> KeepingHost:
    """The host after the scenario."""
    host = KeepingHost()
    replay(scenario, host)
    return host
