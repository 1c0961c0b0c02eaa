"""Waiting for the last batch ends when no broker answers."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest

from millstream.core.config import StreamsConfig
from millstream.topology.spark.driver import query
from millstream.topology.spark.driver.query import QueryControl
from millstream.topology.spark.driver.silent_broker import FIRST_LOOK_S, PAUSE_S, SilentBroker


class World:
    """A clock that is set, and a broker that answers or not."""

    def __init__(self) -> None:
        self.now = 100.0
        self.answers = False
        self.looks = 0

    def look(self) -> bool:
        self.looks += 1
        return self.answers

    def broker(self) -> SilentBroker:
        return SilentBroker(self.look, lambda: self.now)


def test_a_batch_that_ends_soon_needs_no_look() -> None:
    world = World()
    broker = world.broker()
    world.now += FIRST_LOOK_S - 0.1
    assert not broker.is_silent()
    assert world.looks == 0


def test_two_looks_in_vain_are_needed() -> None:
    world = World()
    broker = world.broker()
    world.now += FIRST_LOOK_S
    assert not broker.is_silent()
    assert not broker.is_silent()
    world.now += PAUSE_S
    assert broker.is_silent()
    assert world.looks == 2


def test_a_broker_that_comes_back_is_waited_for() -> None:
    world = World()
    broker = world.broker()
    for answers in (False, True, False):
        world.now += FIRST_LOOK_S
        world.answers = answers
        assert not broker.is_silent()


def test_the_query_stops_without_its_batch_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(query, "SilentBroker", lambda look: SimpleNamespace(is_silent=lambda: True))
    stopped: list[bool] = []
    running: Any = SimpleNamespace(
        isActive=True,
        status={"isTriggerActive": True},
        lastProgress=None,
        stop=lambda: stopped.append(True),
    )
    config = StreamsConfig({"application.id": "app", "bootstrap.servers": "nowhere:1"})
    control = QueryControl(config)
    control._query = running
    with caplog.at_level(logging.WARNING):
        control.stop(None)
    assert stopped == [True]
    assert "app: Kafka does not answer; stopping without the end" in caplog.text
