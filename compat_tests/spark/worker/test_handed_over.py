"""Chunks go from the last stage to the sink in memory, and the memory is freed."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from millstream.core.errors import StreamsException
from millstream.topology.spark.wire import HANDED_OVER, OFFSETS, RECORDS, SINK
from millstream.topology.spark.worker import handed_over
from millstream.topology.spark.worker.handed_over import OpenFiles, TakenOver

LARGE = b"large" * 10_000

pytestmark = pytest.mark.skipif(
    not hasattr(os, "memfd_create"), reason="files in memory are Linux's"
)


def row(blob: bytes, stage: int = SINK, kind: int = RECORDS) -> dict[str, Any]:
    return {"stage": stage, "kind": kind, "topic": "out", "blob": memoryview(blob)}


def files_in_memory() -> int:
    found = 0
    for name in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # the directory itself was open
            found += "millstream-output" in os.readlink(f"/proc/self/fd/{name}")
    return found


@pytest.fixture
def files() -> Any:
    before = files_in_memory()
    made = OpenFiles()
    yield made
    made.close()
    assert files_in_memory() == before


def read(rows: list[dict[str, Any]]) -> list[bytes]:
    taken = TakenOver()
    found = [bytes(each["blob"]) for each in taken.rows(rows)]
    taken.close()
    return found


def test_the_sinks_chunks_are_read_from_memory_and_other_rows_stay(files: OpenFiles) -> None:
    given = [
        row(LARGE),
        row(b"\0" * 8, kind=OFFSETS),
        row(b"", kind=RECORDS),
        row(b"for a later stage", stage=2),
        row(b"small"),
    ]
    expected = [bytes(each["blob"]) for each in given]

    rows = files.hand_over(0, 7, given)

    assert [each["kind"] for each in rows] == [
        HANDED_OVER,
        OFFSETS,
        HANDED_OVER,
        RECORDS,
        HANDED_OVER,
    ]
    assert sum(memoryview(each["blob"]).nbytes for each in rows) < 200
    assert read(rows) == expected


def test_more_parts_than_one_call_writes(files: OpenFiles) -> None:
    chunks = [b"%d" % number * 50 for number in range(1500)]

    assert read(files.hand_over(0, 0, [row(chunk) for chunk in chunks])) == chunks


def test_another_process_reads_it(files: OpenFiles) -> None:
    (handed,) = files.hand_over(0, 0, [row(LARGE)])
    program = (
        "import sys; from millstream.topology.spark.worker.handed_over import TakenOver\n"
        "row = {'kind': 5, 'blob': bytes.fromhex(sys.argv[1])}\n"
        "(found,) = TakenOver().rows([row])\n"
        "sys.stdout.buffer.write(bytes(found['blob']))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, handed["blob"].hex()], check=True, capture_output=True
    )

    assert done.stdout == LARGE


def test_little_goes_through_spark(files: OpenFiles) -> None:
    (found,) = files.hand_over(0, 0, [row(b"little")])

    assert (found["kind"], bytes(found["blob"])) == (RECORDS, b"little")


def _refused(*_: object) -> int:
    raise OSError(errno.ENOMEM, "no memory")


@pytest.mark.parametrize("call", ["memfd_create", "writev"])
def test_without_memory_for_a_file_it_goes_through_spark(
    files: OpenFiles, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert handed_over._can_be_opened()
    monkeypatch.setattr(os, call, _refused)

    (found,) = files.hand_over(0, 0, [row(LARGE)])

    assert (found["kind"], bytes(found["blob"])) == (RECORDS, LARGE)


@pytest.mark.parametrize("call", ["readlink", "memfd_create"])
def test_where_processes_may_not_open_each_others_files_it_goes_through_spark(
    files: OpenFiles, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed_over._can_be_opened.cache_clear()
    try:
        with monkeypatch.context() as patched:
            patched.setattr(os, call, _refused)
            (found,) = files.hand_over(0, 0, [row(LARGE)])
    finally:
        handed_over._can_be_opened.cache_clear()

    assert found["kind"] == RECORDS


def test_the_sink_frees_the_memory_when_all_is_written(files: OpenFiles) -> None:
    rows = files.hand_over(0, 0, [row(LARGE)])
    (file,) = [file for _, file in files._files.values()]
    taken = TakenOver()
    list(taken.rows(rows))
    before = os.fstat(file).st_size

    taken.empty()
    taken.close()

    assert (before, os.fstat(file).st_size) == (len(LARGE), 0)


@pytest.mark.parametrize(
    ("again", "left"),
    [
        (lambda files: files.hand_over(0, 1, [row(LARGE)]), 1),
        (lambda files: files.hand_over(0, 2, [row(b"little")]), 0),
        (lambda files: files.hand_over(1, 1, [row(LARGE)]), 2),
    ],
    ids=["the same partition again", "the next batch", "another partition"],
)
def test_a_file_that_no_sink_can_ask_for_any_more_is_closed(
    files: OpenFiles, again: Callable[[OpenFiles], Any], left: int
) -> None:
    before = files_in_memory()
    files.hand_over(0, 1, [row(LARGE)])

    again(files)

    assert files_in_memory() - before == left


def test_a_sink_whose_stage_has_ended_says_so(files: OpenFiles) -> None:
    rows = files.hand_over(0, 0, [row(LARGE)])
    files.close()

    with pytest.raises(StreamsException, match=f"worker {os.getpid()} of the stage: ENOENT"):
        list(TakenOver().rows(rows))


def test_a_sink_that_cannot_map_the_memory_says_so_and_leaves_nothing_open(
    files: OpenFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = files.hand_over(0, 0, [row(LARGE)])
    before = files_in_memory()
    monkeypatch.setattr("mmap.mmap", _refused)

    with pytest.raises(StreamsException, match="of the stage: ENOMEM"):
        list(TakenOver().rows(rows))

    assert files_in_memory() == before
