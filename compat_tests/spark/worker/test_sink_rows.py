"""What the sink makes of the rows that reach it."""

from __future__ import annotations

from typing import Any

from millstream.topology.spark.wire import OFFSETS, READ, RECORDS
from millstream.topology.spark.worker.sink import sorted_output
from millstream.topology.spark.worker.sink_rules import ConsumedRange


def row(kind: int, topic: str, seq: int, first: int = 0) -> dict[str, Any]:
    blob = b"chunk" if kind == RECORDS else first.to_bytes(8, "big")
    return {"kind": kind, "topic": topic, "partition": 2, "seq": seq, "blob": blob}


def test_the_end_of_what_was_read_is_committed_with_and_without_records_before_it() -> None:
    rows = [
        row(READ, "both", 25, 9),
        row(OFFSETS, "both", 20, 10),
        row(READ, "markers", 7, 5),
        row(OFFSETS, "records", 3, 1),
        row(RECORDS, "out", 0),
    ]
    outputs, consumed = sorted_output(rows)

    assert outputs == [("out", b"chunk")]
    assert sorted(consumed) == [
        ConsumedRange("both", 2, 20, 10, end=25),
        ConsumedRange("markers", 2, 0, 5, end=7),
        ConsumedRange("records", 2, 3, 1),
    ]
    assert [each.committed for each in sorted(consumed)] == [25, 7, 3]
