"""A plugin of pytest that writes down which tests call which form of the public API.

``pytest -p compat_tests.api.recording --record-api FILE -m "not spark" compat_tests``
"""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from compat_tests.api.recorder import Recorder


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-api", help="where to write which tests call which form")


def pytest_configure(config: pytest.Config) -> None:
    if file := config.getoption("--record-api"):
        config.pluginmanager.register(Recording(Path(file)))


class Recording:
    """What each test called, in the order of the tests."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.tests: dict[str, list[str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        with Recorder() as recorder:
            result = yield
        if recorder.seen:
            self.tests[item.nodeid] = sorted(recorder.seen)
        return result

    def pytest_sessionfinish(self) -> None:
        self.file.write_text(json.dumps(self.tests), encoding="utf-8")
