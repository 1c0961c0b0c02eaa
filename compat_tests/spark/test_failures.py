"""Failures of workers as the driver reports them: the user's lines, the cause, the place."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from millstream.core.errors import (
    AuthenticationException,
    ConfigException,
    MillstreamError,
    MissingInternalTopicsException,
    ProcessorStateException,
    ProducerFencedException,
    RecordTooLargeException,
    SaslAuthenticationException,
    SerializationException,
    StreamsException,
    TaskCorruptedException,
    TaskIdFormatException,
    TaskMigratedException,
    TimeoutException,
)
from millstream.core.processor import TaskId
from millstream.topology.spark.deleted_temporary import deleted_temporary
from millstream.topology.spark.failures import (
    RemoteError,
    WorkerFailure,
    failure_from,
    reported,
    trace_from,
)
from millstream.topology.spark.full_disk import with_full_disks
from millstream.topology.spark.grown_topics import grown_topic

HERE = __file__


class Odd(Exception):
    """Asks for more than its text."""

    def __init__(self, code: int, why: object) -> None:
        super().__init__(code)
        self.why = why

    def __str__(self) -> str:
        return f"odd for {self.why}"


class Plain(ValueError):
    pass


class OwnStreams(StreamsException):
    """A user's own kind of an error of Kafka Streams, with a constructor of its own."""

    def __init__(self, order: int, customer: str) -> None:
        super().__init__(f"order {order} of {customer}", task_id=TaskId(0, 3))
        self.order = order


class LockException(Exception):
    """Has the name of another class."""


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def inner(error: Exception) -> None:
    raise error


@contextmanager
def as_a_task() -> Iterator[None]:
    try:
        yield
    except Exception as cause:
        raise StreamsException("cannot process a record", hint="Skip it.") from cause


def text_of(error: Exception) -> str:
    """What Spark says of a worker in which ``error`` came out of a user's function."""
    with pytest.raises(WorkerFailure) as caught, reported(), as_a_task():
        inner(error)
    python = "Traceback (most recent call last):\n  File x, line 1\n"
    return f"Job aborted: {python}{caught.value}\n\tat org.apache.spark.Executor"


def test_the_users_lines_are_told_and_no_others() -> None:
    failure = failure_from(text_of(Plain("seven }]] is odd")))
    assert [label for label, _ in failure.more] == ["at", "at", "at"]
    assert failure.more[-2][1].endswith("in text_of: inner(error)")
    assert failure.more[-1][1].startswith(f"{HERE}:")
    assert failure.more[-1][1].endswith("in inner: raise error")
    assert str(failure).splitlines() == [
        "cannot process a record",
        *(f"  at: {text}" for _, text in failure.more),
        "  hint: Skip it.",
    ]


def test_the_place_of_the_function_is_told_before_the_lines() -> None:
    error = StreamsException("cannot process a record")
    error.more = (("code", "lambda at app.py:12"),)
    with pytest.raises(WorkerFailure) as caught, reported():
        raise error
    assert failure_from(str(caught.value)).more[0] == ("code", "lambda at app.py:12")


def test_the_cause_has_the_users_own_class() -> None:
    cause = failure_from(text_of(Plain("seven"))).__cause__
    assert type(cause) is Plain
    assert cause.args == ("seven",)
    assert type(failure_from(text_of(KeyError("k"))).__cause__) is KeyError


@pytest.mark.parametrize("error", [Odd(3, "you"), Plain(object()), type("Local", (OSError,), {})()])
def test_a_cause_that_cannot_be_made_again_is_told_by_its_text(error: Exception) -> None:
    cause = failure_from(text_of(error)).__cause__
    assert type(cause) is RemoteError
    assert str(cause) == f"{type(error).__qualname__}: {error}"


def test_the_whole_trace_is_kept_for_the_log() -> None:
    trace = trace_from(text_of(Plain("seven")))
    assert "raise error" in trace
    assert "test_failures.Plain: seven" in trace
    assert trace_from("of Spark alone") == "of Spark alone"


def test_a_failing_call_of_a_library_is_told_by_the_users_line() -> None:
    def calls(error: Any) -> None:
        subprocess.run(error, check=True)

    with pytest.raises(WorkerFailure) as caught, reported():
        calls(["false"])
    failure = failure_from(str(caught.value))
    assert failure.more[-1][1].endswith("subprocess.run(error, check=True)")


def test_an_error_of_spark_is_cut_to_what_it_says() -> None:
    python = (
        "org.apache.spark.SparkException: Job aborted\nTraceback (most recent call last):\n"
        '  File "worker.py", line 3, in main\n    load()\n'
        "ModuleNotFoundError: No module named 'helpers'\n\n\tat org.apache.spark.X\n"
    )
    assert failure_from(python).detail == "ModuleNotFoundError: No module named 'helpers'"
    java = "Job aborted due to stage failure\n\tat a.B\n\tat a.C\nCaused by: OutOfMemoryError\n\tat"
    assert failure_from(java).detail.splitlines()[:2] == [
        "Job aborted due to stage failure",
        "Caused by: OutOfMemoryError",
    ]


