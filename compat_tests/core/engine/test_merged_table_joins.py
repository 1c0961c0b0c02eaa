"""Two tables that are joined without caches are processed in one run, with equal results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.core.engine.test_merged_past_joins import ODD
from compat_tests.core.engine.test_merged_updates import Refused, Watching
from compat_tests.topology.running import add_in_parts, new_task, shown
from millstream import (
    Consumed,
    JsonSerde,
    KTable,
    Materialized,
    Produced,
    Serde,
    Serdes,
    StreamsBuilder,
    Topology,
)
from millstream.core.chunk import RawChunk
from millstream.core.engine.shortcuts import SHORTCUTS, Shortcut
from millstream.core.engine.shortcuts.merged_updates import MergedUpdates
from millstream.core.handlers import LogAndContinueProcessingExceptionHandler
from millstream.topology.operators.table_join_run import TableJoinRun

TEXT = Serdes.String()
LEFT, RIGHT = "left", "right"
TO_TEXT = Produced.with_(TEXT, TEXT)

Row = tuple[str, bytes | None, bytes | None, int]
"""Topic, key, value and timestamp."""


def both(left: Any, right: Any) -> str | None:
    """Fails for some, and gives nothing for others."""
    if isinstance(left, dict):
        left["seen"] = left.get("seen", 0) + 1
    if right == "bad":
        raise ValueError("a bad row")
    return None if left == "none" else f"{left}+{right}"


def to_sink(joined: KTable[str, str]) -> None:
    """A sink that refuses some results."""
    joined.toStream().mapValues(lambda text: "odd" if text == "x+x" else text).to(
        "out", Produced.with_(TEXT, ODD)
    )


def to_filter(joined: KTable[str, str]) -> None:
    """A filtered table, which asks for old values."""
    joined.filter(lambda _key, text: "22" not in text).toStream().to("out", TO_TEXT)


def to_many(joined: KTable[str, str]) -> None:
    """Several children."""
    stream = joined.toStream()
    stream.filter(lambda _key, text: text is not None).to("some", TO_TEXT)
    stream.flatMapValues(lambda text: [text, text]).to("out", TO_TEXT)


def to_store(joined: KTable[str, str]) -> None:
    """A table with a store."""
    kept: Materialized[str, str, Any] = Materialized.as_("kept")
    table = joined.mapValues(lambda text: text + "!", kept.withKeySerde(TEXT).withValueSerde(TEXT))
    table.toStream().to("out", TO_TEXT)


def to_watched(joined: KTable[str, str]) -> None:
    """A processor that sees stream time."""
    watching: Any = Watching
    joined.toStream().process(watching).to("out", Produced.with_(TEXT, Serdes.Long()))


def program(
    below: Callable[[KTable[str, str]], None] = to_sink,
    *,
    kind: str = "join",
    values: Serde[Any] = TEXT,
    kept: Serde[Any] | None = None,
    keys: Serde[Any] = TEXT,
    told: bool = False,
    derived: bool = False,
    stored: bool = False,
) -> Topology:
    """Two tables and their join; the right one may be ``told``, or one ``derived`` from it."""
    builder = StreamsBuilder()
    rows = Materialized.with_(TEXT, values if kept is None else kept)
    left = builder.table(LEFT, Consumed.with_(TEXT, values), rows)
    right = builder.table(RIGHT, Consumed.with_(TEXT, TEXT), Materialized.with_(keys, TEXT))
    if told:
        right.toStream().to("updates", TO_TEXT)
    if derived:
        right = right.mapValues(lambda value: value * 2)
    result: Materialized[str, str, Any] = Materialized.as_("result")
    store = (result.withKeySerde(TEXT).withValueSerde(TEXT),) if stored else ()
    below(getattr(left, kind)(right, both, *store))
    return builder.build()


def itself(kind: str = "join") -> Topology:
    """A table joined with itself."""
    builder = StreamsBuilder()
    rows = Materialized.with_(TEXT, TEXT)
    table = builder.table(LEFT, Consumed.with_(TEXT, TEXT), rows)
    to_sink(getattr(table, kind)(table, both))
    builder.stream(RIGHT, Consumed.with_(TEXT, TEXT)).to("seen", TO_TEXT)
    return builder.build()


def run(
    topology: Topology,
    batches: Sequence[Sequence[Row]],
    *,
    cache: int = 0,
    by_chunks: bool = True,
    shortcuts: Collection[type[Shortcut]] = (MergedUpdates,),
) -> Any:
    """Return what is sent, kept and measured."""
    config = {
        "statestore.cache.max.bytes": cache,
        "processing.exception.handler": LogAndContinueProcessingExceptionHandler,
        "production.exception.handler": Refused,
        "errors.dead.letter.queue.topic.name": "dead",
    }
    task, host = new_task(topology.plan(), config, by_chunks=by_chunks, shortcuts=shortcuts)
    offsets = dict.fromkeys((LEFT, RIGHT), 0)
    kept, snapshots = [], []
    for batch in batches:
        add_in_parts(task, batch, offsets)
        task.run()
        task.commit()
        snapshots.append(task.snapshot())
        kept.append({name: list(host._copies[name].scan(None, None)) for name in task.stores})
    measured = sorted(
        (repr(name), repr(each.metricValue()))
        for name, each in task.metrics.asMap().items()
        # Dead letters have a stack trace; and a run has the age of records that fail, too.
        if name.name() != "bytes-produced-total" and not name.name().startswith("record-e2e")
    )
    task.close()
    return [shown(each) for each in host.sent], snapshots, kept, measured


batches = st.lists(
    st.lists(
        st.tuples(
            st.sampled_from([LEFT, RIGHT]),
            st.sampled_from([b"a", b"a", b"b", b"\xff", None]),
            st.sampled_from([b"x", b"22", b"odd", b"bad", b"none", None]),
            st.integers(0, 40),
        ),
        max_size=30,
    ),
    max_size=3,
)


def unwritable(topic: str, data: bytes | None) -> str | None:
    """Read text of which some cannot be written."""
    del topic
    return None if data is None else data.decode().replace("odd", "\ud800")


def an_object(topic: str, data: bytes | None) -> Any:
    """Read a value that can be changed."""
    del topic
    return None if data is None else {"text": data.decode()}


OBJECTS: Serde[Any] = Serdes.serdeFrom(JsonSerde().serializer(), an_object)
SURROGATES: Serde[Any] = Serdes.serdeFrom(TEXT.serializer(), unwritable)


PROGRAMS = {
    "inner": program(),
    "left": program(kind="leftJoin"),
    "outer": program(kind="outerJoin"),
    "filter": program(to_filter, kind="leftJoin"),
    "many": program(to_many, kind="outerJoin"),
    "store": program(to_store),
    "watched": program(to_watched),
    "odd": program(values=ODD, kind="outerJoin"),
    "unwritable": program(values=SURROGATES, kept=TEXT, kind="leftJoin"),
    "objects": program(to_filter, values=OBJECTS, kept=JsonSerde(), kind="leftJoin"),
    "told": program(told=True, kind="outerJoin"),
    "derived": program(derived=True, kind="outerJoin"),
    "stored": program(to_filter, stored=True, kind="outerJoin"),
    "itself": itself(),
    "itself, outer": itself("outerJoin"),
}


@pytest.mark.parametrize("topology", PROGRAMS.values(), ids=PROGRAMS)
@settings(max_examples=60, deadline=None)
@given(batches=batches, cache=st.sampled_from([0, 0, 700, 1 << 20]))
def test_the_results_are_those_without_the_shortcut_and_of_single_records(
    topology: Topology, batches: list[list[Row]], cache: int
) -> None:
    taken = run(topology, batches, cache=cache)

    assert taken == run(topology, batches, cache=cache, shortcuts=())
    assert taken == run(topology, batches, cache=cache, by_chunks=False)
    assert taken == run(topology, batches, cache=cache, shortcuts=SHORTCUTS)


@pytest.mark.parametrize(
    ("name", "cache", "runs"),
    [
        ("inner", 0, [100]),
        ("outer", 0, [100]),
        ("filter", 0, [100]),
        ("inner", 1 << 20, []),
        ("many", 0, [100]),
        ("store", 0, []),
        ("watched", 0, []),
        ("odd", 0, []),
        ("objects", 0, []),
        ("told", 0, []),
        ("derived", 0, []),
        ("stored", 0, []),
        ("itself", 0, []),
    ],
)
def test_topics_that_take_turns_are_joined_in_one_run(
    name: str, cache: int, runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    plain = TableJoinRun.process

    def noted(self: TableJoinRun, order: Sequence[int]) -> None:
        seen.append(len(order))
        plain(self, order)

    monkeypatch.setattr(TableJoinRun, "process", noted)
    batch = [(RIGHT if n % 2 else LEFT, b"k%d" % (n % 7), b"value", n) for n in range(100)]

    run(PROGRAMS[name], [batch], cache=cache)

    assert seen == runs


@pytest.mark.parametrize("kind", ["join", "leftJoin", "outerJoin"])
@settings(max_examples=60, deadline=None)
@given(batches=batches, cache=st.integers(150, 500))
def test_a_cache_that_is_almost_full_drops_the_same_rows_at_the_same_time(
    kind: str, batches: list[list[Row]], cache: int
) -> None:
    topology = program(to_filter, kind=kind, stored=True)

    taken = run(topology, batches, cache=cache, shortcuts=SHORTCUTS)

    assert taken == run(topology, batches, cache=cache, shortcuts=(), by_chunks=False)


@pytest.mark.parametrize("by_chunks", [True, False])
def test_a_run_of_text_counts_as_much_in_a_cache_as_its_records(*, by_chunks: bool) -> None:
    task, _ = new_task(
        PROGRAMS["inner"].plan(), {"statestore.cache.max.bytes": 1 << 20}, by_chunks=by_chunks
    )
    keys: list[bytes | None] = [b"k%d" % (n % 10) for n in range(40)]

    task.add(RawChunk(LEFT, 0, range(40), range(40), keys, [b"x" * 1000] * 40, None))
    task.run()

    # A key, three references, a flag, the context with the topic's name, the time, the value.
    assert task.cache.used == 10 * (2 + 25 + 20 + len(LEFT) + 8 + 1000)
