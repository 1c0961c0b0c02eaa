"""Quiet: thousands of generated records are dropped on purpose."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="package")
def _quiet() -> Iterator[None]:
    logger = logging.getLogger("millstream")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    yield
    logger.setLevel(level)
