"""Loggers that go on when a handler or a filter of the program's logging raises.

Python's handlers keep what their ``emit`` raises. What a filter raises, or a handler without that
care, reaches the caller: a filter that reads a context variable fails in each thread but its own.
In the thread that follows an application it would be taken for a failure of the application, or end
the thread, and the state would stay RUNNING for ever.
"""

from __future__ import annotations

import logging
import sys
import traceback
from contextlib import suppress
from typing import Any

_TOLD = (
    "a handler or a filter of the program's logging has failed: {!r}. It did not get this record, "
    "and may not have got others: {}"
)


class Undisturbed(logging.Logger):
    """Calls every handler, whatever the others raise; the first failure is told on stderr."""

    told = False
    """Whether a failure was told in this process: there is one for each record."""

    def handle(self, record: logging.LogRecord) -> None:
        """Pass a record on, unless a filter of this logger stops it or raises."""
        try:
            super().handle(record)
        except Exception:  # noqa: BLE001 - of the program
            _tell(self, record)

    def callHandlers(self, record: logging.LogRecord) -> None:
        """Call the handlers of this logger and of those above it."""
        if not self.hasHandlers():
            super().callHandlers(record)
        logger: logging.Logger | None = self
        while logger is not None:
            for handler in logger.handlers:
                if record.levelno >= handler.level:
                    try:
                        handler.handle(record)
                    except Exception:  # noqa: BLE001 - of the program
                        _tell(handler, record)
            logger = logger.parent if logger.propagate else None


def protect(root: str) -> None:
    """Make the loggers of this name, and of those below it, go on when a handler raises.

    Those that come later, of modules not imported yet, stay as they are.
    """
    for name, logger in list(logging.root.manager.loggerDict.items()):
        # Not of a class of the program's own, which may have its own way.
        if type(logger) is logging.Logger and f"{name}.".startswith(f"{root}."):
            logger.__class__ = Undisturbed


def _tell(part: Any, record: logging.LogRecord) -> None:
    """Tell of a failure once, as Python's own handlers do: unless it is switched off."""
    if Undisturbed.told or not logging.raiseExceptions:
        return
    Undisturbed.told = True
    with suppress(Exception):  # standard error may be closed
        print(_TOLD.format(part, record.getMessage()), file=sys.stderr, flush=True)
        traceback.print_exc()
