"""A store keeps what it holds when the application asks for another kind of byte store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.properties.line import LineOfTasks
from millstream.core.engine.output import Sent
from millstream.core.engine.store_wrappers import completed
from millstream.core.errors import PluginError, ProcessorStateException
from millstream.core.store import ByteStore, StoreTraits
from millstream.stores.byte_stores.memory import MemoryStore
from millstream.topology.spark.state.changelog import Changelog
from millstream.topology.spark.state.manifest import Manifest

NAMES = ["a", "b"]


class Disk(MemoryStore):
    """Survives being closed, as files do."""

    name = "disk"
    traits = StoreTraits(durable=True)

    def close(self) -> None:
        """Keep everything."""


class Bag(MemoryStore):
    """Promises nothing but to hold what it was given."""

    name = "bag"
    traits = StoreTraits(ordered=False)

    def scan(self, lower: Any, upper: Any, *, reverse: bool = False) -> Any:
        return iter(list(super().scan(None, None, reverse=True)))

    def write(self, batch: Any, version: bytes, *, dropped: Any = ()) -> None:
        assert not dropped
        super().write(batch, version)


@dataclass
class Machine:
    """Byte stores of a worker's machine by kind, as its processes find them."""

    installed: tuple[str, ...] = ("memory", "disk", "bag")
    disks: dict[str, Disk] = field(default_factory=dict)
    opened: list[tuple[str, str]] = field(default_factory=list)

    def open(self, store: str, kind: str) -> ByteStore:
        if kind not in self.installed:
            raise PluginError(f"no {kind}")
        self.opened.append((store, kind))
        if kind == "disk":
            return completed(self.disks.setdefault(store, Disk()))
        return completed({"memory": MemoryStore, "bag": Bag}[kind]())


@dataclass
class Application:
    """One task of an application that is started again and again, and Spark's state of it."""

    machine: Machine = field(default_factory=Machine)
    segments: dict[int, bytes] = field(default_factory=dict)
    manifest: Manifest = field(default_factory=Manifest)
    expected: dict[str, dict[bytes, bytes]] = field(default_factory=dict)
    changelog: Changelog | None = None

    def start(self, kinds: Mapping[str, str], *, known: bool) -> None:
        if self.changelog is not None:
            self.changelog.close()
        self.kinds = kinds
        self.changelog = Changelog(self.machine.open, kinds if known else None)

    def batch(
        self,
        changes: Mapping[str, Mapping[bytes, bytes | None]],
        dropped: tuple[bytes, bytes] | None = None,
        *,
        fails: bool = False,
    ) -> None:
        assert self.changelog is not None
        log = _Log(dict(self.segments))
        manifest = Manifest.decode(self.manifest.encode())
        self.changelog.catch_up(manifest, log)
        expected = {name: dict(held) for name, held in self.expected.items()}
        for store, kind in self.kinds.items():
            copy = self.changelog.working_copy(store, kind)
            held = expected.setdefault(store, {})
            assert list(copy.scan(None, None)) == sorted(held.items())
            if dropped is not None:
                copy.drop_range(*dropped)
                for key in [key for key in held if dropped[0] <= key < dropped[1]]:
                    del held[key]
            for key, value in changes.get(store, {}).items():
                copy.put(key, value)
                held.pop(key, None)
                if value is not None:
                    held[key] = value
        following = self.changelog.commit(manifest, log, snapshot=b"", arrivals={})
        if not fails:
            self.segments, self.manifest, self.expected = log.segments, following, expected


@dataclass
class _Log:
    segments: dict[int, bytes]

    def get(self, seq: int) -> bytes | None:
        return self.segments.get(seq)

    def put(self, seq: int, segment: bytes) -> None:
        self.segments[seq] = segment

    def remove(self, seq: int) -> None:
        del self.segments[seq]


keys = st.binary(min_size=1, max_size=2)
entries = st.dictionaries(keys, st.none() | st.binary(max_size=3), max_size=6)
kinds = st.fixed_dictionaries({name: st.sampled_from(Machine.installed) for name in NAMES})
steps: Any = st.one_of(
    st.tuples(st.just("start"), kinds, st.booleans()),
    st.tuples(
        st.just("batch"),
        st.dictionaries(st.sampled_from(NAMES), entries),
        st.none() | st.just((b"\x10", b"\x90")),
    ),
    st.tuples(st.just("fail"), st.dictionaries(st.sampled_from(NAMES), entries), st.none()),
)


