"""Suppression of Spark's own output on the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def output_to(log: Path) -> Iterator[None]:
    """Let processes that are started inside the block write to `log`, for as long as they live.

    Spark's JVM and its Python workers write to what they inherit; only this process gets its own
    standard output and error back at the end of the block.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {number: os.dup(number) for number in (1, 2)}
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        for number in kept:
            os.dup2(file, number)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, own in kept.items():
            os.dup2(own, number)
            os.close(own)
        os.close(file)
