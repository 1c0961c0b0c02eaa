"""Spark's wait for a task's executor, where tasks have standbys."""

from __future__ import annotations

from typing import Any

import pytest

from millstream import StreamsConfig
from millstream.topology.spark.placement.internals import SparkInternals
from millstream.topology.spark.placement.locality_wait import LEAST_MS, MOST_MS, LocalityWait


def wait(**entries: Any) -> LocalityWait:
    given = {"application.id": "app", "bootstrap.servers": "nowhere:9092"}
    return LocalityWait(StreamsConfig(given | {k.replace("_", "."): v for k, v in entries.items()}))


def batch(took: int) -> dict[str, Any]:
    return {"durationMs": {"triggerExecution": took}}


def told(found: LocalityWait, *batches: int) -> list[int]:
    return [ms for took in batches if (ms := found.after(batch(took))) is not None]


def test_it_is_half_of_an_ordinary_batch_once_there_were_nine() -> None:
    found = wait(num_standby_replicas=1)
    assert told(found, 80_000, *[2000] * 8) == [1000]
    assert told(found, *[2100] * 9) == []
    assert told(found, *[100] * 9)[-1] == LEAST_MS
    assert found.after({}) is None


def test_it_is_never_longer_than_sparks_own() -> None:
    assert told(wait(num_standby_replicas=1), *[60_000] * 20) == []


def test_without_standbys_or_with_a_wait_of_the_users_own_nothing_changes() -> None:
    assert told(wait(), *[1000] * 20) == []
    own = {"spark_locality_wait_process": "2s"}
    assert told(wait(num_standby_replicas=1, **own), *[1000] * 20) == []


def test_it_is_short_while_the_workers_of_an_executor_are_started() -> None:
    found = wait()
    assert told(found, *[1000] * 9) == []
    assert found.after(batch(1000), cold=True) == 500
    assert [found.after(batch(4000), cold=True) for _ in range(9)] == [None] * 9
    assert told(found, 1000, 1000) == [MOST_MS]


@pytest.mark.parametrize(
    ("given", "is_the_users"),
    [
        ({}, False),
        ({"spark.locality.wait": "1s"}, True),
        ({"spark.locality.wait.node": "1s"}, True),
        ({"spark.locality.waiting": "1s"}, False),
    ],
)
def test_a_wait_that_spark_submit_was_given_is_known(
    given: dict[str, str], is_the_users: bool
) -> None:
    internals = SparkInternals.__new__(SparkInternals)
    entries = dict(given)
    internals._context = _Context(entries)
    assert internals.has_locality_wait() is is_the_users
    if not is_the_users:
        internals.set_locality_wait(400)
        assert entries["spark.locality.wait"] == "400ms"
        assert internals.has_locality_wait() is False


class _Context:
    """Spark's context as far as its configuration goes."""

    def __init__(self, entries: dict[str, str]) -> None:
        self._entries = entries

    def conf(self) -> _Context:
        return self

    def get(self, key: str, default: str) -> str:
        return self._entries.get(key, default)

    def set(self, key: str, value: str) -> None:
        self._entries[key] = value
