"""A checkpoint's files and logs: the same here and elsewhere, and errors that say what to do."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from millstream import ProcessorStateException, StreamsException
from millstream.topology.spark.checkpoint.descriptor import FILE, Checkpoint
from millstream.topology.spark.checkpoint.files import Files, LocalFiles, RemoteFiles
from millstream.topology.spark.checkpoint.log import CheckpointLog, flat
from millstream.topology.spark.damage import damage_from
from millstream.topology.spark.failures import failure_from


def test_files_are_the_same_by_way_of_spark(spark: SparkSession, tmp_path: Path) -> None:
    for name, files in (
        ("here", LocalFiles(tmp_path / "here")),
        ("there", RemoteFiles(spark, f"file://{tmp_path / 'there'}")),
    ):
        root = tmp_path / name
        assert files.names("offsets") == []
        assert files.has("offsets") is False
        files.remove("nothing")
        files.write("offsets/7", "zwölf\n")
        files.write("offsets/7", "dreizehn ü\n")
        assert "7" in files.names("offsets")
        assert files.text("offsets/7") == "dreizehn ü\n"
        assert (root / "offsets/7").read_text("utf-8") == "dreizehn ü\n"
        (root / "offsets/8").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(UnicodeDecodeError):
            files.text("offsets/8")
        with pytest.raises(OSError, match="9"):
            files.text("offsets/9")
        files.remove("offsets")
        assert files.has("offsets") is False
        assert files.create("leases/1", "eins ü") is True
        assert files.create("leases/1", "zwei") is False
        assert files.text("leases/1") == "eins ü"
        assert [name for name in files.names("leases") if not name.startswith(".")] == ["1"]


@pytest.mark.parametrize(
    ("location", "why"),
    [
        ("nope://bucket/orders", 'No FileSystem for scheme "nope"'),
        ("s3a://bucket/orders", "Class org.apache.hadoop.fs.s3a.S3AFileSystem not found"),
    ],
)
def test_a_file_system_that_spark_does_not_know(
    spark: SparkSession, location: str, why: str
) -> None:
    with pytest.raises(StreamsException, match="Spark has no file system") as caught:
        RemoteFiles(spark, location)
    assert location in str(caught.value)
    assert why in caught.value.detail
    assert "spark.jars" in caught.value.hint


def test_a_file_is_created_once_also_where_there_are_no_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    files = LocalFiles(tmp_path)
    assert files.create("leases/1", "one") is True
    assert files.create("leases/1", "two") is False
    assert files.text("leases/1") == "one"
    assert files.names("leases") == ["1"]


def batch(**offsets: int) -> str:
    ends = {topic: {"0": end} for topic, end in offsets.items()}
    head = json.dumps({"batchTimestampMs": 5})
    return "\n".join(["v1", head, json.dumps(ends), json.dumps({"offset": 3}), "-"])


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """The logs of three batches, of which the last one was not committed."""
    files = LocalFiles(tmp_path)
    for number in range(3):
        files.write(f"offsets/{number}", batch(a=10 * number, b=7))
        files.write(f"offsets/.{number}.crc", "crc")
    for number in range(2):
        files.write(f"commits/{number}", 'v1\n{"nextBatchWatermarkMs":0}')
    files.write("sources/0/0", '\0v1\n{"a":{"0":1}}')
    files.write("sources/1/0", '\0v1\n{"b":{"0":2}}')
    return files


def test_progress_is_read_from_the_logs(files: Files) -> None:
    log = CheckpointLog(files, "c")
    found = log.progress()
    assert (found.planned, found.done) == (2, 1)
    assert flat(found.planned_to) == {("a", 0): 20, ("b", 0): 7}
    assert flat(found.done_to) == {("a", 0): 10, ("b", 0): 7}
    assert log.time_ms(1) == 5
    assert log.batches() == [0, 1, 2]


def test_before_the_first_commit_the_position_is_the_beginning(files: Files) -> None:
    for path in ("commits", "offsets/1", "offsets/2"):
        files.remove(path)
    found = CheckpointLog(files, "c").progress()
    assert (found.planned, found.done) == (0, -1)
    assert flat(found.done_to) == {("a", 0): 1, ("b", 0): 2}
    files.remove("offsets/0")
    assert CheckpointLog(files, "c").progress().planned == -1


@pytest.mark.parametrize(
    ("path", "text", "lost", "way"),
    [
        ("offsets/2", "", "nothing of the batches before it is lost", "is then planned anew"),
        ("offsets/2", "v1\n{}", "nothing of the batches before", 'Delete "offsets/2"'),
        ("offsets/1", "v1\n{}\n{", "The source positions are lost", "from a copy"),
        ("offsets/1", "v1\n{}\n[7", "The source positions are lost", "from a copy"),
        ("commits/1", "", "Whether batch 1 has ended is lost", '"commits/1" and "offsets/2"'),
        ("commits/1", "v1\n{", "Whether batch 1 has ended is lost", '"offsets/.2.crc" if'),
        ("metadata", "", "Only Spark's id of the query is lost", 'Delete "metadata"'),
        ("metadata", "[]", "Only Spark's id of the query is lost", '".metadata.crc" where it is'),
        ("metadata", '{"id":"4g9e"}', "Only Spark's id of the query", 'Delete "metadata"'),
        ("state/0/_metadata/v2/1", "", "What Spark notes about the stores", "from a copy"),
        ("state/0/_metadata/v2/1", 'v2\n{"operatorInfo', "What Spark notes", "from a copy"),
        (
            "state/0/_metadata/v2/1",
            'v2\n{"operatorInfo":{"operatorId":1}}',
            'It is that of "state/1". What Spark notes',
            "from a copy",
        ),
        ("commits/1", "garbage", "does not begin with a version", "batch 1 is then repeated"),
    ],
)
def test_a_damaged_log_says_what_is_lost_and_how_to_go_on(
    files: Files, path: str, text: str, lost: str, way: str
) -> None:
    files.write(path, text)
    with pytest.raises(StreamsException, match=f'cannot read "{path}" in checkpoint "c"') as caught:
        CheckpointLog(files, "c").progress()
    assert lost in caught.value.detail
    assert way in caught.value.hint


@pytest.mark.parametrize("text", ["", "v1\n{}\n{", None])
def test_lost_positions_of_the_batch_before_the_last_one_cost_nothing(
    files: Files, text: str | None
) -> None:
    files.remove("offsets/2")
    if text is None:
        files.remove("offsets/0")
    else:
        files.write("offsets/0", text)
    log = CheckpointLog(files, "c")
    with pytest.raises(StreamsException, match='cannot read "offsets/0" in checkpoint') as caught:
        log.progress()
    assert "Nothing is lost" in caught.value.detail
    assert 'Copy "offsets/1" to "offsets/0"' in caught.value.hint
    files.write("offsets/0", files.text("offsets/1"))
    assert log.progress().done == 1


@pytest.mark.parametrize(
    ("missing", "named"),
    [("offsets/1", "offsets/1"), ("commits/1", "commits/1"), ("offsets", "offsets/1")],
)
def test_a_gap_in_the_logs_is_named(files: Files, missing: str, named: str) -> None:
    files.remove(missing)
    with pytest.raises(StreamsException, match=f'cannot read "{named}"') as caught:
        CheckpointLog(files, "c").progress()
    assert "It is missing" in caught.value.detail


def test_spark_s_notes_about_stores_are_missed_and_read_also_of_an_earlier_batch(
    files: Files,
) -> None:
    note = "state/0/_metadata/v2/0"
    files.write(note, 'v2\n{"operatorInfo":{}}')
    assert CheckpointLog(files, "c").progress().done == 1
    files.write(note, "")
    with pytest.raises(StreamsException, match=f'cannot read "{note}"'):
        CheckpointLog(files, "c").progress()
    files.remove(note)
    with pytest.raises(StreamsException, match=f'cannot read "{note}"') as caught:
        CheckpointLog(files, "c").progress()
    assert "It is missing. What Spark notes about the stores" in caught.value.detail


@pytest.mark.parametrize("kind", ["a directory", "not text"])
def test_a_description_that_cannot_be_read_is_named(tmp_path: Path, kind: str) -> None:
    if kind == "a directory":
        (tmp_path / FILE).mkdir()
    else:
        (tmp_path / FILE).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StreamsException, match=f'cannot read "{FILE}" in checkpoint "c"') as caught:
        Checkpoint.read(LocalFiles(tmp_path), "c")
    assert ("Do not delete the checkpoint" in caught.value.hint) == (kind == "a directory")


def test_a_damaged_beginning_is_named_as_long_as_no_batch_has_ended(files: Files) -> None:
    files.write("sources/1/0", "\0v1\n{")
    assert CheckpointLog(files, "c").progress().done == 1
    for path in ("commits", "offsets/1", "offsets/2"):
        files.remove(path)
    with pytest.raises(StreamsException, match='cannot read "sources/1/0"') as caught:
        CheckpointLog(files, "c").progress()
    assert "no batch has ended" in caught.value.detail


LOADING = "[CANNOT_LOAD_STATE_STORE.UNCATEGORIZED] An error occurred during loading state."


@pytest.mark.parametrize(
    ("text", "named", "lost"),
    [
        (
            (
                f"{LOADING}\nCaused by: org.apache.hadoop.fs.ChecksumException: Checksum error: "
                "file:/data/app/checkpoint/state/0/1/2_ab.changelog at 0 exp: 1 got: 2"
            ),
            '"file:/data/app/checkpoint/state/0/1/2_ab.changelog"',
            "The contents of stores",
        ),
        (
            f"{LOADING}\nCaused by: java.io.EOFException",
            "a file of the state",
            "The contents of stores",
        ),
        (
            "[STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY] Cannot restart streaming query",
            'the directory "state"',
            "The contents of stores",
        ),
        (
            "Checksum error: s3a://bucket/a/offsets/17 at 0 exp: 1 got: 2",
            '"s3a://bucket/a/offsets/17"',
            "the stores are not",
        ),
        (
            "Checksum error: file:/data/state/app/checkpoint/offsets/17 at 0 exp: 1 got: 2",
            '"file:/data/state/app/checkpoint/offsets/17"',
            "the stores are not",
        ),
        (
            (
                "[STATE_STORE_X] at /a/checkpoint/state/0\nCaused by: "
                "java.lang.IllegalStateException: "
                "Failed to read log file /a/checkpoint/offsets/5. Incomplete log file"
            ),
            '"/a/checkpoint/offsets/5"',
            "the stores are not",
        ),
    ],
)
def test_what_spark_says_of_damage_becomes_an_error_that_says_what_is_lost(
    text: str, named: str, lost: str
) -> None:
    failure = failure_from(text)
    assert failure.problem == f"cannot read {named} of the checkpoint"
    assert lost in failure.detail
    assert "from a copy" in failure.hint


def test_a_missing_schema_of_the_state_has_nothing_to_do_with_commits() -> None:
    failure = failure_from(
        "java.io.FileNotFoundException: File "
        "file:/data/state/app/checkpoint/state/0/_stateSchema/default/0_ab-c does not exist"
    )
    assert "_stateSchema/default/0_ab-c" in failure.problem
    assert "The contents of stores in it are lost" in failure.detail
    assert "commits" not in failure.detail + failure.hint


def test_a_schema_of_the_state_that_is_cut_is_damage_although_spark_says_nothing() -> None:
    failure = failure_from(
        "[STREAM_FAILED] Query [id = a, runId = b] terminated with exception:  SQLSTATE: XXKST "
        "(no cause message)\nIdentifier: app [id = a, runId = b]\n"
        "Caused by: java.io.EOFException"
    )
    assert isinstance(failure, ProcessorStateException)
    assert failure.problem.startswith('cannot read a schema in "state/*/_stateSchema"')
    assert failure.detail.startswith("It is cut. The contents of stores in it are lost")


def test_where_spark_names_no_file_the_store_and_the_last_cause_are_named() -> None:
    repair = (
        "[CANNOT_LOAD_STATE_STORE.AUTO_SNAPSHOT_REPAIR_FAILED] An error occurred during loading"
    )
    failure = failure_from(
        f"{LOADING}\nCaused by: {repair} StateStoreId[ operatorId=1, partitionId=0, storeName=x ]\n"
        "Caused by: java.lang.AssertionError: assertion failed"
    )
    assert failure.problem == 'cannot read a file in "state/1/0" of the checkpoint'
    assert "Cause: java.lang.AssertionError: assertion failed. The contents" in failure.detail
    gone = failure_from("[STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY] Cannot restart")
    assert gone.problem == 'cannot read the directory "state" of the checkpoint'


def test_a_missing_file_of_the_state_may_be_a_commit_of_another_batch() -> None:
    """So it is where commits/0 and commits/1 were swapped: the files of the state are all there."""
    failure = failure_from(
        f"{LOADING}\nCaused by: java.io.FileNotFoundException: "
        "File file:/ck/state/0/1/2_ab-c.changelog does not exist"
    )
    assert isinstance(failure, ProcessorStateException)
    assert failure.problem == (
        'cannot read "file:/ck/state/0/1/2_ab-c.changelog" of the checkpoint'
    )
    assert 'a mark that Spark noted in "commits/1"' in failure.detail
    assert "does not exist. The name has" in failure.detail
    assert "lost" not in failure.detail
    assert failure.hint.startswith("If files in commits/ were swapped")
    assert "restore the whole checkpoint from a copy" in failure.hint


@pytest.mark.parametrize(
    "text", ["", "java.io.FileNotFoundException: /opt/app.jar", "the query was stopped"]
)
def test_other_failures_stay_what_they_are(text: str) -> None:
    assert damage_from(text) is None
