"""Left and outer joins release unmatched records as Kafka's loop over all of them does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat_tests.core.engine.test_join_merger import (
    BELOW,
    MEMORY,
    ROWS,
    SKIPS,
    TEXT,
    TOPICS,
    Row,
    run,
)
from millstream import Consumed, JoinWindows, Produced, StreamJoined, StreamsBuilder, Topology
from millstream.core.sorted_map import SortedMap
from millstream.topology.operators.stream_join import JoinStreams
from millstream.topology.operators.unmatched import UnmatchedRecord, UnmatchedRecords

WINDOWS = st.sampled_from(
    [
        JoinWindows.ofTimeDifferenceAndGrace(3, 0),
        JoinWindows.ofTimeDifferenceAndGrace(3, 5),
        JoinWindows.ofTimeDifferenceAndGrace(0, 0),
        JoinWindows.ofTimeDifferenceAndGrace(0, 2).after(9),
        JoinWindows.ofTimeDifferenceAndGrace(0, 2).before(9),
        JoinWindows.ofTimeDifferenceAndGrace(70_000, 10_000),
    ]
)


@dataclass(frozen=True)
class Case:
    """Windows, batches, and how they are run."""

    windows: JoinWindows
    config: dict[str, Any]
    batches: list[list[Row]]
    restarts: bool

    def run(self, topology: Topology, **options: Any) -> list[Any]:
        """Return what a run of these batches shows."""
        return run(topology, self.config, self.batches, restarts=self.restarts, **options)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    batches = draw(st.lists(st.lists(ROWS, max_size=40), max_size=4))
    if draw(st.booleans()):
        batches = [sorted(batch, key=lambda row: row[3]) for batch in batches]
    config: dict[str, Any] = draw(st.sampled_from([SKIPS, {**SKIPS, **MEMORY}]))
    return Case(draw(WINDOWS), config, batches, draw(st.booleans()))


def joined(left: str | None, right: str | None) -> str:
    if left == "bad" and right in {None, "22"}:
        raise ValueError(left)
    return f"{left}+{right}"


def program(kind: str, windows: JoinWindows, below: str = "nothing") -> Topology:
    builder = StreamsBuilder()
    left, right = (builder.stream(topic, Consumed.with_(TEXT, TEXT)) for topic in TOPICS)
    join = left.leftJoin if kind == "left" else left.outerJoin
    result = join(right, joined, windows, StreamJoined.with_(TEXT, TEXT, TEXT))
    BELOW[below](result).to("out", Produced.with_(TEXT, TEXT))
    return builder.build()


def _as_kafka(join: JoinStreams, unmatched: UnmatchedRecords) -> Iterator[UnmatchedRecord]:
    """The loop of ``KStreamKStreamJoin.emitNonJoinedOuterRecords``, over all that the store has."""
    still_open = [False, False]
    unmatched.first = b""
    for waiting in unmatched.records():
        unmatched.earliest = waiting.timestamp
        if all(still_open):
            break
        look_back = join._look_back[waiting.is_left]
        if waiting.timestamp + look_back + join._grace >= unmatched.stream_time:
            still_open[waiting.is_left] = True
        else:
            yield waiting


@pytest.mark.parametrize("kind", ["left", "outer"])
@settings(max_examples=80, deadline=None)
@given(cases())
def test_the_same_records_are_released_in_the_same_order(
    kind: str,
    case: Case,
) -> None:
    topology = program(kind, case.windows)

    found = case.run(topology, shortcuts=())

    with patch.object(JoinStreams, "_expired", _as_kafka):
        assert found == case.run(topology, shortcuts=())


def net(found: list[Any]) -> list[Any]:
    """Return what was found, without deletions of unmatched records that came in the same batch.

    A run does not write such a record at all.
    """
    return [_net_of(each) if isinstance(each, list) else each for each in found]


def _net_of(changes: list[Any]) -> list[Any]:
    return [
        (each[0], {key: value for key, value in each[1].items() if value is not None})
        if isinstance(each, tuple) and each and "SHARED" in str(each[0]).upper()
        else each
        for each in changes
    ]


@pytest.mark.parametrize("below", BELOW)
@pytest.mark.parametrize("kind", ["left", "outer"])
@settings(max_examples=60, deadline=None)
@given(cases())
def test_a_run_has_the_results_of_single_records(
    kind: str,
    below: str,
    case: Case,
) -> None:
    topology = program(kind, case.windows, below)

    found = net(case.run(topology))

    assert found == net(case.run(topology, shortcuts=()))
    assert found == net(case.run(topology, by_chunks=False))


@contextmanager
def counting_scans() -> Iterator[list[bytes]]:
    """Yield what gets all the keys that scans of writes since the last commit pass."""
    passed: list[bytes] = []
    plain = SortedMap.keys

    def keys(self: SortedMap[Any], *bounds: Any, **options: Any) -> Iterator[bytes]:
        for each in plain(self, *bounds, **options):
            passed.append(each)
            yield each

    with patch.object(SortedMap, "keys", keys):
        yield passed


@pytest.mark.parametrize("kind", ["left", "outer"])
def test_what_was_released_in_a_batch_is_not_passed_again(kind: str) -> None:
    topology = program(kind, JoinWindows.ofTimeDifferenceAndGrace(2, 0))
    rows = [(TOPICS[n % 2], b"%d" % n, b"v", n) for n in range(1_000)]
    seen = [0]
    plain = UnmatchedRecords.records

    def counted(records: UnmatchedRecords) -> Iterator[UnmatchedRecord]:
        for each in plain(records):
            seen[0] += 1
            yield each

    with patch.object(UnmatchedRecords, "records", counted), counting_scans() as scanned:
        run(topology, SKIPS, [rows], restarts=False)

    assert seen[0] <= 3 * len(rows)
    assert len(scanned) <= 3 * len(rows)
