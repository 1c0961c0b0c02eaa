"""Users' listeners and handlers: checked when they are set, called so that the caller survives."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from millstream.core.errors import ClassCastException
from millstream.core.function_kinds import check_kind, method_or_self
from millstream.core.wording import a_kind
from millstream.topology.dsl.options.checks import checked_function

log = logging.getLogger(__name__)

STATES = ("newState", "oldState")
EXCEPTION = ("exception",)
RESTORES = ("onRestoreStart", "onBatchRestored", "onRestoreEnd")
STANDBYS = ("onUpdateStart", "onBatchLoaded", "onUpdateSuspended")
NO_EXIT = (
    "%s called sys.exit(), which ends no program from a thread of the library; let the main "
    "program end after run() or wait(), or call os._exit()"
)


def checked_callback(
    callback: Any, method: str, parameter: str, arguments: tuple[str, ...]
) -> Callable[..., Any] | None:
    """Return a callable for a callable, or for an object with the interface's method.

    Args:
        callback: What the user gave; None is taken.
        method: The interface's method.
        parameter: What the caller calls it.
        arguments: What it will be called with.

    Raises:
        ClassCastException: It is something else, a class, or cannot be called so.

    Example:
        >>> checked_callback(print, "onChange", "listener", STATES)
        <built-in function print>
        >>> checked_callback("print", "onChange", "listener", STATES)
        Traceback (most recent call last):
            ...
        millstream.core.errors.ClassCastException: listener cannot be a str
          hint: Give a callable, or an object with a method onChange().
    """
    if isinstance(callback, type) and hasattr(callback, method):
        raise ClassCastException(
            f"{parameter} cannot be the class {callback.__name__}",
            hint=f"Write {callback.__name__}(), with parentheses.",
        )
    checked_function(callback, method, parameter, arguments)
    return None if callback is None else method_or_self(callback, method)


def checked_listener(listener: Any, parameter: str, methods: tuple[str, ...]) -> Any:
    """Return a listener of an interface with several methods.

    Args:
        listener: What the user gave; None is taken.
        parameter: What the caller calls it.
        methods: The interface's methods that a listener must have.

    Raises:
        ClassCastException: It is a class, lacks a method, or has one that does nothing when called.

    Example:
        >>> checked_listener("print", "standbyListener", ("onUpdateStart",))
        Traceback (most recent call last):
            ...
        millstream.core.errors.ClassCastException: standbyListener cannot be a str
          hint: Give an object with the method onUpdateStart().
    """
    if listener is None:
        return None
    missing = [each for each in methods if not callable(getattr(listener, each, None))]
    if isinstance(listener, type) and not missing:
        raise ClassCastException(
            f"{parameter} cannot be the class {listener.__name__}",
            hint=f"Write {listener.__name__}(), with parentheses.",
        )
    if missing:
        many = "methods" if len(missing) > 1 else "method"
        raise ClassCastException(
            f"{parameter} cannot be {a_kind(listener)}",
            hint=f"Give an object with the {many} {'(), '.join(missing)}().",
        )
    for method in methods:
        check_kind(getattr(listener, method), f"{method}() of {parameter}")
    return listener


def called(callback: Callable[..., Any], *arguments: Any, role: str, instead: object = None) -> Any:
    """Call a user's callback; log what it raises, and return ``instead`` then.

    Not even ``sys.exit()`` goes through: it would end the thread that watches the application, and
    leave that in state RUNNING for ever. Only Ctrl-C in the main thread does.
    """
    try:
        return callback(*arguments)
    except SystemExit:
        log.exception(NO_EXIT, role)
    except KeyboardInterrupt:
        if threading.current_thread() is threading.main_thread():
            raise
        log.exception("%s failed", role)
    except BaseException:
        log.exception("%s failed", role)
    return instead
