"""What `millstream reset` has done when it is killed, and that it can be repeated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from millstream import StreamsConfig
from millstream.cli import reset_plan
from millstream.cli.groups import GroupOffsets, Place
from millstream.cli.reset_offsets import Scenario
from millstream.cli.reset_plan import StoppedApplication, execute_plan, planned
from millstream.core.errors import IllegalArgumentException
from millstream.topology.spark.checkpoint.descriptor import new_checkpoint
from millstream.topology.spark.checkpoint.files import LocalFiles

OWNER, REPARTITION = "app-millstream-owner", "app-a-repartition"


class Broker:
    """The topics and the group of an application."""

    own_topics = frozenset({OWNER})

    def __init__(self) -> None:
        self.sizes = {OWNER: 1, REPARTITION: 1, "in": 1}
        self.offsets: dict[Place, int] = {("in", 0): 8}
        self.shifted: dict[Place, int] = {}

    def committed(self, also: Iterable[Place] = ()) -> dict[Place, int]:
        return {} if also else self.offsets

    def commit(
        self, offsets: Mapping[Place, int], shifted: Mapping[Place, int] | None = None
    ) -> None:
        self.offsets |= offsets
        self.shifted = dict(shifted or {})

    def shifted_from(self) -> dict[Place, int]:
        return self.shifted

    def delete_topics(self, topics: Sequence[str]) -> None:
        for topic in topics:
            self.sizes.pop(topic, None)

    def beginnings(self, places: Iterable[Place]) -> dict[Place, int]:
        return dict.fromkeys(places, 0)

    def ends(self, places: Iterable[Place]) -> dict[Place, int]:
        return dict.fromkeys(places, 9)


@pytest.fixture
def broker() -> Broker:
    return Broker()


@pytest.fixture
def application(tmp_path: Path, broker: Broker) -> StoppedApplication:
    root = tmp_path / "app" / "checkpoint"
    note = new_checkpoint("", {}, {}, application="app")
    LocalFiles(root).write("millstream.json", note.to_json())
    config = StreamsConfig(
        {"application.id": "app", "bootstrap.servers": "b:1", "state.dir": str(tmp_path)}
    )
    group, place = cast(GroupOffsets, broker), root.as_uri()
    return StoppedApplication(
        config, "app", dict(broker.sizes), group, tmp_path / "app", place, has_state=True
    )


class Killed(Exception):
    """Of the process."""


def test_a_start_after_it_does_not_read_what_was_in_repartition_topics(
    application: StoppedApplication, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(_: object) -> None:
        raise Killed

    monkeypatch.setattr(reset_plan, "empty", kill)
    plan = planned(application, Scenario(), [], [], None)
    with pytest.raises(Killed):
        execute_plan(application, plan)
    assert broker.sizes.keys() == {OWNER, "in"}
    assert broker.offsets == {("in", 0): 0}
    assert (application.state_dir / "cleaned").exists()


def test_topics_that_it_has_deleted_may_be_named_once_more(
    application: StoppedApplication, broker: Broker
) -> None:
    def plan(topic: str) -> Any:
        now = replace(application, sizes=dict(broker.sizes))
        return planned(now, Scenario(), [], [], [topic])

    assert plan(REPARTITION).topics == [REPARTITION, OWNER]
    broker.delete_topics([REPARTITION])
    again = plan(REPARTITION)
    assert again.topics == [OWNER]
    assert again.warnings == [f'internal topic "{REPARTITION}" does not exist any more']
    with pytest.raises(IllegalArgumentException, match='"app-output" is not an internal topic'):
        plan("app-output")


def test_sorted_files_of_a_run_over_history_go_with_the_checkpoint(
    application: StoppedApplication,
) -> None:
    """A later run with these files would take them for read."""
    files = LocalFiles(application.state_dir / "checkpoint")
    files.write("backfill/files.json", "{}")
    files.write("backfill/data-0/partition=0/part.parquet", "")
    execute_plan(application, planned(application, Scenario(), [], [], None))
    assert files.names("") == []


@pytest.mark.parametrize("step", ["empty", "free_slots", "_local_paths", "_wait_until_forgotten"])
def test_a_shift_that_is_repeated_counts_from_where_the_group_was(
    application: StoppedApplication, broker: Broker, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def kill(*_: object) -> None:
        raise Killed

    def plan(by: int) -> Any:
        now = replace(application, sizes=dict(broker.sizes))
        return planned(now, Scenario(shift_by=by), [], [], None)

    first = plan(-3)
    with monkeypatch.context() as patched:
        patched.setattr(reset_plan, step, kill)
        with pytest.raises(Killed):
            execute_plan(application, first)
    assert broker.offsets == {("in", 0): 5}
    if step != "_wait_until_forgotten":
        again = plan(-3)
        assert (again.offsets, again.before) == ({("in", 0): 5}, {("in", 0): 5})
        assert "--shift-by counts from where they were before" in again.warnings[0]
        execute_plan(application, again)
    # It has ended: another one counts from here.
    second = plan(-1)
    assert (second.offsets, second.warnings) == ({("in", 0): 4}, [])


def test_an_offset_that_was_never_committed_is_shifted_once_too(
    application: StoppedApplication, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(_: object) -> None:
        raise Killed

    broker.offsets = {}
    first = planned(application, Scenario(shift_by=4), ["in"], [], None)
    with monkeypatch.context() as patched:
        patched.setattr(reset_plan, "empty", kill)
        with pytest.raises(Killed):
            execute_plan(application, first)
    assert broker.offsets == {("in", 0): 4}
    assert planned(application, Scenario(shift_by=4), ["in"], [], None).offsets == broker.offsets
