"""What a task goes on with that continues several tasks: the state that operators save."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import pytest

from millstream import UnsupportedOperationException
from millstream.core.chunk_processor import ChunkProcessor
from millstream.core.durations import LONG_MAX
from millstream.core.engine import snapshots
from millstream.core.engine.snapshots import Snapshot
from millstream.core.engine.user_processor import UserProcessor
from millstream.topology.deduplication.processor import Deduplicate
from millstream.topology.operators.lookup_join import JoinPastTable
from millstream.topology.operators.stream_join import JoinStreams, JoinWithItself
from millstream.topology.operators.suppress import Suppression, SuppressTable
from millstream.topology.operators.table_settings import TableSettings
from millstream.topology.operators.window_aggregate import WindowAggregate


def times(*numbers: int) -> bytes:
    return struct.pack(f">{len(numbers)}q", *numbers)


def bare(kind: type[ChunkProcessor]) -> ChunkProcessor:
    """Return a processor that has not even been made: combining needs nothing of it."""
    return kind.__new__(kind)


@pytest.mark.parametrize(
    ("kind", "saved", "combined"),
    [
        (JoinWithItself, [times(5), times(9), times(-1)], times(9)),
        (Deduplicate, [times(5), times(9), times(-1)], times(5)),
        (Deduplicate, [times(-1), times(-1)], times(-1)),
        (WindowAggregate, [times(50, 40), times(30, 20), times(-1, -1)], times(50, 20)),
        (WindowAggregate, [times(50, 40), times(30, -1)], times(50, -1)),
        (WindowAggregate, [times(-1, 40), times(-1, 20), times(-1, -1)], times(-1, 20)),
        (WindowAggregate, [times(50, 40, 7), times(30, 20, 9)], times(50, 20, 9)),
        (JoinStreams, [times(5, 3), times(9, LONG_MAX)], times(9, 3)),
        (
            JoinPastTable,
            [struct.pack(">qqi", 5, 3, 7), struct.pack(">qqi", 9, 8, 2)],
            struct.pack(">qqi", 9, 3, 7),
        ),
    ],
)
def test_operators_say_how_their_states_come_together(
    kind: type[ChunkProcessor], saved: Sequence[bytes], combined: bytes
) -> None:
    assert bare(kind).combine(saved) == combined
    assert bare(kind).combine(list(reversed(saved))) == combined
    assert bare(kind).combine([combined]) == combined


@pytest.mark.parametrize("wall_clock", [False, True])
def test_a_suppression_goes_on_with_the_largest_times(wall_clock: bool) -> None:
    operator = SuppressTable(
        Suppression(store="s", wait_ms=1, wall_clock=wall_clock), settings=TableSettings()
    )
    more = [(8,), (6,)] if wall_clock else [(), ()]

    combined = operator.combine([times(5, *more[0]), times(9, *more[1])])

    assert combined == times(9, *more[0])


class Saving(ChunkProcessor):
    """A plugin's processor that saves and does not say how states come together."""

    def process(self, record: Any) -> None:
        """Do nothing."""


@pytest.mark.parametrize("processor", [Saving(), UserProcessor(Saving(), Saving())])
def test_different_states_of_a_processor_that_cannot_combine_them_are_refused(
    processor: ChunkProcessor,
) -> None:
    assert processor.combine([b"same", b"same"]) == b"same"
    with pytest.raises(UnsupportedOperationException, match="cannot continue the state") as caught:
        processor.combine([b"one", b"other"])
    assert "combine(saved)" in caught.value.hint


def test_a_wrapped_operator_combines() -> None:
    assert UserProcessor(object(), bare(JoinWithItself)).combine([times(1), times(2)]) == times(2)


def snapshot(time: int, *schedules: tuple[str, int, int, bool], **processors: bytes) -> Snapshot:
    return Snapshot(
        stream_time=time,
        partition_times={("in", 0): time},
        stream_punctuations=list(schedules),
        clock_punctuations=[],
        processors=dict(processors),
    )


def test_snapshots_come_together() -> None:
    merged = snapshots.merged(
        [
            snapshot(5, ("p", 0, 20, False), ("p", 1, 9, True), ("q", 0, 7, True), n=b"a"),
            snapshot(
                9, ("p", 0, 10, False), ("p", 1, 30, False), ("q", 0, 9, True), n=b"b", m=b"c"
            ),
            snapshot(-1),
        ],
        lambda node, saved: node.encode() + b"".join(saved),
    )

    assert merged.stream_time == 9
    assert merged.partition_times == {("in", 0): 9}
    assert merged.stream_punctuations == [
        ("p", 0, 10, False),
        ("p", 1, 30, False),
        ("q", 0, 7, True),
    ]
    assert merged.processors == {"n": b"nab", "m": b"mc"}
    assert snapshots.decode(snapshots.encoded(merged)) == merged
