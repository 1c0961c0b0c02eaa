"""Quiet: the programs drop records all the time, and each is worth a line in the log."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="package")
def no_log() -> Iterator[None]:
    """Switch logging off, which also makes the properties twice as fast."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)
