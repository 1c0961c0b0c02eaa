"""A question for a store that its first batch fills waits for that batch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from compat_tests.spark.queries.world import World
from millstream.core.errors import InvalidStateStoreException
from millstream.topology.spark.queries import queries


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A program that takes up the state of an earlier one, before its first batch has ended."""
    made = World(tmp_path, begins_with_state=True)
    made.asked = {0: frozenset({"kv"})}
    # The first batch takes up "a". No task has records, so none tells the driver of changes.
    made.commit(0, "kv", {"a": "1"})
    made.carrying.starts("r")
    made.state.batch = None
    yield made
    made.close()


def test_a_store_of_a_changed_program_never_seems_to_be_empty(world: World) -> None:
    world.state.next_batches = [0]
    view = world.view()
    assert view.get("a") == "1"
    world.commit(0, "kv", {"b": "2"})
    assert [(entry.key, entry.value) for entry in view.all()] == [("a", "1"), ("b", "2")]


def test_a_question_does_not_wait_for_ever(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "FIRST_BATCH_S", 0)
    with pytest.raises(InvalidStateStoreException, match="no batch has been committed yet"):
        world.view()


def test_a_question_stops_waiting_when_the_application_ends(world: World) -> None:
    world.refused = True
    with pytest.raises(InvalidStateStoreException, match="kv"):
        world.view()
