"""A decoder under test: valid samples, and what reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


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
