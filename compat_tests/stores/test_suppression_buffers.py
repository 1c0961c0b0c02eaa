"""Suppression buffers against a model: sorting all there is, each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from millstream.core.buffered_log import from_log, logged
from millstream.core.buffers import BufferedChange, BufferSettings, SuppressionBuffer
from millstream.core.durations import LONG_MAX
from millstream.core.headers import Headers
from millstream.core.record_context import RecordContext
from millstream.core.working_copy import WorkingCopy
from millstream.plugins.registry import store_class
from millstream.stores.buffers import MemoryBuffer, SpillBuffer, time_ordered

Step = tuple[Any, ...]


class Model:
    """The contract in a few lines."""

    def __init__(self) -> None:
        self.held: dict[bytes, BufferedChange] = {}

    def add(self, time: int, key: bytes, old: Any, new: Any, context: RecordContext) -> None:
        first = self.held.get(key, BufferedChange(time, old, old, new, context))
        self.held[key] = first._replace(old=old, new=new, context=context)

    def evict(self, until: int) -> Iterator[tuple[bytes, BufferedChange]]:
        order = sorted(self.held, key=lambda key: (self.held[key].time, key))
        for key in order:
            if self.held[key].time > until:
                return
            yield key, self.held.pop(key)

    def restore(self, key: bytes, change: BufferedChange | None) -> None:
        self.held.pop(key, None)
        if change is not None:
            self.held[key] = change

    def get(self, key: bytes) -> BufferedChange | None:
        return self.held.get(key)

    def first_time(self) -> int:
        return min((change.time for change in self.held.values()), default=LONG_MAX)

    def count(self) -> int:
        return len(self.held)

    def size(self) -> int:
        return sum(change.size(key) for key, change in self.held.items())


class Host:
    """Keeps working copies, and applies them as a commit does."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory
        self.copies: dict[str, WorkingCopy] = {}

    def __call__(self, name: str, kind: str) -> WorkingCopy:
        if name not in self.copies:
            kept = self._directory is not None and kind != "memory"
            directory = self._directory / name if kept and self._directory else Path()
            if kept:
                directory.mkdir(parents=True)
            opened = store_class(kind if kept else "memory").open(directory, {})
            self.copies[name] = WorkingCopy(opened)
        return self.copies[name]

    def commit(self) -> None:
        for copy in self.copies.values():
            copy.apply(b"1")

    def close(self) -> None:
        for copy in self.copies.values():
            copy.store.close()


def opened(buffer: type[SuppressionBuffer], host: Host, **limits: Any) -> SuppressionBuffer:
    return buffer.open(BufferSettings(store="held", working_copy=host, **limits))


def described(key: bytes, change: BufferedChange | None) -> Any:
    if change is None:
        return None
    context = change.context
    place = (context.topic(), context.partition(), context.offset(), context.timestamp())
    return key, change[:4], place, list(context.headers())


def carry_out(buffer: Any, step: Step) -> Any:
    """Do a step; returns what can be seen of it."""
    match step:
        case ("add", time, key, old, new, context):
            return buffer.add(time, key, old, new, context)
        case ("evict", until, most):
            return [described(*entry) for entry in islice(buffer.evict(until), most)]
        case ("get", key):
            return described(key, buffer.get(key))
        case ("restore", key, change):
            return buffer.restore(key, change)
    raise AssertionError(step)


def seen(buffer: Any) -> tuple[int, int, int]:
    return buffer.first_time(), buffer.count(), buffer.size()


keys = st.sampled_from([b"", b"a", b"aa", b"b", b"\x00", b"\xff", b"c" * 40])
times = st.integers(0, 6) | st.just(LONG_MAX)
values = st.none() | st.sampled_from([b"", b"x", b"y" * 30])
headers = st.none() | st.builds(
    lambda pairs: Headers().add("h", None).add("i", b"1") if pairs else None, st.booleans()
)
contexts = st.builds(
    RecordContext,
    st.none() | st.sampled_from(["in", "ö"]),
    st.integers(-1, 2),
    st.integers(-1, 9),
    times,
    headers,
)
changes = st.builds(BufferedChange, times, values, values, values, contexts)
steps = st.one_of(
    st.tuples(st.just("add"), times, keys, values, values, contexts),
    st.tuples(st.just("add"), times, keys, values, values, contexts),
    st.tuples(st.just("evict"), times | st.just(-1), st.integers(0, 3) | st.just(None)),
    st.tuples(st.just("get"), keys),
    st.tuples(st.just("restore"), keys, st.none() | changes),
    st.just(("commit",)),
    st.just(("reopen",)),
)


def check(
    buffer: type[SuppressionBuffer], host: Host, script: Sequence[Step], **limits: Any
) -> None:
    model, real = Model(), opened(buffer, host, **limits)
    for step in script:
        if step[0] in ("commit", "reopen"):
            real.flush()
            host.commit()
            if step[0] == "reopen":
                real.close()
                real = opened(buffer, host, **limits)
        else:
            assert carry_out(real, step) == carry_out(model, step), step
        assert seen(real) == seen(model), step


