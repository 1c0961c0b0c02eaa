"""Where records go: the terminal, the file, or the program's own handlers."""

from __future__ import annotations

import logging
import logging.config
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from millstream import ConfigException, StreamsConfig
from millstream.topology.spark.driver import jvm
from millstream.topology.spark.driver.progress_lines import ProgressLines
from millstream.topology.spark.logs import ApplicationLog, LogOptions, log_in_worker, progress

MILLSTREAM = logging.getLogger("millstream")
REQUIRED = {"application.id": "app", "bootstrap.servers": "broker:9092"}


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    level = MILLSTREAM.level
    yield
    MILLSTREAM.setLevel(level)
    for handler in list(MILLSTREAM.handlers):
        MILLSTREAM.removeHandler(handler)
        handler.close()
    MILLSTREAM.propagate = True


def opened(*logs: ApplicationLog) -> None:
    """Open logs as in a program that has not set up logging; pytest has."""
    logging.getLogger().handlers.clear()
    for log in logs:
        log.open()


def speak() -> None:
    progress.info("app: running")
    MILLSTREAM.info("a detail")
    MILLSTREAM.warning("a warning")
    MILLSTREAM.error("a failure", extra={"details": "its trace"})
    MILLSTREAM.error("raised anyway", extra={"raised": True})


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        ("quiet", ["a failure"]),
        ("normal", ["app: running", "a warning", "a failure"]),
    ],
)
def test_the_terminal_gets_what_the_level_says_and_the_file_everything(
    level: str, shown: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "new" / "app.log"
    log = ApplicationLog(LogOptions(level, path))
    opened(log)
    speak()
    log.close()
    speak_after = capsys.readouterr().err.splitlines()
    assert speak_after == shown
    written = path.read_text()
    assert all(text in written for text in ("running", "a detail", "raised anyway", "its trace"))
    assert path.stat().st_mode & 0o777 == 0o640
    assert not MILLSTREAM.handlers
    assert MILLSTREAM.level == logging.NOTSET


def test_verbose_shows_everything_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = [ApplicationLog(LogOptions("verbose", tmp_path / name)) for name in "ab"]
    opened(*logs)
    speak()
    for log in logs:
        log.close()
    shown = capsys.readouterr().err
    assert [shown.count(text) for text in ("a detail", "its trace", "raised anyway")] == [1, 1, 0]


def test_off_touches_nothing(tmp_path: Path) -> None:
    log = ApplicationLog(LogOptions("off", tmp_path / "app.log"))
    log.open()
    assert not MILLSTREAM.handlers
    assert not (tmp_path / "app.log").exists()


def test_a_program_with_handlers_of_its_own_gets_the_records_and_the_terminal_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[str] = []
    own: Any = logging.Handler()
    own.emit = lambda record: seen.append(record.getMessage())
    log = ApplicationLog(LogOptions("normal", tmp_path / "app.log"))
    logging.getLogger().handlers[:] = [own]
    log.open()
    speak()
    log.close()
    assert seen == ["a warning", "a failure", "raised anyway"]
    assert capsys.readouterr().err == ""


def test_loggers_that_dict_config_has_disabled_are_told(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    known = [each for each in logging.root.manager.loggerDict.values() if hasattr(each, "disabled")]
    before = [each.disabled for each in known]
    try:
        logging.config.dictConfig({"version": 1})
        for _ in range(2):
            log = ApplicationLog(LogOptions("normal", path))
            opened(log)
            progress.warning("not written")
            log.close()
    finally:
        for each, disabled in zip(known, before, strict=True):
            each.disabled = disabled
    text = "the program has disabled the loggers of millstream"
    assert path.read_text().count(text) == 2
    assert "not written" not in path.read_text()
    log = ApplicationLog(LogOptions("normal", path))
    opened(log)
    log.close()
    assert path.read_text().count(text) == 2


def test_a_log_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = ApplicationLog(LogOptions("normal", tmp_path / "file" / "app.log"))
    with pytest.raises(ConfigException, match="cannot write the log file"):
        log.open()


def test_a_worker_writes_to_the_file_of_its_application(tmp_path: Path) -> None:
    for name in ("one", "one", "two"):
        log_in_worker(str(tmp_path / name))
        MILLSTREAM.warning("for %s", name)
    log_in_worker(None)
    assert (tmp_path / "one").read_text().count("for one") == 2
    assert (tmp_path / "two").read_text().count("for two") == 1


def test_the_file_is_in_the_directory_of_the_application_unless_it_is_given(tmp_path: Path) -> None:
    own = LogOptions.of(StreamsConfig(REQUIRED), tmp_path)
    assert (own.path, own.level) == (tmp_path / "millstream.log", "normal")
    entries = {"millstream.log.file": str(tmp_path / "x"), "millstream.log": "QUIET"}
    given = LogOptions.of(StreamsConfig(REQUIRED | entries), tmp_path)
    assert (given.path, given.level) == (tmp_path / "x", "quiet")
    with pytest.raises(ConfigException, match=r"\(case insensitive\): off, quiet"):
        StreamsConfig(REQUIRED | {"millstream.log": "loud"})


def test_the_jvms_log_goes_to_the_file_unless_its_logging_is_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SPARK_CONF_DIR", raising=False)
    normal = LogOptions("normal", tmp_path / "app.log")
    options = jvm.with_log({jvm.JAVA_OPTIONS: "-Xss4m"}, normal)[jvm.JAVA_OPTIONS]
    assert options.endswith("-Xss4m")
    assert f'"-Dmillstream.log.file={tmp_path}/app.log"' in options
    configured = {jvm.JAVA_OPTIONS: "-Dlog4j2.configurationFile=mine"}
    assert jvm.with_log(configured, normal) == configured
    assert jvm.with_log({}, LogOptions("off", tmp_path)) == {}
    (tmp_path / "log4j2.properties").write_text("")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert jvm.with_log({}, normal) == {}


def test_what_a_jvm_writes_is_passed_on_without_the_noise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read, write = os.pipe()
    monkeypatch.setattr(jvm, "_STDERR", write)
    output = jvm._Output()
    for line in (jvm.NOISE[0], b"", b"a user's print", b"", jvm.NOISE[1] + b" x.", b"", b"rest"):
        os.write(output.end, line + b"\n")
    assert output.last_lines().split() == ["a", "user's", "print", "rest"]
    os.close(write)
    with os.fdopen(read, "rb") as passed:
        assert passed.read() == b"a user's print\n\nrest\n"


def batch(number: int, records: int, behind: int) -> dict[str, Any]:
    ends = {"in": {"0": 100}}
    return {
        "batchId": number,
        "durationMs": {"triggerExecution": 2000},
        "sources": [
            {
                "numInputRows": records,
                "endOffset": ends,
                "latestOffset": {"in": {"0": 100 + behind}},
            },
            {"numInputRows": 1, "endOffset": 5},  # ticks
        ],
    }


def test_lines_tell_of_the_start_the_first_batch_and_the_rate() -> None:
    said: list[str] = []
    now = [0.0]
    lines = ProgressLines("app", 60, lambda: now[0])
    lines.say = lambda text, *args: said.append(text % args)  # type: ignore[method-assign]
    lines.starting("/tmp/x.log")
    now[0] = 4.0
    lines.first_batch(1)
    last: list[dict[str, Any]] = []
    recent = [batch(0, 10, 0), batch(1, 600, 0), batch(3, 1200, 7)]
    for second in range(5, 195):
        now[0] = float(second)
        if second == 9:
            last.append(batch(0, 10, 5))
        lines.look(
            lambda: last[-1] if last else None, lambda: recent, lambda: 4 if now[0] < 130 else None
        )
    assert said == [
        "starting; log in /tmp/x.log",
        "started in 4.0 s, 1 task; the first batch begins",
        "running; first batch: 10 records in 9.0 s, 5 behind",
        # Of three batches Spark had the accounts of two.
        "running; 45 records a second, 7 behind, 2.0 s a batch",
        "running; no batch has ended for 60 s",
        "running; no new records for 60 s",
    ]


def test_a_first_batch_that_does_not_end_is_told_again_and_again() -> None:
    said: list[str] = []
    now = [0.0]
    lines = ProgressLines("app", 60, lambda: now[0])
    lines.say = lambda text, *args: said.append(text % args)  # type: ignore[method-assign]
    lines.starting("")
    now[0] = 4.0
    lines.first_batch(1)
    for second in range(5, 200):
        now[0] = float(second)
        lines.look(lambda: None, list, lambda: None if now[0] < 70 else 0)
    assert said[2:] == [
        "running; the first batch has not ended after 70 s",
        "running; the first batch has not ended after 130 s",
        "running; the first batch has not ended after 190 s",
    ]


def test_the_last_lines_of_the_jvm_are_not_those_of_a_trace() -> None:
    output = jvm._Output()
    frames = "".join(f"\tat org.example.Deep.call({line})\n" for line in range(40))
    os.write(output.end, f"Exception in thread: no such file\n{frames}".encode())
    assert output.last_lines() == "Exception in thread: no such file"


def test_a_repeated_batch_says_why_it_does_not_tell_how_far_behind() -> None:
    said: list[str] = []
    lines = ProgressLines("app", 60, lambda: 5.0)
    lines.say = lambda text, *args: said.append(text % args)  # type: ignore[method-assign]
    lines.first_batch(1)
    repeated = batch(3, 10, 0)
    del repeated["sources"][0]["latestOffset"]
    lines.look(lambda: repeated, list, lambda: None)
    assert said[-1].endswith(", a repeated batch: the next tells how far behind")
