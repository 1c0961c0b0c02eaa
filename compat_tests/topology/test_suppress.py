"""``suppress``: limits, buffers, and that chunks and restarts cannot be seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.topology.running import KEYS, BatchHost, Event, new_task, raw_chunk, run
from millstream import (
    BufferConfig,
    ClassCastException,
    Consumed,
    Grouped,
    IllegalArgumentException,
    KTable,
    LogAndContinueProcessingExceptionHandler,
    Materialized,
    NullPointerException,
    Produced,
    Serdes,
    StreamsBuilder,
    StreamsException,
    Suppressed,
    TimeWindows,
    Topology,
    TopologyException,
)
from millstream.core.buffers import BufferedChange, BufferSettings, SuppressionBuffer
from millstream.core.durations import LONG_MAX
from millstream.core.errors import PluginError
from millstream.core.record_context import RecordContext
from millstream.core.state.logged_rows import Logged
from millstream.core.working_copy import WorkingCopy
from millstream.plugins import hookimpl
from millstream.plugins.registry import registered
from millstream.testing import TopologyTestDriver
from millstream.topology.operators.suppress import SuppressTable

TEXT = Serdes.String()
LONG = Serdes.Long()

CONFIG = {
    "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
    "default.key.serde": TEXT,
    "default.value.serde": TEXT,
}


def boom(value: str) -> str:
    if "!" in value:
        raise ValueError(value)
    return value + "+"


def text_of(value: Any) -> Any:
    return None if value is None else str(value)


RULES: dict[str, Suppressed[Any]] = {
    "at once": Suppressed.untilTimeLimit(0, BufferConfig.unbounded()),
    "later": Suppressed.untilTimeLimit(15, BufferConfig.unbounded()),
    "never": Suppressed.untilTimeLimit(None, BufferConfig.unbounded()),
    "one record": Suppressed.untilTimeLimit(15, BufferConfig.maxRecords(1)),
    "some bytes": Suppressed.untilTimeLimit(15, BufferConfig.maxBytes(100)),
    "or fail": Suppressed.untilTimeLimit(15, BufferConfig.maxRecords(2).shutDownWhenFull()),
    "or disk": Suppressed.untilTimeLimit(15, BufferConfig.maxRecords(1).spillToDiskWhenFull()),
}
BELOW: dict[str, Callable[[KTable[Any, Any]], KTable[Any, Any]]] = {
    "nothing": lambda t: t,
    "failing": lambda t: t.mapValues(boom),
    "joined": lambda t: t.outerJoin(t.mapValues(lambda v: v + "'"), lambda a, b: f"{a}|{b}"),
    "suppressed": lambda t: t.suppress(RULES["one record"]),
    "kept": lambda t: t.filter(lambda k, v: len(v) > 1, Materialized.as_("kept")),
    "regrouped": lambda t: t.groupBy(lambda k, v: (v, v), Grouped.with_(TEXT, TEXT)).reduce(
        lambda a, b: f"{a}{b}", lambda a, b: f"{a}-{b}"
    ),
}

events = st.lists(
    st.builds(
        Event,
        key=st.sampled_from([None, *KEYS]),
        value=st.sampled_from([None, "x", "yy", "z!", "w"]),
        timestamp=st.integers(0, 60),
        header=st.sampled_from([None, None, b"h"]),
        commit=st.sampled_from([False, False, False, True]),
    ),
    max_size=40,
)


def suppressed_rows(rule: Suppressed[Any], below: str = "nothing") -> Topology:
    builder = StreamsBuilder()
    table = builder.table("in", Consumed.with_(TEXT, TEXT), Materialized.as_("rows"))
    shown = BELOW[below](table.suppress(rule)).toStream()
    shown.to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


def final_counts(config: Any, windows: Any = None) -> Topology:
    builder = StreamsBuilder()
    windowed = (
        builder.stream("in", Consumed.with_(TEXT, TEXT))
        .groupByKey(Grouped.with_(TEXT, TEXT))
        .windowedBy(windows or TimeWindows.ofSizeAndGrace(10, 5).advanceBy(5))
    )
    table = windowed.count(Materialized.as_("counts"))
    shown = table.suppress(Suppressed.untilWindowCloses(config)).toStream(lambda k, v: str(k))
    shown.mapValues(text_of).to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


@given(
    st.sampled_from(sorted(RULES)),
    st.sampled_from(sorted(BELOW)),
    st.sampled_from([0, 400, 100_000]),
    events,
)
@settings(max_examples=300, deadline=None)
def test_suppressed_rows_are_the_same_by_chunks(
    rule: str, below: str, cache_bytes: int, given: list[Event]
) -> None:
    plan = suppressed_rows(RULES[rule], below).plan()
    config = CONFIG | {"statestore.cache.max.bytes": cache_bytes}
    assert run(plan, config, given, by_chunks=True) == run(plan, config, given, by_chunks=False)


@given(st.booleans(), st.sampled_from([0, 400, 100_000]), events)
@settings(max_examples=150, deadline=None)
def test_final_results_are_the_same_by_chunks(
    spills: bool, cache_bytes: int, given: list[Event]
) -> None:
    buffer: Any = BufferConfig.unbounded()
    plan = final_counts(
        BufferConfig.maxRecords(1).spillToDiskWhenFull() if spills else buffer
    ).plan()
    config = CONFIG | {"statestore.cache.max.bytes": cache_bytes}
    assert run(plan, config, given, by_chunks=True) == run(plan, config, given, by_chunks=False)


def sent_in_parts(plan: Any, parts: list[list[Event]], *, anew: bool) -> list[Any]:
    """What a task, or a new one for each part, sends."""
    kept: dict[str, WorkingCopy] = {}
    task, host = new_task(plan, CONFIG, kept=kept)
    sent, offset = [], 0
    for part in parts:
        if anew:
            snapshot = task.snapshot()
            kept.update(host._copies)
            task, host = new_task(plan, CONFIG, kept=kept)
            task.restore(snapshot)
        task.add(raw_chunk(part, offset))
        offset += len(part)
        task.run()
        task.commit()
        for copy in {**kept, **host._copies}.values():
            copy.apply(b"")
        sent += host.sent
        host.sent = []
    return sent


@given(st.sampled_from(["later", "one record", "or disk"]), st.integers(0, 40), events)
@settings(max_examples=150, deadline=None)
def test_a_task_that_takes_over_goes_on_where_the_other_stopped(
    rule: str, stop: int, given: list[Event]
) -> None:
    plan = suppressed_rows(RULES[rule]).plan()
    parts = [given[: stop // 2], given[stop // 2 : stop], given[stop:]]
    assert sent_in_parts(plan, parts, anew=True) == sent_in_parts(plan, parts, anew=False)


def outputs(topology: Topology, rows: list[tuple[str, str | None, int]]) -> list[Any]:
    """Key, value and time of what comes out for each row."""
    found = []
    with TopologyTestDriver(topology, {"statestore.cache.max.bytes": 0}) as driver:
        given = driver.createInputTopic("in", TEXT.serializer(), TEXT.serializer())
        out = driver.createOutputTopic("out", TEXT.deserializer(), TEXT.deserializer())
        for row in rows:
            given.pipeInput(*row)
            records = out.readRecordsToList()
            found.append([(each.key(), each.value(), each.timestamp()) for each in records])
    return found


def test_a_buffer_that_spills_gives_the_final_results_of_one_in_memory() -> None:
    rows: list[tuple[str, str | None, int]] = [
        (f"k{number * 7 % 23}", "v", number * 2) for number in range(200)
    ]
    in_memory = outputs(final_counts(BufferConfig.unbounded()), rows)
    spilled = BufferConfig.maxRecords(3).spillToDiskWhenFull()
    assert outputs(final_counts(spilled), rows) == in_memory
    assert sum(map(len, in_memory)) > 100


def test_a_spilling_buffer_without_limits_never_spills() -> None:
    config = BufferConfig.unbounded().spillToDiskWhenFull()
    rows: list[tuple[str, str | None, int]] = [("a", "1", 0), ("b", "1", 30)]
    assert outputs(final_counts(config), rows) == [[], [("[a@0/10]", "1", 0)]]


class ListBuffer(SuppressionBuffer):
    """What a stranger may write: a dict, and nothing of the host's."""

    name = "list"

    def __init__(self) -> None:
        self.held: dict[bytes, BufferedChange] = {}

    @classmethod
    def open(cls, settings: BufferSettings) -> ListBuffer:
        return cls()

    def add(
        self, time: int, key: bytes, old: bytes | None, new: bytes | None, context: RecordContext
    ) -> None:
        first = self.held.get(key, BufferedChange(time, old, old, new, context))
        self.held[key] = first._replace(old=old, new=new, context=context)

    def get(self, key: bytes) -> BufferedChange | None:
        return self.held.get(key)

    def evict(self, until: int) -> Iterator[tuple[bytes, BufferedChange]]:
        for key in sorted(self.held, key=lambda key: (self.held[key].time, key)):
            if self.held[key].time <= until:
                yield key, self.held.pop(key)

    def restore(self, key: bytes, change: BufferedChange | None) -> None:
        self.held.pop(key, None)
        if change is not None:
            self.held[key] = change

    def first_time(self) -> int:
        return min((change.time for change in self.held.values()), default=LONG_MAX)

    def count(self) -> int:
        return len(self.held)

    def size(self) -> int:
        return sum(change.size(key) for key, change in self.held.items())


