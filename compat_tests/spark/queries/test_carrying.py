"""The driver's copies follow what batches carry, and read the checkpoint where it does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import MagicMock

import pytest

from compat_tests.spark.queries.world import World
from millstream import KeyQuery, StateQueryRequest
from millstream.topology.spark.queries.carrying import with_changes
from millstream.topology.spark.state.carried import CarriedTask, asked_of, asked_to_text

KV = frozenset({"kv"})


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    made.queries._follower = None  # the tests do what its thread would do
    yield made
    made.close()


@pytest.fixture
def view(world: World) -> Any:
    """A view of a store that has been read once, at a batch of both tasks."""
    world.commit(0, "kv", {"a": "1"})
    world.commit(1, "kv", {"z": "1"})
    found = world.view()
    assert found.get("a") == "1"
    world.asked, world.state.asked = {0: KV}, []
    return found


def shown(view: Any) -> dict[str, str]:
    return {entry.key: entry.value for entry in view.all()}


def test_what_batches_carry_is_applied_without_the_checkpoint(world: World, view: Any) -> None:
    world.commit(0, "kv", {"a": "2", "b": "2"})
    assert shown(view) == {"a": "2", "b": "2", "z": "1"}
    world.commit(0, "kv", {"a": None})
    world.commit(1, "kv", {"z": "3"})
    assert shown(view) == {"b": "2", "z": "3"}
    assert world.state.asked == []


def test_a_store_that_was_empty_when_it_was_asked_for_is_followed_from_the_first_batch(
    world: World,
) -> None:
    world.asked = {0: KV}
    view = world.view()
    assert view.get("a") is None
    world.commit(0, "kv", {"a": "1"})
    world.commit(1, "kv", {"b": "1"})
    assert shown(view) == {"a": "1", "b": "1"}
    assert world.state.asked == []


def test_changes_that_are_not_committed_are_not_shown(world: World, view: Any) -> None:
    before = dict(world.state.manifests_)
    world.run(0, "kv", {"a": "lost"})
    assert shown(view)["a"] == "1"
    # The batch failed; the next run makes another one of that number.
    world.state.manifests_ = before
    world.carrying.starts("r2")
    world.run(0, "kv", {"a": "2"}, run_id="r2")
    assert shown(view)["a"] == "1"
    world.state.batch = world.next_batch()
    assert shown(view)["a"] == "2"
    assert world.state.asked == []


def test_reports_of_an_earlier_run_are_not_used(world: World, view: Any) -> None:
    before = dict(world.state.manifests_)
    world.carrying.starts("r2")
    world.run(0, "kv", {"a": "lost"}, run_id="r")
    world.state.manifests_ = before
    world.asked = {}
    world.commit(0, "kv", {"a": "2"})
    assert shown(view)["a"] == "2"
    assert len(world.state.asked) == 1


def test_a_batch_that_carried_nothing_is_read_from_the_checkpoint(world: World, view: Any) -> None:
    world.asked = {}
    world.commit(0, "kv", {"a": "2"})
    world.asked = {0: KV}
    world.commit(0, "kv", {"b": "3"})
    assert shown(view) == {"a": "2", "b": "3", "z": "1"}
    assert len(world.state.asked) == 1
    world.commit(0, "kv", {"b": "4"})
    assert shown(view)["b"] == "4"
    assert len(world.state.asked) == 1


def test_a_batch_whose_end_is_not_known_is_read_from_the_checkpoint(
    world: World, view: Any
) -> None:
    world.run(0, "kv", {"a": "2"}, ends=False)
    world.state.batch = world.next_batch()
    assert shown(view)["a"] == "2"
    assert len(world.state.asked) == 1


def test_several_accepted_attempts_are_read_from_the_checkpoint(world: World, view: Any) -> None:
    before = dict(world.state.manifests_)
    world.run(0, "kv", {"a": "first"})
    world.state.manifests_ = before
    world.run(0, "kv", {"a": "second"})
    world.state.batch = world.next_batch()
    assert shown(view)["a"] == "second"
    assert len(world.state.asked) == 1


def test_an_attempt_that_is_accepted_after_another_was_decoded_is_noticed(
    world: World, view: Any
) -> None:
    before = dict(world.state.manifests_)
    world.run(0, "kv", {"a": "first"})
    found = world.carrying.changes(world.next_batch(), 0)
    assert found is not None
    assert sorted(found) == [0]
    world.state.manifests_ = before
    world.run(0, "kv", {"a": "second"})
    world.state.batch = world.next_batch()
    assert shown(view)["a"] == "second"
    assert len(world.state.asked) == 1


def test_changes_that_do_not_follow_what_the_copy_has_are_not_applied(
    world: World, view: Any
) -> None:
    _change_next(world, lambda task: replace(task, base=replace(task.base, id=b"x" * 16)))
    world.commit(0, "kv", {"a": "2"})
    assert shown(view)["a"] == "2"
    assert len(world.state.asked) == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda task: replace(task, head=task.head[:-3]),
        lambda task: replace(task, segments=tuple(each[:-1] for each in task.segments)),
        lambda task: replace(task, segments=None),
    ],
    ids=["manifest", "segment", "too-large"],
)
def test_damaged_or_missing_changes_are_read_from_the_checkpoint(
    world: World, view: Any, damage: Any
) -> None:
    _change_next(world, damage)
    world.commit(0, "kv", {"a": "2"})
    assert shown(view)["a"] == "2"
    assert len(world.state.asked) == 1


def test_changes_beyond_the_bound_do_not_travel(world: World, view: Any) -> None:
    world.worker = replace(world.worker, carried_bytes=200)
    world.commit(0, "kv", {"a": "x"})
    assert shown(view)["a"] == "x"
    assert world.state.asked == []
    random = Random(3)
    found: list[CarriedTask] = []

    def noted(task: CarriedTask) -> CarriedTask:
        found.append(task)
        return task

    _change_next(world, noted)
    value = random.randbytes(200).hex()
    world.commit(0, "kv", {"a": value})
    assert shown(view)["a"] == value
    assert [task.segments for task in found] == [None]
    assert len(world.state.asked) == 1


@pytest.mark.parametrize(("accepted", "most"), [("1g", 64 << 20), ("0", 64 << 20), ("8m", 2 << 20)])
def test_the_bound_keeps_clear_of_the_one_that_spark_has_for_results(
    world: World, accepted: str, most: int
) -> None:
    sizes = {"1g": 1 << 30, "0": 0, "8m": 8 << 20}
    context = MagicMock()
    context._jsc.sc().conf().getSizeAsBytes.return_value = sizes[accepted]
    job = with_changes(world.worker, context, world.carrying)
    assert (job.carried_bytes, job.carried) == (most, context.accumulator.return_value)


def test_one_task_that_does_not_fit_brings_both_to_the_checkpoints_state(
    world: World, view: Any
) -> None:
    world.run(0, "kv", {"a": "2"}, ends=False)
    _change_next(world, lambda task: replace(task, segments=None))
    world.run(1, "kv", {"z": "2"})
    world.state.batch = world.next_batch()
    assert shown(view) == {"a": "2", "z": "2"}
    world.commit(0, "kv", {"a": "3"})
    assert shown(view) == {"a": "3", "z": "2"}
    assert len(world.state.asked) == 1


def test_only_what_is_asked_for_travels(world: World, view: Any) -> None:
    found: list[CarriedTask] = []

    def noted(task: CarriedTask) -> CarriedTask:
        found.append(task)
        return task

    _change_next(world, noted)
    world.run(0, "other", {"a": "secret"}, ends=False)
    (task,) = found
    assert task.changes() == {}
    world.state.batch = world.next_batch()


def test_a_second_store_is_read_once_and_then_followed(world: World, view: Any) -> None:
    world.commit(0, "other", {"a": "5"})
    assert shown(view)["a"] == "1"
    other = world.view("other")
    assert shown(other) == {"a": "5"}
    world.asked = {0: frozenset({"kv", "other"})}
    reads = len(world.state.asked)
    world.commit(0, "other", {"a": "6"})
    world.commit(0, "kv", {"a": "6"})
    assert (shown(other)["a"], shown(view)["a"]) == ("6", "6")
    assert len(world.state.asked) == reads


def test_a_store_that_is_not_carried_any_more_is_read_when_it_is_asked_for_again(
    world: World, view: Any
) -> None:
    other = world.view("other")
    assert shown(other) == {}
    world.commit(0, "kv", {"a": "2"})
    world.commit(0, "other", {"x": "1"})
    world.commit(0, "kv", {"a": "3"})
    assert shown(view)["a"] == "3"
    assert world.state.asked == []
    assert shown(other) == {"x": "1"}
    assert len(world.state.asked) == 1
    assert shown(view)["a"] == "3"


def test_positions_follow(world: World, view: Any) -> None:
    world.commit(0, "kv", {"a": "2"})
    query: Any = StateQueryRequest.inStore("kv").withQuery(KeyQuery.withKey("a"))
    result = world.queries.query(query)
    assert result.getPosition().getPartitionPositions("in") == {0: 29}
    assert world.state.asked == []


def test_a_rolling_rewrite_does_not_travel(world: World, view: Any) -> None:
    random = Random(3)
    for number in range(60):
        # Nothing that can be compressed.
        entries = {f"k{n}": f"{number}{random.randbytes(5000).hex()}" for n in range(4)}
        world.commit(0, "kv", entries)
        assert view.get("k0") == entries["k0"]
    assert world.state.manifests_[0].first > 0
    assert world.state.asked == []


def test_a_copy_on_disk_that_followed_is_continued(world: World, view: Any) -> None:
    world.commit(0, "kv", {"a": "2"})
    assert view.get("a") == "2"
    world.queries.close()
    world.queries._closed = False
    world.commit(0, "kv", {"a": "3"})
    assert shown(world.view()) == {"a": "3", "z": "1"}
    assert world.state.asked == [{0: 2}]


def test_too_many_changes_are_forgotten(
    world: World, view: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("millstream.topology.spark.queries.carrying.MOST_BYTES", 10)
    world.commit(0, "kv", {"a": "2"})
    assert shown(view)["a"] == "2"
    assert len(world.state.asked) == 1


def test_what_arrives_of_a_batch_after_a_part_of_it_was_forgotten_is_not_used(
    world: World, view: Any
) -> None:
    world.run(0, "kv", {"a": "2"}, ends=False)
    world.carrying.ask(world.asked)
    world.carrying.ask({})
    world.carrying.ask(world.asked)
    world.run(1, "kv", {"z": "2"})
    world.state.batch = world.next_batch()
    assert shown(view) == {"a": "2", "z": "2"}
    assert len(world.state.asked) == 1


@pytest.mark.parametrize("asked", [{}, {0: KV, 11: frozenset({'ö"\n', "<b>", "it's"})}])
def test_the_setting_says_what_is_asked_for(asked: dict[int, frozenset[str]]) -> None:
    assert asked_of(asked_to_text(asked)) == asked


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"x": ["kv"]}', '{"0": [1]}'])
def test_another_ones_setting_asks_for_nothing(text: str | None) -> None:
    assert asked_of(text) == {}


def _change_next(world: World, change: Any) -> None:
    """Change the next report of a task on its way."""
    arrived = world.carrying.reports
    original = arrived.addInPlace

    def changed(value1: list[Any], value2: list[Any]) -> Any:
        if isinstance(value2[0], CarriedTask):
            del arrived.addInPlace
            value2 = [change(value2[0])]
        return original(value1, value2)

    arrived.addInPlace = changed  # type: ignore[method-assign]