def on_the_driver(error: BaseException) -> StreamsException:
    """An error of a worker, as the driver makes it again."""
    return failure_from(f"Job aborted\n{WorkerFailure(error)}\n\tat org.apache.spark.X")


def chained(*errors: BaseException) -> BaseException:
    for above, below in zip(errors, errors[1:], strict=False):
        above.__cause__ = below
    return errors[0]


@pytest.mark.parametrize(
    "kind",
    [
        AuthenticationException,
        ConfigException,
        MissingInternalTopicsException,
        ProducerFencedException,
        RecordTooLargeException,
        SaslAuthenticationException,
        SerializationException,
        TaskCorruptedException,
        TaskIdFormatException,
        TaskMigratedException,
        TimeoutException,
    ],
)
def test_a_typed_cause_keeps_its_class_and_its_parts(kind: type[MillstreamError]) -> None:
    cause = kind("no such user", detail="The broker said so.", hint="Ask it.")
    failure = on_the_driver(chained(StreamsException("cannot write", task_id=TaskId(1, 2)), cause))
    assert type(failure) is StreamsException
    assert failure.taskId() == TaskId(1, 2)
    found = failure.__cause__
    assert type(found) is kind
    assert isinstance(found, MillstreamError)
    assert (found.problem, found.detail, found.hint) == (cause.problem, cause.detail, cause.hint)
    assert str(found) == str(cause)
    assert found.args == cause.args
    assert set(vars(found)) == set(vars(cause))


def test_all_causes_of_causes_arrive_in_their_order() -> None:
    error = chained(
        ProcessorStateException('cannot flush store "sums"'),
        StreamsException("cannot process a record"),
        SerializationException("no bytes"),
        Plain("seven"),
        KeyError("k"),
    )
    failure: BaseException | None = on_the_driver(error)
    kinds = []
    while failure is not None:
        kinds.append(type(failure))
        failure = failure.__cause__
    assert kinds == [
        ProcessorStateException,
        StreamsException,
        SerializationException,
        Plain,
        KeyError,
    ]


def test_causes_that_go_in_a_circle_end() -> None:
    first, second = StreamsException("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    assert type(on_the_driver(first).__cause__) is ValueError


def test_a_users_own_kind_of_an_error_of_ours_is_the_cause() -> None:
    failure = on_the_driver(OwnStreams(7, "Ann"))
    assert type(failure) is StreamsException
    assert (failure.problem, failure.taskId()) == ("order 7 of Ann", TaskId(0, 3))
    assert type(failure.__cause__) is OwnStreams
    assert str(failure.__cause__) == "order 7 of Ann"


def test_a_users_class_is_not_taken_for_one_of_ours_of_the_same_name() -> None:
    own = type("TimeoutException", (Exception,), {})
    failure = on_the_driver(own("mine"))
    assert (type(failure), failure.problem) == (StreamsException, "TimeoutException: mine")
    assert type(failure.__cause__) is RemoteError
    assert type(on_the_driver(LockException("mine")).__cause__) is LockException


def test_an_error_without_a_text_is_told_all_the_same() -> None:
    failure = on_the_driver(chained(StreamsException("cannot go on"), Mute("x")))
    assert str(failure.__cause__) == "Mute: (its text cannot be read: RuntimeError)"


def test_an_exit_in_a_users_function_is_a_failure_at_its_line() -> None:
    with pytest.raises(WorkerFailure) as caught, reported():
        sys.exit(3)
    failure = failure_from(str(caught.value))
    assert failure.problem == "SystemExit: 3"
    assert failure.more[-1][1].endswith("sys.exit(3)")


FULL = [
    "Job aborted\nCaused by: java.io.IOException: No space left on device: /data/cp/state/0/1",
    "OSError: [Errno 28] No space left on device: '/data/cp/state/0/1'\nEOFError",
]


@pytest.mark.parametrize("text", FULL)
def test_a_full_disk_that_spark_reports_is_told_with_its_place(text: str) -> None:
    failure = failure_from(text)
    assert type(failure) is ProcessorStateException
    assert failure.problem == 'there is no space left on the disk at "/data/cp/state/0/1"'
    assert "No space left on device" in failure.detail
    assert failure.hint.startswith("Free space where state.dir")


def test_a_full_disk_under_a_store_gets_its_own_hint() -> None:
    full = OSError(28, "No space left on device", "/data/app/0_0/rocksdb")
    failure = on_the_driver(
        chained(StreamsException("cannot process a record", detail=str(full), hint="Skip."), full)
    )
    assert "/data/app/0_0/rocksdb" in str(failure)
    assert failure.hint.startswith("Free space where state.dir")


def test_a_lost_connection_to_sparks_state_is_called_that(tmp_path: Path) -> None:
    file = tmp_path / "stateful_processor_api_client.py"
    file.write_text("def receive():\n    raise EOFError\n")
    client = runpy.run_path(str(file))
    with pytest.raises(WorkerFailure) as raised, reported():
        client["receive"]()
    failure = failure_from(str(raised.value))
    assert type(failure) is ProcessorStateException
    assert failure.problem == "cannot read or write the task's state in Spark"
    assert type(failure.__cause__) is EOFError


def test_an_end_of_input_in_a_users_function_stays_what_it_is() -> None:
    def ends() -> None:
        raise EOFError("EOF when reading a line")

    with pytest.raises(WorkerFailure) as raised, reported():
        ends()
    assert "EOF when reading a line" in str(failure_from(str(raised.value)))


def test_temporary_files_of_spark_that_were_deleted_are_named(tmp_path: Path) -> None:
    there = tmp_path / "blockmgr-4b55edfb-9790" / "0c"
    there.mkdir(parents=True)
    gone = tmp_path / "run"
    missing = gone / "blockmgr-4b55edfb-9790" / "09"
    said = f"Caused by: java.nio.file.NoSuchFileException: {missing}"
    told = deleted_temporary(said, [tmp_path])
    assert isinstance(told, StreamsException)
    assert told.problem.startswith(f'Spark\'s temporary files in "{tmp_path / "run"}" were deleted')
    assert "spark.local.dir" in told.hint
    for other in (f"{there}/temp_shuffle_1", f"{tmp_path}/checkpoint/offsets/1"):
        assert deleted_temporary(f"java.io.FileNotFoundException: {other}", [tmp_path]) is None
    assert deleted_temporary(said, [tmp_path / "elsewhere"]) is None


def test_a_failure_names_the_full_disk_under_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failure = StreamsException("cannot do it", hint="Try again.")
    assert with_full_disks(failure, [tmp_path / "missing", tmp_path]).hint == "Try again."
    usage = SimpleNamespace(total=1 << 30, used=1 << 30, free=0)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage)
    told = str(with_full_disks(failure, [tmp_path]))
    assert f"full disk: {tmp_path}" in told
    assert "Free space where state.dir" in told


