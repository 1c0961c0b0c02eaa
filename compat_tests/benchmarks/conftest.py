"""What benchmarks change in their process is put back."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _handler_of_sigterm() -> Iterator[None]:
    # A benchmark as a program ends its children when it gets the signal.
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)