class Plugin:
    @hookimpl
    def millstream_register_buffers(self) -> list[type[SuppressionBuffer]]:
        return [ListBuffer]


@pytest.fixture
def list_buffer() -> Iterator[str]:
    with registered(Plugin()):
        yield "list"


def test_a_strangers_buffer_is_chosen_by_name(list_buffer: str) -> None:
    rows: list[tuple[str, str | None, int]] = [
        (f"k{number * 7 % 5}", "v", number) for number in range(60)
    ]
    own = final_counts(BufferConfig.unbounded().withBuffer(list_buffer))
    assert outputs(own, rows) == outputs(final_counts(BufferConfig.unbounded()), rows)


class LoggingHost(BatchHost):
    """Keeps what a store logs, and gives it back to the next one, as Spark's host does."""

    log: ClassVar[dict[bytes, bytes]] = {}

    def logs_changes(self, store: str) -> bool:
        return store.endswith("-store")

    def log_change(
        self, store: str, key: bytes, value: bytes | None, timestamp: int, headers: Any
    ) -> None:
        self.log.pop(key, None)
        if value is not None:
            self.log[key] = value

    def logged(self, store: str) -> Any:
        return [(key, Logged(value, 0, None)) for key, value in self.log.items()]


def test_a_buffer_that_does_not_recover_by_itself_gets_back_what_it_logged(
    list_buffer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("compat_tests.topology.running.BatchHost", LoggingHost)
    monkeypatch.setattr(LoggingHost, "log", {})
    config = BufferConfig.unbounded().withBuffer(list_buffer)
    plan = suppressed_rows(Suppressed.untilTimeLimit(5, config).withName("held")).plan()
    parts = [
        [Event("a", "1", 0), Event("b", "2", 1), Event("a", "3", 2, header=b"h")],
        [Event("c", "4", 6)],
        [Event("d", "5", 20)],
    ]
    sent = [each for each in sent_in_parts(plan, parts, anew=True) if each.topic == "out"]
    assert [(each.key, each.value, each.timestamp) for each in sent] == [
        (b"b", b"2", 1),
        (b"a", b"3", 2),
        (b"c", b"4", 6),
    ]
    assert [header.value() for header in sent[1].headers or ()] == [b"h"]
    assert list(LoggingHost.log) == [b"d"]


def test_a_buffer_that_is_not_installed_is_refused() -> None:
    with pytest.raises(PluginError, match='offers a suppression buffer named "memry"'):
        final_counts(BufferConfig.unbounded().withBuffer("memry"))


def test_a_buffer_that_cannot_spill_is_refused() -> None:
    config = BufferConfig.maxRecords(1).spillToDiskWhenFull().withBuffer("memory")
    with pytest.raises(IllegalArgumentException, match='"memory" cannot spill to disk'):
        final_counts(config)


def test_a_full_buffer_that_must_not_emit_early_says_what_it_holds() -> None:
    rule = Suppressed.untilTimeLimit(100, BufferConfig.maxRecords(1).shutDownWhenFull())
    with pytest.raises(StreamsException) as failure:
        outputs(suppressed_rows(rule.withName("held")), [("a", "1", 0), ("b", "2", 1)])
    causes = str(failure.value), str(failure.value.__cause__)
    # Kafka Streams' own words, of which programs' tests ask for a part.
    said = "held buffer exceeded its max capacity. Currently [2/1] records and "
    assert any(said in text for text in causes), causes


def test_suppress_takes_only_its_own_option() -> None:
    table = StreamsBuilder().table("in", Consumed.with_(TEXT, TEXT))
    with pytest.raises(NullPointerException, match="suppressed can't be null"):
        table.suppress(None)  # type: ignore[arg-type]
    with pytest.raises(IllegalArgumentException, match="does not take a str"):
        table.suppress("later")  # type: ignore[arg-type]
    with pytest.raises(ClassCastException, match="does not take a buffer that emits early"):
        Suppressed.untilWindowCloses(BufferConfig.maxRecords(1))  # type: ignore[arg-type]
    with pytest.raises(TopologyException) as failure:
        table.suppress(Suppressed.untilWindowCloses(BufferConfig.unbounded()))
    assert "Got [root->KTABLE-SOURCE-0000000002]" in str(failure.value)


def test_what_closes_while_the_cache_is_flushed_goes_out_by_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refused(self: Any, evicted: Any) -> None:
        raise AssertionError("one by one")

    plan = final_counts(BufferConfig.unbounded()).plan()
    config = CONFIG | {"statestore.cache.max.bytes": 400}
    given = [Event(f"k{number % 7}", "v", number) for number in range(200)]
    expected = run(plan, config, given, by_chunks=False)
    monkeypatch.setattr(SuppressTable, "_forward_each", refused)

    assert run(plan, config, given, by_chunks=True) == expected
    assert len(expected) > 100


def test_an_update_that_cannot_be_read_takes_no_other_with_it() -> None:
    class Refusing(type(TEXT.deserializer())):  # type: ignore[misc]
        def deserialize(self, topic: str, data: bytes | None) -> str | None:
            if data == b"bad":
                raise ValueError(data)
            return None if data is None else data.decode()

    builder = StreamsBuilder()
    serde = Serdes.serdeFrom(TEXT.serializer(), Refusing())
    read = builder.stream("in", Consumed.with_(TEXT, TEXT))
    table = read.toTable(Materialized.with_(TEXT, serde))
    shown = table.suppress(RULES["later"]).toStream()
    shown.to("out", Produced.with_(TEXT, TEXT))
    task, host = new_task(builder.build().plan(), CONFIG | {"statestore.cache.max.bytes": 0})
    values = ["1", "2", "bad", "4", "5"]
    given = [Event(f"k{number}", value, number) for number, value in enumerate(values)]

    task.add(raw_chunk([*given, Event("z", "6", 30), Event("z", "7", 31)], 0))
    task.run()

    assert [each.value for each in host.sent] == [b"1", b"2", b"4", b"5"]