@pytest.mark.parametrize("rounds", [False, True])
@settings(max_examples=60, deadline=None, derandomize=True)
@given(kinds, st.lists(steps, max_size=25))
def test_stores_hold_what_was_committed_whichever_kinds_kept_it(
    rounds: bool, first: Mapping[str, str], script: list[Any]
) -> None:
    def wants_round(live: int, state: int) -> bool:
        return rounds

    with patch("millstream.topology.spark.state.changelog.wants_round", wants_round):
        application = Application()
        application.start(first, known=True)
        for step, *arguments in script:
            if step == "start":
                application.start(arguments[0], known=arguments[1])
            else:
                application.batch(*arguments, fails=step == "fail")
        application.batch({})


def started(*kinds: str, known: bool = True) -> Application:
    """An application whose store "a" has been kept in each kind in turn."""
    application = Application()
    for number, kind in enumerate(kinds):
        application.start({"a": kind}, known=known)
        application.batch({"a": {b"%d" % number: b"x"}})
    return application


@pytest.mark.parametrize("known", [True, False])
def test_the_manifest_names_the_new_kind(known: bool) -> None:
    application = started("disk", "memory", known=known)
    assert application.manifest.stores == {"a": "memory"}
    assert application.expected == {"a": {b"0": b"x", b"1": b"x"}}


def test_a_kind_that_was_left_goes_on_from_where_it_was() -> None:
    application = started("disk", "memory", "memory", "disk")
    application.batch({})
    assert application.machine.opened[-1] == ("a", "disk")
    assert dict(application.machine.disks["a"].scan(None, None)) == application.expected["a"]


@pytest.mark.parametrize("known", [True, False])
def test_the_plugin_of_the_old_kind_need_not_be_there_any_more(known: bool) -> None:
    application = started("disk")
    application.machine.installed = ("memory", "bag")
    application.start({"a": "bag"}, known=known)
    application.batch({"a": {b"1": b"y"}})
    assert application.expected["a"] == {b"0": b"x", b"1": b"y"}


def test_a_store_that_is_not_asked_for_any_more_is_kept() -> None:
    application = started("disk")
    application.machine.installed = ("memory", "bag")
    application.start({"b": "bag"}, known=True)
    with patch("millstream.topology.spark.state.changelog.wants_round", lambda live, state: True):
        for number in range(200):
            application.batch({"b": {b"%d" % number: b"y"}})
    application.start({"a": "memory", "b": "memory"}, known=False)
    application.batch({})


def test_a_plugin_that_is_asked_for_and_missing_is_an_error() -> None:
    application = started("memory")
    application.start({"a": "gone"}, known=True)
    with pytest.raises(PluginError):
        application.batch({})
    assert application.manifest.stores == {"a": "memory"}


COUNT: dict[str, Any] = {
    "config": {},
    "topics": {"in": ["string", "string"], "out": ["string", "long"]},
    "topology": [
        {"id": "in", "op": "stream", "topics": ["in"], "key": "string", "value": "string"},
        {"id": "by", "op": "groupByKey", "from": ["in"], "key": "string", "value": "string"},
        {
            "id": "count",
            "op": "count",
            "from": ["by"],
            "materialized": {"store": "counts", "key": "string", "value": "long"},
        },
        {"id": "out", "op": "toStream", "from": ["count"]},
        {"op": "to", "from": ["out"], "topic": "out", "key": "string", "value": "long"},
    ],
}


@pytest.fixture
def line() -> Iterator[LineOfTasks]:
    with LineOfTasks(COUNT) as made:
        made.batch([RECORD], 0, 0)
        made.restart(0, lose=False)
        yield made


RECORD = Sent("in", b"a", b"x", 1, None)


def test_a_manifest_that_is_missing_although_there_are_segments_is_refused(
    line: LineOfTasks,
) -> None:
    line.states[0].manifest = None
    with pytest.raises(ProcessorStateException, match="a task's manifest"):
        line.batch([RECORD], 1, 0)


def test_a_store_that_the_checkpoint_lacks_or_has_in_excess_is_told(
    line: LineOfTasks, caplog: pytest.LogCaptureFixture
) -> None:
    found = line.states[0].manifest
    assert found is not None
    manifest = Manifest.decode(found)
    line.states[0].manifest = replace(manifest, stores={"former": "rocksdb"}).encode()
    caplog.set_level("INFO", "millstream")
    line.batch([RECORD], 1, 0)
    told = [record.getMessage() for record in caplog.records]
    assert any("starts empty" in text and "store=counts task=0_0" in text for text in told)
    assert any("store stays" in text and "store=former" in text for text in told)
    now = line.states[0].manifest
    assert now is not None
    assert Manifest.decode(now).stores == {"former": "rocksdb", "counts": "rocksdb"}
