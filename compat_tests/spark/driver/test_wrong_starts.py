"""Starts that are refused: a second one, and one after the end."""

from __future__ import annotations

import pytest

from compat_tests.spark.driver.test_lifecycle import App, app
from millstream import IllegalStateException

__all__ = ["app"]


def test_a_second_start_is_refused_and_changes_nothing(app: App) -> None:
    app.start()
    with pytest.raises(IllegalStateException, match="cannot start: the application is RUNNING"):
        app.start()
    assert app.state().name == "RUNNING"
    assert app.close() is True


def test_an_application_may_be_closed_before_its_start_and_then_has_ended(app: App) -> None:
    assert app.close() is True
    assert app.states == ["PENDING_SHUTDOWN", "NOT_RUNNING"]
    assert app.close() is True
    with pytest.raises(IllegalStateException, match="cannot start: the application is NOT_RUNN"):
        app.start()
