"""Refusal of green threads, in which neither Kafka's clients nor Spark's JVM can be waited for."""

from __future__ import annotations

import sys

from millstream.core.errors import StreamsException

PATCHERS = {"gevent.monkey": "is_module_patched", "eventlet.patcher": "is_monkey_patched"}
"""Modules that replace Python's own -> their function that tells whether a module is replaced."""
_NEEDED = ("threading", "thread", "subprocess")


def check_threads() -> None:
    """Check that threads and child processes are Python's own.

    Green threads wait for ever, without a word: calls of Kafka's clients and pipes block them all.

    Raises:
        StreamsException: gevent or eventlet has replaced them.
    """
    for patcher, asks in PATCHERS.items():
        module = sys.modules.get(patcher)
        is_replaced = getattr(module, asks, None)
        if is_replaced is not None and any(map(is_replaced, _NEEDED)):
            name = patcher.partition(".")[0]
            raise StreamsException(
                f"{name} has replaced threads or child processes of this program",
                detail="Kafka's clients and Spark's JVM block them all, so that the start would "
                "never end.",
                hint="Run the application in a process of its own, without the monkey patches of "
                f"{name}.",
            )
