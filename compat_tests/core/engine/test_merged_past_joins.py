"""A stream that waits for a versioned table is joined in one run, with equal results."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.core.engine.test_merged_updates import Refused, Watching
from compat_tests.topology.running import add_in_parts, new_task, shown
from millstream import (
    Consumed,
    Joined,
    JsonSerde,
    KStream,
    Materialized,
    Produced,
    Serde,
    Serdes,
    Serializer,
    Stores,
    StreamsBuilder,
    Topology,
)
from millstream.core.engine.shortcuts import Shortcut
from millstream.core.engine.shortcuts.merged_updates import MergedUpdates
from millstream.core.handlers import LogAndContinueProcessingExceptionHandler
from millstream.topology.operators.past_join_run import PastJoinRun

TEXT = Serdes.String()
GRACE_MS, HISTORY_MS = 5, 20
STREAM, TABLE = "stream", "table"

Row = tuple[str, bytes | None, bytes | None, int]
"""Topic, key, value and timestamp."""


class Odd(Serializer[str]):
    """Refuses some values, and None."""

    def serialize(self, topic: str, data: str | None) -> bytes | None:
        assert data is not None
        if data.startswith("odd"):
            raise ValueError(f"{data} is odd")
        return data.encode()


ODD: Serde[Any] = Serdes.serdeFrom(Odd(), TEXT.deserializer())
JSON: Serde[Any] = JsonSerde()


def both(left: Any, right: str | None) -> str:
    """Fails for some, and changes what it is given where that can be changed."""
    if right == "bad":
        raise ValueError("a bad row")
    if isinstance(left, dict):
        left["seen"] = left.get("seen", 0) + 1
    return f"{left}+{right}"


def to_sink(joined: KStream[str, str]) -> None:
    """A sink that refuses some results."""
    joined.mapValues(lambda text: "odd" if text == "x+x" else text).to(
        "out", Produced.with_(TEXT, ODD)
    )


def to_many(joined: KStream[str, str]) -> None:
    """Several children."""
    joined.filter(lambda _key, text: "22" in text).to("some", Produced.with_(TEXT, TEXT))
    joined.flatMapValues(lambda text: [text, text]).to("out", Produced.with_(TEXT, TEXT))


def to_watched(joined: KStream[str, str]) -> None:
    """A processor that sees stream time."""
    watching: Any = Watching
    joined.process(watching).to("out", Produced.with_(TEXT, Serdes.Long()))


def to_nothing(joined: KStream[str, str]) -> None:
    """No sink at all."""
    del joined


def program(
    below: Callable[[KStream[str, str]], None] = to_sink,
    *,
    left: bool = False,
    values: Serde[Any] = TEXT,
    table_values: Serde[Any] = TEXT,
    told: bool = False,
    derived: bool = False,
) -> Topology:
    """A stream joined with a table, or one ``derived`` from it; its updates may be ``told``."""
    history = Stores.persistentVersionedKeyValueStore("rows", HISTORY_MS, 5)
    kept: Materialized[str, str, Any] = Materialized.as_(history)
    builder = StreamsBuilder()
    read = Consumed.with_(TEXT, table_values)
    table = builder.table(TABLE, read, kept.withKeySerde(TEXT).withValueSerde(table_values))
    if told:
        table.toStream().to("updates", Produced.with_(TEXT, TEXT))
    if derived:
        table = table.mapValues(lambda value: value * 2)
    waits = Joined.with_(TEXT, values, table_values).withGracePeriod(GRACE_MS)
    stream: KStream[str, Any] = builder.stream(STREAM, Consumed.with_(TEXT, TEXT))
    if values is JSON:
        stream = stream.mapValues(lambda value: {"value": value})
    below((stream.leftJoin if left else stream.join)(table, both, waits))
    return builder.build()


def run(
    topology: Topology,
    batches: Sequence[Sequence[Row]],
    *,
    by_chunks: bool = True,
    shortcuts: Collection[type[Shortcut]] = (MergedUpdates,),
    without: tuple[str, ...] = (),
) -> Any:
    """Return what is sent, kept, measured and saved; ``without`` some measurements."""
    config = {
        "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
        "production.exception.handler": Refused,
        "errors.dead.letter.queue.topic.name": "dead",
    }
    task, host = new_task(topology.plan(), config, by_chunks=by_chunks, shortcuts=shortcuts)
    offsets = dict.fromkeys((STREAM, TABLE), 0)
    kept, snapshots = [], []
    for batch in batches:
        add_in_parts(task, batch, offsets)
        task.run()
        task.commit()
        snapshots.append(task.snapshot())
        kept.append({name: _entries(host, name) for name in task.stores})
    measured = sorted(
        (repr(name), repr(each.metricValue()))
        for name, each in task.metrics.asMap().items()
        # Dead letters have a stack trace; and a run has the age of records that fail, too.
        if name.name() != "bytes-produced-total" and not name.name().startswith(without)
    )
    task.close()
    return [shown(each) for each in host.sent], snapshots, kept, measured


def _entries(host: Any, name: str) -> list[Any]:
    return list(host._copies[name].scan(None, None))


FAILING_ROWS = program(table_values=ODD)

rows = st.tuples(
    st.sampled_from([STREAM, TABLE]),
    st.sampled_from([b"a", b"a", b"b", b"\xff", None]),
    st.sampled_from([b"x", b"22", b"odd", b"bad", b"last", None]),
    st.integers(0, 40),
)
batches = st.lists(st.lists(rows, max_size=30), max_size=3)
"""Times that go back and forth."""
in_order = batches.map(
    lambda many: [
        [(*row[:3], 12 * place + number) for number, row in enumerate(each)]
        for place, each in enumerate(many)
    ]
)


@pytest.mark.parametrize(
    "topology",
    [
        program(),
        program(left=True),
        program(to_many, left=True),
        program(to_watched),
        program(to_nothing),
        program(values=ODD),
        program(left=True, values=JSON),
        FAILING_ROWS,
        program(told=True),
        program(derived=True),
    ],
    ids=["inner", "left", "many", "watched", "nothing", "odd", "json", "rows", "told", "derived"],
)
@settings(max_examples=80, deadline=None)
@given(batches=batches | in_order)
def test_the_results_are_those_without_the_shortcut_and_of_single_records(
    topology: Topology, batches: list[list[Row]]
) -> None:
    without = ("record-e2e",) if topology is FAILING_ROWS else ()

    taken = run(topology, batches, without=without)

    assert taken == run(topology, batches, shortcuts=(), without=without)
    assert taken == run(topology, batches, by_chunks=False, without=without)


@pytest.mark.parametrize(
    ("topology", "runs"),
    [
        (program(), [100, 50]),
        (program(left=True), [100, 50]),
        (program(to_many), []),
        (program(values=JSON), []),
        (program(derived=True), [50]),
        (program(to_watched), []),
    ],
)
def test_topics_that_take_turns_are_joined_in_one_run_and_so_is_the_stream_alone(
    topology: Topology, runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    plain = PastJoinRun._each

    def noted(self: PastJoinRun, order: Sequence[int], take: Any) -> None:
        seen.append(len(order))
        plain(self, order, take)

    monkeypatch.setattr(PastJoinRun, "_each", noted)
    batch = [(TABLE if n % 2 else STREAM, b"k%d" % (n % 7), b"value", n) for n in range(100)]

    run(topology, [batch])
    run(topology, [[row for row in batch if row[0] == STREAM]])

    assert seen == runs


@pytest.mark.parametrize("by_chunks", [True, False])
def test_a_version_that_comes_too_late_is_told_with_its_record(
    by_chunks: bool, caplog: pytest.LogCaptureFixture
) -> None:
    late = [(TABLE, b"a", b"x", 100), (TABLE, b"a", b"x", 10)]
    waiting = [(STREAM, b"a", b"x", 100 + n) for n in range(3)]

    with caplog.at_level(logging.WARNING, "millstream"):
        run(program(), [[*late, *waiting]], by_chunks=by_chunks)

    messages = [each.getMessage() for each in caplog.records]
    (told,) = [each for each in messages if "its window has expired" in each]
    assert "topic=table partition=0 offset=1" in told
