"""A decoder under test: valid samples, and what reads them."""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree


@dataclass(frozen=True)
class Decoder:
    """A decoder under test.

    ``decode`` may answer anything, and may raise only what ``millstream.core.errors`` has.
    """

    samples: Sequence[bytes]
    """What its encoder has written."""
    decode: Callable[[bytes], object]
    mend: Callable[[bytes], bytes] = bytes
    """Makes checksums fit again, so that what lies behind them is reached."""


Maker = Callable[[], Decoder]


def folder() -> Path:
    """Return a new directory, which is deleted when the process ends."""
    made = Path(tempfile.mkdtemp(prefix="fuzz-"))
    atexit.register(rmtree, made, ignore_errors=True)
    return made
