"""Tests of handlers and filters of the program's logging that raise."""

from __future__ import annotations

import contextvars
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from millstream.topology.spark.logs import ApplicationLog, LogOptions
from millstream.topology.spark.undisturbed_logging import Undisturbed

_REQUEST: contextvars.ContextVar[str] = contextvars.ContextVar("request")
log = logging.getLogger("millstream.topology.spark.driver.lifecycle")


class _OfRequest(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.request = _REQUEST.get()
        return True


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of a log that is open beside a handler whose filter raises in other threads."""
    monkeypatch.setattr(Undisturbed, "told", False)
    failing, logger = logging.StreamHandler(), logging.getLogger("millstream")
    failing.addFilter(_OfRequest())
    _REQUEST.set("main")
    logger.addHandler(failing)
    application = ApplicationLog(LogOptions("normal", tmp_path / "log" / "app.log"))
    application.open()
    yield tmp_path / "log" / "app.log"
    application.close()
    logger.removeHandler(failing)


def _log_in_a_thread(*texts: str) -> None:
    failures: list[LookupError] = []

    def write() -> None:
        try:
            for text in texts:
                log.error(text)
        except LookupError as error:
            failures.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    thread.join()
    assert not failures


def test_a_filter_that_raises_does_not_end_the_thread_that_logs(opened: Path) -> None:
    _log_in_a_thread("the watcher sees a failure", "the state is ERROR")
    assert "the watcher sees a failure" in opened.read_text()
    assert "the state is ERROR" in opened.read_text()


def test_other_handlers_get_what_one_has_failed_at(opened: Path) -> None:
    kept = _Kept()
    logging.getLogger("millstream").addHandler(kept)
    try:
        _log_in_a_thread("one", "two")
    finally:
        logging.getLogger("millstream").removeHandler(kept)
    assert kept.texts == ["one", "two"]


def test_the_first_failure_is_told_with_its_trace(
    opened: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _log_in_a_thread("one", "two")
    told = capsys.readouterr().err
    assert told.count("of the program's logging has failed") == 1
    assert "It did not get this record, and may not have got others: one" in told
    assert "LookupError" in told
    assert "_REQUEST.get()" in told


def test_a_filter_of_a_logger_may_raise_too(opened: Path) -> None:
    wrong = _OfRequest()
    log.addFilter(wrong)
    try:
        _log_in_a_thread("one")
    finally:
        log.removeFilter(wrong)
    assert "one" not in opened.read_text()
