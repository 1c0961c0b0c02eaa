"""Log of an application: a few lines to the terminal, everything to a file.

If the program has set up Python's logging, the records go there and not to the terminal.
"""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass
from logging.handlers import WatchedFileHandler
from pathlib import Path

from millstream.core.config import StreamsConfig
from millstream.core.config.own_keys import LOG, LOG_FILE
from millstream.core.errors import ConfigException
from millstream.topology.spark.log_files import LogFile
from millstream.topology.spark.private import private_directory
from millstream.topology.spark.undisturbed_logging import protect

ROOT = "millstream"
FILE_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_FILE_MODE = 0o640
_DISABLED = (
    "the program has disabled the loggers of millstream: warnings and failures are written "
    "nowhere, and the log file stays empty. Give logging.config.dictConfig() "
    '"disable_existing_loggers": False, or call it before the imports'
)

log = logging.getLogger(__name__)
progress = logging.getLogger("millstream.progress")
"""Logger of short progress lines for a terminal."""


@dataclass(frozen=True, slots=True)
class LogOptions:
    """How much is logged, and where."""

    level: str
    """``off``, ``quiet``, ``normal`` or ``verbose``."""
    path: Path

    @staticmethod
    def of(config: StreamsConfig, directory: Path) -> LogOptions:
        """Return the options of a configuration; ``directory`` is the application's own."""
        given = config.getString(LOG_FILE)
        path = Path(given) if given else directory / "millstream.log"
        return LogOptions(config.getString(LOG).lower(), path.absolute())

    @property
    def on(self) -> bool:
        """Whether logging is set up at all."""
        return self.level != "off"

    @property
    def verbose(self) -> bool:
        """Whether the terminal gets all records."""
        return self.level == "verbose"


def file_handler(path: Path | str) -> logging.Handler:
    """Create a log file if needed, and return the handler; another process may rotate the file.

    Raises:
        ConfigException: The file cannot be written.
    """
    path = Path(path)
    try:
        private_directory(path.parent)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _FILE_MODE))
        handler = LogFile(path)
    except OSError as error:
        raise ConfigException(
            f"cannot write the log file {path}",
            detail=f"{error}.",
            hint="Make state.dir a directory that the program may write to, or give "
            "millstream.log.file; millstream.log=off writes none.",
        ) from error
    handler.setFormatter(_WithDetails(FILE_FORMAT))
    return handler


class ApplicationLog:
    """The handlers of one application in this process, from its start to its end."""

    def __init__(self, options: LogOptions) -> None:
        self.options = options
        self._handlers: list[logging.Handler] = []

    def open(self) -> None:
        """Attach the handlers.

        Raises:
            ConfigException: The file cannot be written.
        """
        protect(ROOT)
        protect("py4j")  # logs in the threads that ask the JVM, which are millstream's
        if not self.options.on or self._handlers:
            return
        logger = logging.getLogger(ROOT)
        self._handlers = [file_handler(self.options.path), Console(self.options.level)]
        for handler in self._handlers:
            logger.addHandler(handler)
        if not _is_configured(logger):
            logger.propagate = False
            if logger.level == logging.NOTSET:
                logger.setLevel(logging.INFO)
        _warn_if_disabled()

    def close(self) -> None:
        """Detach the handlers."""
        logger = logging.getLogger(ROOT)
        for handler in self._handlers:
            logger.removeHandler(handler)
            handler.close()
        self._handlers = []
        if not logger.propagate and not any(isinstance(each, _OWN) for each in logger.handlers):
            logger.propagate = True
            if logger.level == logging.INFO:
                logger.setLevel(logging.NOTSET)


class Console(logging.Handler):
    """Writes short lines to standard error, unless the program has handlers of its own.

    A record with the attribute ``raised`` is not written: its error is raised to a caller. Of
    several consoles only the last one added writes.
    """

    def __init__(self, level: str) -> None:
        super().__init__()
        self._level = level
        self.setFormatter(logging.Formatter("%(message)s") if level != "verbose" else _VERBOSE)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record if its level and the program's logging setup allow it."""
        if not self._wants(record):
            return
        copied = record
        if self._level != "verbose" and record.exc_info:
            copied = logging.makeLogRecord(record.__dict__)
            copied.exc_info = copied.exc_text = None
        try:
            print(self.format(copied), file=sys.stderr, flush=True)
        except Exception:  # noqa: BLE001 - as every handler of Python's does
            self.handleError(record)

    def _wants(self, record: logging.LogRecord) -> bool:
        logger = logging.getLogger(ROOT)
        consoles = [each for each in logger.handlers if isinstance(each, Console)]
        if _is_configured(logger) or (consoles and consoles[-1] is not self):
            return False
        if getattr(record, "raised", False):
            return False
        if self._level == "verbose":
            return True
        if self._level == "quiet":
            return record.levelno >= logging.ERROR
        return record.levelno >= logging.WARNING or record.name == progress.name


class _WithDetails(logging.Formatter):
    """Writes the attribute ``details`` of a record below it."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        details = getattr(record, "details", "")
        return f"{text}\n{details}" if details else text


_OWN = (Console, WatchedFileHandler)
_VERBOSE = _WithDetails("%(asctime)s %(levelname)s %(name)s: %(message)s")


def _is_configured(logger: logging.Logger) -> bool:
    """Return whether the program has configured handlers for this logger."""
    own = all(isinstance(each, _OWN) for each in logger.handlers)
    return not own or (logger.propagate and bool(logging.getLogger().handlers))


def _warn_if_disabled() -> None:
    """Tell that the program's logging setup has disabled the loggers that it found.

    ``dictConfig`` and ``fileConfig`` do so with all that they do not name, unless they are told not
    to. No handler gets their records then, nor does the file.
    """
    # Two: a program may disable one that it does not want.
    if progress.disabled and log.disabled:
        told = logging.getLogger(f"{ROOT}.disabled")
        told.disabled = False
        told.warning(_DISABLED)


def log_in_worker(path: str | None) -> None:
    """Send a worker's records to the application's file; None changes nothing."""
    protect(ROOT)
    logger = logging.getLogger(ROOT)
    known = [each for each in logger.handlers if isinstance(each, WatchedFileHandler)]
    if path is None or any(each.baseFilename == path for each in known):
        return
    for handler in known:
        logger.removeHandler(handler)
        handler.close()
    try:
        logger.addHandler(file_handler(path))
    except ConfigException:
        return
    logger.propagate = False
