"""Feedback topics are purged again after a broker was away."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError
from confluent_kafka import KafkaException as ClientException

from millstream.topology.spark.driver import purge
from millstream.topology.spark.driver.purge import Purger


class Query:
    """A query that is active for a number of looks."""

    def __init__(self, looks: int) -> None:
        self._looks = looks
        ends = {"endOffset": {"back": {"0": 7}, "other": {"0": 9}}}
        self.lastProgress = SimpleNamespace(json=json.dumps({"sources": [ends]}))

    @property
    def isActive(self) -> bool:
        self._looks -= 1
        return self._looks >= 0


def test_a_broker_that_was_away_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[Any] = []

    def answer(timeout_s: float) -> None:
        if len(asked) < 3:
            raise ClientException(KafkaError(KafkaError._TRANSPORT))

    def delete_records(places: list[Any]) -> dict[Any, Any]:
        asked.extend((p.topic, p.partition, p.offset) for p in places)
        return {0: SimpleNamespace(result=answer)}

    client = SimpleNamespace(delete_records=delete_records)
    monkeypatch.setattr(purge, "AdminClient", lambda settings: client)
    monkeypatch.setattr(purge, "_MIN_INTERVAL_S", 0)
    caplog.set_level("INFO")
    Purger({"back"}, 0, {})._watch(Query(6))  # type: ignore[arg-type]
    assert asked == [("back", 0, 7)] * 3
    assert caplog.text.count("not purged") == 1
