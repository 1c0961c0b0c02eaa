"""An archive of Java's classes: made beside an application, and used by the next JVM."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from millstream.jars import cache_dir, java_command
from millstream.topology.spark.driver import archive_making
from millstream.topology.spark.driver.archive_making import (
    ArchiveMaking,
    LaunchedJvm,
    make_archive,
)
from millstream.topology.spark.driver.archive_options import USE
from millstream.topology.spark.driver.class_archives import (
    finish,
    only_maker,
    unfinished,
    usable,
)

Report = tuple[int, str, bool]


# -- when ----------------------------------------------------------------------


class Clock:
    """Time that passes when a test says so."""

    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(time, "monotonic", found.monotonic)
    return found


class Made:
    """What stands for the JVM, and for the making."""

    wanted = True

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun = threading.Event()
        self.times = 0
        monkeypatch.setattr(archive_making, "_is_wanted", lambda: self.wanted)
        monkeypatch.setattr(archive_making, "launched", lambda _scratch: "a JVM")
        monkeypatch.setattr(archive_making, "make_archive", self.make)

    def make(self, _jvm: object, stopped: threading.Event) -> None:
        self.times += 1
        self.begun.set()
        assert stopped.wait(60)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    return Made(monkeypatch)


def test_it_begins_after_some_batches_and_some_time(clock: Clock, made: Made) -> None:
    making = ArchiveMaking(patience_s=30, batches=5)
    batches = 0
    while not made.begun.is_set():
        report: Report | None = (batches, "now", True) if batches else None
        making.look(lambda report=report: report)  # type: ignore[misc]
        if batches >= 5 and clock.now - 100 >= 30:
            assert made.begun.wait(60)
        batches, clock.now = batches + 1, clock.now + 2
    for _ in range(3):
        making.look(lambda: (99, "later", True))
        clock.now += 2
    making.stop()
    assert made.times == 1


def test_reports_that_there_was_nothing_to_do_are_no_batches(clock: Clock, made: Made) -> None:
    making = ArchiveMaking(patience_s=0, batches=2)
    for number in range(20):
        making.look(lambda number=number: (7, str(number), False))  # type: ignore[misc]
        clock.now += 2
    making.stop()
    assert not made.times


def test_a_query_that_tells_nothing_is_no_failure_of_this(clock: Clock, made: Made) -> None:
    def gone() -> Report | None:
        raise RuntimeError("Spark has ended")

    making = ArchiveMaking(patience_s=0, batches=0)
    for _ in range(3):
        making.look(gone)
        clock.now += 2
    making.stop()
    assert not made.times


def test_a_jvm_that_wants_none_is_not_asked_again(clock: Clock, made: Made) -> None:
    made.wanted = False
    making = ArchiveMaking(patience_s=0, batches=0)
    making.look(lambda: None)
    clock.now += 2
    making.look(lambda: pytest.fail("asked for a report"))
    making.stop()
    assert not made.times


def test_nothing_begins_after_the_end(clock: Clock, made: Made) -> None:
    making = ArchiveMaking(patience_s=0, batches=0)
    making.look(lambda: None)
    making.stop()
    clock.now += 2
    making.look(lambda: (1, "now", True))
    assert not made.times


def test_a_failure_is_one_line_of_the_log(
    made: Made, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(_jvm: object, _stopped: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive_making, "make_archive", full)
    ArchiveMaking()._make()
    assert [r.getMessage() for r in caplog.records] == [
        "no archive of Java's classes was made: [Errno 28] No space left on device"
    ]


# -- how -----------------------------------------------------------------------


@pytest.fixture
def jvm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LaunchedJvm:
    """A JVM with one jar; ``listed`` gives it a Java."""
    monkeypatch.setattr(archive_making, "free_memory", lambda: None)
    jar = tmp_path / "app.jar"
    with zipfile.ZipFile(jar, "w") as file:
        file.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\n")
    classes = tmp_path / "loaded.classes"
    classes.write_text("java/lang/Object id: 0\n")
    archive = tmp_path / "own" / "classes" / "a.jsa"
    return LaunchedJvm(Path("/nowhere/java"), str(jar), (), classes, archive)


def output(jvm: LaunchedJvm, *options: str) -> str:
    done = subprocess.run(
        [str(jvm.java), *options, "-cp", jvm.class_path, "-version"],
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
    )
    return done.stdout


def listed(jvm: LaunchedJvm) -> LaunchedJvm:
    jvm = replace(jvm, java=Path(java_command()).resolve())
    output(jvm, f"-XX:DumpLoadedClassList={jvm.classes}")
    return jvm


@pytest.mark.spark
def test_a_damaged_archive_or_one_of_another_class_path_is_passed_over_in_silence(
    jvm: LaunchedJvm, tmp_path: Path
) -> None:
    jvm = listed(jvm)
    assert make_archive(jvm)
    archive = jvm.archive
    assert archive.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in archive.parent.iterdir()] == ["a.jsa"]
    plain = output(jvm)
    use = [f"-XX:SharedArchiveFile={archive}", *USE]
    shared = "java.lang.Object source: shared objects file"
    assert plain.replace("sharing)", "") in output(jvm, *use).replace("sharing)", "")
    assert shared in output(jvm, *use, "-Xlog:class+load")
    assert shared not in output(jvm, *use, "-Xlog:class+load", "-XX:-UseCompressedOops")
    whole = archive.read_bytes()
    damaged = bytearray(whole)
    for at in range(len(whole) // 2, len(whole) - 100, 997):
        damaged[at] ^= 0xFF
    head = bytes([whole[0] ^ 1]) + whole[1:]
    for content in (head, bytes(damaged)):
        archive.write_bytes(content)
        assert usable(archive)
        assert output(jvm, *use).replace(", sharing", "") == plain.replace(", sharing", "")
    archive.write_bytes(whole)
    other = tmp_path / "other.jar"
    os.link(jvm.class_path, other)
    said = output(replace(jvm, class_path=str(other)), *use)
    assert said.replace(", sharing", "") == plain.replace(", sharing", "")


@pytest.mark.spark
def test_what_java_cannot_make_leaves_nothing(jvm: LaunchedJvm) -> None:
    with pytest.raises(RuntimeError, match="Java ended with status"):
        make_archive(replace(listed(jvm), flags=("-XX:ObjectAlignmentInBytes=3",)))
    assert not list(jvm.archive.parent.iterdir())


@pytest.mark.spark
def test_what_was_stopped_leaves_nothing(jvm: LaunchedJvm) -> None:
    stopped = threading.Event()
    stopped.set()
    assert not make_archive(listed(jvm), stopped)
    assert not list(jvm.archive.parent.iterdir())


def test_another_process_that_makes_it_is_not_waited_for(jvm: LaunchedJvm) -> None:
    with only_maker(jvm.archive.parent):
        assert not make_archive(jvm)


def test_one_that_was_made_meanwhile_stays(jvm: LaunchedJvm) -> None:
    with only_maker(jvm.archive.parent):
        path = unfinished(jvm.archive)
        path.write_text("made")
        finish(path, jvm.archive)
    assert make_archive(jvm)
    assert jvm.archive.read_text().startswith("made")


def test_what_was_left_half_is_deleted(jvm: LaunchedJvm, monkeypatch: pytest.MonkeyPatch) -> None:
    with only_maker(jvm.archive.parent):
        half = unfinished(jvm.archive)
        half.write_text("half")
    monkeypatch.setattr(archive_making, "_run", lambda *_: False)
    assert not make_archive(jvm)
    assert not half.exists()


def test_a_disk_without_much_room_is_left_to_the_state(
    jvm: LaunchedJvm, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(archive_making, "ROOM_BYTES", 1 << 62)
    monkeypatch.setattr(archive_making, "free_memory", lambda: None)
    with caplog.at_level(logging.INFO):
        assert not make_archive(jvm)
    assert "bytes are free in" in caplog.text


def test_memory_that_is_short_is_left_to_the_application(
    jvm: LaunchedJvm, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(archive_making, "free_memory", lambda: (2 << 30) - 1)
    with caplog.at_level(logging.INFO):
        assert not make_archive(jvm)
    assert "bytes of memory are free" in caplog.text


def test_a_class_path_with_a_directory_has_none(
    jvm: LaunchedJvm, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    conf = tmp_path / "conf"
    conf.mkdir()
    (conf / "log4j2.properties").touch()
    with caplog.at_level(logging.INFO):
        assert not make_archive(replace(jvm, class_path=f"{conf}:{jvm.class_path}"))
    assert f"with the directory {conf}" in caplog.text


PROGRAM = """
import sys
from pathlib import Path
from millstream.topology.spark.driver.archive_making import _is_wanted, launched, make_archive
from millstream.topology.spark.driver.session import new_session
config = {
    "spark.master": "local[1]",
    "spark.driver.extraJavaOptions": sys.argv[1],
    "millstream.class.archive": "auto",
}
spark = new_session(config, "archive")
assert spark.range(5).count() == 5
scratch = Path(sys.argv[2])
print("made" if _is_wanted() and make_archive(launched(scratch)) else "not made")
spark.stop()
"""


@pytest.mark.spark
def test_the_next_jvm_loads_sparks_classes_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "a cache"
    cache.mkdir()
    (cache / "jars").symlink_to(cache_dir() / "jars")
    monkeypatch.setenv("MILLSTREAM_CACHE", str(cache))

    def run(*options: str) -> str:
        given = " ".join(["-XX:+UseSerialGC", *options])
        program = [sys.executable, "-c", PROGRAM, given, str(tmp_path)]
        return subprocess.run(
            program, check=True, text=True, stdout=subprocess.PIPE, timeout=600
        ).stdout

    assert run().splitlines() == ["made"]
    log = tmp_path / "loaded.txt"
    assert run(f"-Xlog:class+load:file={log}").splitlines() == ["not made"]
    line = "org.apache.spark.sql.classic.SparkSession source: shared objects file"
    assert line in log.read_text()
