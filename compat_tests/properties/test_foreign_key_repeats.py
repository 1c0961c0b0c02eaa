"""What a foreign-key join leaves out where two rows that belong together change in one batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat_tests.conformance.hosts import DriverHost, RawRecord
from compat_tests.conformance.replay import build, scenario_config
from compat_tests.properties.effort import examples
from compat_tests.properties.line import LineOfTasks
from millstream.core.engine.output import Sent
from millstream.topology.operators.repeated_answers import RepeatedAnswers

Json = dict[str, Any]
Row = tuple[str, str, str | None]
"""Topic, key and value."""
Result = tuple[bytes, bytes | None, int]
"""Key, value and time."""

TEXT = {"key": "string", "value": "string"}
CACHE = 1 << 20
AROUND = 3
"""So many more batches take what a batch sent around the circle."""


def scenario(*, how: str, right: str, right_first: bool, cache: int) -> Json:
    """A foreign-key join of tables "l" and "r"; the foreign key is what is before the comma."""
    kept = {"store": "right", **TEXT} | (
        {"historyRetention": 10_000} if right == "versioned" else {}
    )
    tables: list[Json] = [
        {"id": "l", "op": "table", "topic": "l", "materialized": {"store": "left", **TEXT}},
        {"id": "r", "op": "table", "topic": "r", "materialized": kept},
    ]
    derived: list[Json] = [{"id": "f", "op": "filter", "from": ["r"], "pred": ["not", ["is", "x"]]}]
    joined = "f" if right == "filtered" else "r"
    topology = [{**table, **TEXT} for table in (tables[::-1] if right_first else tables)]
    topology += derived if right == "filtered" else []
    topology += [
        {
            "id": "j",
            "op": "join",
            "from": ["l", joined],
            "how": how,
            "fn": "pair",
            "fk": ["field", 0],
        },
        {"id": "s", "op": "toStream", "from": ["j"]},
        {"op": "to", "from": ["s"], "topic": "out", **TEXT},
    ]
    return {
        "config": {"statestore.cache.max.bytes": cache},
        "topics": dict.fromkeys(("l", "r", "out"), ["string", "string"]),
        "topology": topology,
        "events": [],
    }


def in_batches(
    program: Json, batches: Sequence[Sequence[Row]], *, fails: bool = False
) -> list[Result]:
    """What Spark's stages send, each batch going all the way round before the next one."""
    found: list[Result] = []
    with LineOfTasks(program) as line:
        number = 0
        for sent in timed(batches):
            for rows in (sent, *[[]] * AROUND):
                number += 1
                if fails:
                    line.fail(rows, number, 0, 1)
                line.batch(rows, number, 0)
                found += [(key, value, time) for key, value, time, _ in last(line)]
    return found


def last(line: LineOfTasks) -> list[Any]:
    return line.seen.batches[-1].get("out", [])


def on_the_driver(program: Json, batches: Sequence[Sequence[Row]]) -> list[Result]:
    """What the test driver sends, which commits after every record."""
    config = scenario_config(program)
    host = DriverHost()
    try:
        host.start(build(program, config), config, 0)
        for record in (record for sent in timed(batches) for record in sent):
            host.pipe(
                RawRecord(
                    topic=record.topic,
                    key=record.key,
                    value=record.value,
                    timestamp=record.timestamp,
                )
            )
        out = [record for record in host.produced() if record.topic == "out"]
        return [(bytes(each.key or b""), each.value, each.timestamp) for each in out]
    finally:
        host.close()


def timed(batches: Sequence[Sequence[Row]]) -> Iterator[list[Sent]]:
    """The rows as records, each a millisecond later than the one before."""
    time = 0
    for batch in batches:
        sent = []
        for topic, key, value in batch:
            time += 1
            data = None if value is None else value.encode()
            sent.append(Sent(topic, key.encode(), data, time, None))
        yield sent


@contextmanager
def nothing_left_out() -> Iterator[None]:
    with patch.object(RepeatedAnswers, "__call__", lambda *_: False):
        yield


def by_key(results: Sequence[Result]) -> dict[bytes, list[bytes | None]]:
    """The values of each key."""
    found: dict[bytes, list[bytes | None]] = {}
    for key, value, _ in results:
        found.setdefault(key, []).append(value)
    return found


def squeezed(values: Sequence[bytes | None]) -> list[bytes | None]:
    """The values without those that repeat the one before."""
    return [value for at, value in enumerate(values) if at == 0 or value != values[at - 1]]


def repeats(results: Sequence[Result]) -> int:
    """How many results repeat the one before of the same key."""
    return sum(len(each) - len(squeezed(each)) for each in by_key(results).values())