def test_a_file_system_that_can_have_no_more_files_is_called_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inodes = SimpleNamespace(f_files=4000, f_favail=0)
    monkeypatch.setattr(os, "statvfs", lambda place: inodes)
    usage = SimpleNamespace(total=1 << 30, used=0, free=40 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage)
    failure = failure_from("java.io.IOException: /data/offsets/1 (No space left on device)")
    assert f"{tmp_path}, which has no inodes left" in str(with_full_disks(failure, [tmp_path]))


def test_a_full_disk_without_a_path_is_told_with_the_free_space_of_each_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = SimpleNamespace(total=1 << 30, used=0, free=40 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage)
    full = failure_from("Caused by: java.io.IOException: No space left on device")
    assert f"free space: 40 MB in {tmp_path}" in str(with_full_disks(full, [tmp_path]))
    named = failure_from("java.io.IOException: /data/temp_shuffle_1 (No space left on device)")
    assert "40 MB in" not in str(with_full_disks(named, [tmp_path]))


def test_an_error_keeps_its_class_and_text_on_the_way_to_the_driver() -> None:
    error = ProcessorStateException('cannot open store "x"', detail="Disk full.", hint="Buy one.")
    with pytest.raises(Exception, match="cannot open store") as caught, reported():
        raise error
    found = failure_from(f"org.apache.spark.SparkException: Job aborted\n{caught.value}\n  at x")

    assert type(found) is ProcessorStateException
    assert (found.problem, found.detail, found.hint) == (error.problem, error.detail, error.hint)


def test_an_error_that_is_no_streams_exception_becomes_the_cause_of_one() -> None:
    with pytest.raises(Exception, match="no serde") as caught, reported():
        raise ConfigException("no serde", hint="Set one.")
    found = failure_from(str(caught.value))

    assert type(found) is StreamsException
    assert type(found.__cause__) is ConfigException


def test_an_error_of_spark_itself_is_told_by_its_text() -> None:
    assert failure_from("line one\n\nline two").detail == "line one\nline two"


def test_a_topic_that_has_grown_is_told_by_the_jvm_as_by_a_worker() -> None:
    text = (
        "Job aborted due to stage failure: java.lang.IllegalStateException: millstream: a record "
        'has come from partition 2 of topic "a.b-c", for which there are 2 tasks.\n\tat x.Y.z(Y)'
    )
    failure, theirs = failure_from(text), grown_topic("a.b-c", 2, 2)

    assert (failure.problem, failure.detail) == (theirs.problem, theirs.detail)
    assert failure.hint == theirs.hint