@pytest.fixture
def small_front(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few entries at hand that a handful is many."""
    monkeypatch.setattr(time_ordered, "_HEAD", 2)
    monkeypatch.setattr(time_ordered, "_LARGEST_HEAD", 2)
    monkeypatch.setattr(time_ordered, "_FEW", 1)


@pytest.mark.usefixtures("small_front")
@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(script=st.lists(steps, max_size=40))
def test_the_memory_buffer_does_what_the_model_does(script: list[Step]) -> None:
    check(MemoryBuffer, Host(), script)


@pytest.mark.usefixtures("small_front")
@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    script=st.lists(steps, max_size=40),
    records=st.sampled_from([0, 1, 2, 3, LONG_MAX]),
    size=st.sampled_from([0, 600, 1500, LONG_MAX]),
)
def test_the_spill_buffer_does_what_the_model_does_whatever_its_limits(
    script: list[Step], records: int, size: int
) -> None:
    check(SpillBuffer, Host(), script, max_records=records, max_bytes=size)


def test_the_spill_buffer_keeps_its_rest_in_any_durable_store(tmp_path: Path) -> None:
    host = Host(tmp_path)
    context = RecordContext("in", 0, 0, 0)
    script: list[Step] = [
        ("add", number * 7 % 50, b"%d" % (number * 13 % 90), None, b"v%d" % number, context)
        for number in range(400)
    ]
    script[200:200] = [("reopen",)]
    script += [("evict", 20, 5), ("commit",), ("get", b"1"), ("evict", LONG_MAX, None)]
    check(SpillBuffer, host, script, max_records=20)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["held-spilled"]
    host.close()


def test_nothing_goes_to_disk_while_everything_fits() -> None:
    host = Host()
    buffer = opened(SpillBuffer, host, max_records=10)
    for number in range(10):
        buffer.add(number, b"%d" % number, None, b"v", RecordContext("in", 0, 0, 0))
    assert list(host.copies) == ["held"]
    buffer.add(10, b"10", None, b"v", RecordContext("in", 0, 0, 0))
    assert list(host.copies) == ["held", "held-spilled"]


def test_a_memory_buffer_has_what_a_spill_buffer_before_it_put_on_disk() -> None:
    host, context = Host(), RecordContext("in", 0, 0, 0)
    before = opened(SpillBuffer, host, max_records=2)
    for time in range(10):
        before.add(time, b"%d" % time, None, b"v", context)
    before.flush()
    host.commit()
    buffer = opened(MemoryBuffer, host)
    buffer.add(10, b"x", None, b"v", context)
    assert buffer.count() == 11
    assert [key for key, _ in buffer.evict(10)] == [*(b"%d" % time for time in range(10)), b"x"]


def test_what_is_in_memory_stays_within_the_limit() -> None:
    host = Host()
    buffer = opened(SpillBuffer, host, max_bytes=100_000)
    for number in range(2_000):
        buffer.add(0, b"%d" % number, None, b"v" * 100, RecordContext("in", 0, 0, 0))
        if number % 100 == 0:
            buffer.flush()
            host.commit()
    buffer.flush()
    host.commit()
    kept = sum(len(key) + len(value) for key, value in host.copies["held"].scan(None, None))
    assert kept < 60_000
    assert buffer.count() == 2_000


@pytest.mark.parametrize("committed", [False, True])
def test_what_comes_and_leaves_within_a_batch_leaves_no_change(committed: bool) -> None:
    host, context = Host(), RecordContext("in", 0, 0, 0)
    buffer = opened(MemoryBuffer, host)
    buffer.add(1, b"before", None, b"v", context)
    if committed:
        buffer.flush()
        host.commit()
    for time in range(20):
        buffer.add(time, b"%d" % time, None, b"v", context)
    assert len(list(buffer.evict(20))) == 21
    buffer.flush()
    changed = host.copies["held"].changes().entries
    assert [key for key in changed if b"before" not in key] == [time_ordered.TOTALS] * committed


def test_headers_that_a_program_changes_later_are_kept_as_they_were() -> None:
    headers, empty = Headers().add("a", b"1"), Headers()
    buffer = opened(MemoryBuffer, Host())
    buffer.add(1, b"k", None, b"v", RecordContext("in", 0, 0, 0, headers))
    buffer.add(2, b"l", None, b"v", RecordContext("in", 0, 0, 0, empty))
    headers.remove("a")
    empty.add("b", b"2")
    kept = [list(change.context.headers()) for _, change in buffer.evict(2)]
    assert [[header.key() for header in each] for each in kept] == [["a"], []]


@given(change=changes)
def test_a_logged_entry_comes_back_as_it_was(change: BufferedChange) -> None:
    assert described(b"k", from_log(logged(change))) == described(b"k", change)


def test_an_entry_counts_for_what_kafka_estimates() -> None:
    headers = Headers().add("name", b"value").add("none", None)
    context = RecordContext("topic", 0, 0, 0, headers)
    change = BufferedChange(0, b"prior", b"old", b"new", context)
    coordinates = 8 + 8 + 4 + len("topic") + len("name") + len("value") + len("none")
    assert change.size(b"key") == 8 + 3 + 5 + 3 + 3 + coordinates
    assert change._replace(old=b"prior").size(b"key") == 8 + 3 + 5 + 3 + coordinates