def is_part(some: Sequence[bytes | None], whole: Sequence[bytes | None]) -> bool:
    """Whether values are among others, in the same order."""
    rest = iter(whole)
    return all(value in rest for value in some)


def rows(results: Sequence[Result]) -> dict[bytes, bytes]:
    """The table that the results leave."""
    found = {key: value for key, value, _ in results}
    return {key: value for key, value in found.items() if value is not None}


lefts = st.tuples(
    st.just("l"),
    st.sampled_from(["k1", "k2", "k3"]),
    st.sampled_from(["a,1", "a,2", "b,1", "b,2", None]),
)
rights = st.tuples(st.just("r"), st.sampled_from("ab"), st.sampled_from(["x", "y", "z", None]))
batched = st.lists(st.lists(lefts | rights, max_size=12), max_size=4)
programs = st.builds(
    scenario,
    how=st.sampled_from(["inner", "left"]),
    right=st.sampled_from(["plain", "filtered", "versioned"]),
    right_first=st.booleans(),
    cache=st.sampled_from([CACHE, CACHE, 300, 0]),
)


@given(programs, batched)
@examples(40)
def test_only_results_that_repeat_the_one_before_are_left_out(
    program: Json, batches: list[list[Row]]
) -> None:
    found = in_batches(program, batches)
    with nothing_left_out():
        everything = in_batches(program, batches)

    assert repeats(found) <= repeats(everything)
    squeezed_all = {key: squeezed(values) for key, values in by_key(everything).items()}
    assert {key: squeezed(values) for key, values in by_key(found).items()} == squeezed_all
    if not program["config"]["statestore.cache.max.bytes"]:
        assert found == everything


@given(programs, batched)
@examples(40)
def test_results_are_some_of_the_drivers_and_end_with_the_same_rows(
    program: Json, batches: list[list[Row]]
) -> None:
    found, piped = in_batches(program, batches), on_the_driver(program, batches)
    shown = by_key(piped)
    for key, values in by_key(found).items():
        assert is_part(squeezed(values), shown[key])
    if each_right_row_once(batches) or not program["config"]["statestore.cache.max.bytes"]:
        assert rows(found) == rows(piped)


def each_right_row_once(batches: Sequence[Sequence[Row]]) -> bool:
    """Whether no batch has two updates of a right row.

    What a cache is told to add and to delete again before it is flushed goes nowhere, here and in
    Kafka Streams, even if a subscription was answered with it in between.
    """
    for batch in batches:
        keys = [key for topic, key, _ in batch if topic == "r"]
        if len(set(keys)) < len(keys):
            return False
    return True


@given(programs, batched)
@examples(20)
def test_batches_of_one_record_give_what_the_driver_gives(
    program: Json, batches: list[list[Row]]
) -> None:
    single = [[row] for batch in batches for row in batch]
    assert in_batches(program, single) == on_the_driver(program, single)


@given(programs, batched)
@examples(10)
def test_a_repeated_batch_leaves_out_the_same(program: Json, batches: list[list[Row]]) -> None:
    assert in_batches(program, batches, fails=True) == in_batches(program, batches)


@pytest.mark.parametrize("how", ["inner", "left"])
@pytest.mark.parametrize("value", ["y", None])
def test_a_left_row_that_changes_with_its_right_row_has_one_result(
    how: str, value: str | None
) -> None:
    program = scenario(how=how, right="plain", right_first=False, cache=CACHE)
    before: list[Row] = [("r", "a", "x"), ("l", "k1", "a,1"), ("l", "k2", "a,1")]
    both: list[Row] = [("r", "a", value), ("l", "k1", "a,2"), ("l", "k3", "a,3")]
    batches = [before[:1], before[1:], both]

    found = by_key(in_batches(program, batches))
    with nothing_left_out():
        everything = by_key(in_batches(program, batches))

    changed = {key: squeezed(values) for key, values in everything.items()}
    assert found == changed
    assert found[b"k2"] == everything[b"k2"]
    assert len(found[b"k2"]) == 2
    if value is not None:
        assert {key: len(values) for key, values in everything.items()} == {
            b"k1": 3,
            b"k2": 2,
            b"k3": 2,
        }


def test_a_right_row_that_is_written_again_without_a_cache_is_answered_again() -> None:
    program = scenario(how="inner", right="plain", right_first=False, cache=0)
    batch: list[Row] = [("r", "a", "x"), ("l", "k1", "a,1"), ("r", "a", "x"), ("r", "a", "x")]

    assert in_batches(program, [batch]) == on_the_driver(program, [batch])
    assert repeats(in_batches(program, [batch])) == 2
