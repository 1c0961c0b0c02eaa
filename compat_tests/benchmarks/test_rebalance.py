"""The simulation of rebalancing: what it prints and what it catches; no time is tested."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.rebalance.__main__ import main
from benchmarks.rebalance.history import history
from benchmarks.rebalance.settings import Setting
from millstream.core.assignment import AssignmentConfigs
from millstream.topology.assign.cluster import Assignment, Cluster
from millstream.topology.assign.public import StockTaskAssignor
from millstream.topology.assign.sticky import Sticky

SMALL = ("--executors", "10", "--tasks", "100", "--steps", "8")
STRATEGIES = {
    "sticky",
    "high-availability",
    "round-robin",
    "no-delay",
    "learners",
    "eager",
    "hash",
    "random",
}


class Broken(Sticky):
    """Sticky, but one thing is wrong."""

    def assign(self, cluster: Cluster, configs: AssignmentConfigs) -> Assignment:
        found = super().assign(cluster, configs)
        # The first assignment is right: what is wrong comes when executors come and go.
        first = all(not instance.active for instance in cluster.instances)
        return found if first else self.wrong(found)

    def wrong(self, found: Assignment) -> Assignment:
        raise NotImplementedError


class TwoOwners(Broken):
    def wrong(self, found: Assignment) -> Assignment:
        first, *_, last = sorted(found.active)
        more = {last: (*found.active[last], found.active[first][0])}
        return replace(found, active={**found.active, **more})


class NoOwner(Broken):
    def wrong(self, found: Assignment) -> Assignment:
        first = min(found.active)
        return replace(found, active={**found.active, first: found.active[first][1:]})


class CopyBesideActive(Broken):
    def wrong(self, found: Assignment) -> Assignment:
        return replace(found, standby=found.active)


class Greedy(Broken):
    """Hands all tasks to the first executor."""

    def wrong(self, found: Assignment) -> Assignment:
        nothing: dict[str, tuple[Any, ...]] = dict.fromkeys(found.active, ())
        everything = {min(found.active): tuple(sorted(found.owners()))}
        return replace(found, active={**nothing, **everything}, warmup=nothing, followup=False)


class Endless(Broken):
    def wrong(self, found: Assignment) -> Assignment:
        return replace(found, followup=True)


class Restless:
    """Hands all tasks of each executor to the next one, again and again."""

    name = "restless"

    def assign(self, cluster: Cluster, configs: AssignmentConfigs) -> Assignment:
        found = Sticky().assign(cluster, configs)
        if all(not instance.active for instance in cluster.instances):
            return found
        names = sorted(found.active)
        turned = [found.active[name] for name in (*names[1:], names[0])]
        nothing: dict[str, tuple[Any, ...]] = dict.fromkeys(names, ())
        active = dict(zip(names, turned, strict=True))
        return replace(found, active=active, warmup=nothing, followup=False)


class TwoOwnersByName(StockTaskAssignor):
    assignor = TwoOwners()


class NoOwnerByName(StockTaskAssignor):
    assignor = NoOwner()


class CopyBesideActiveByName(StockTaskAssignor):
    assignor = CopyBesideActive()


class GreedyByName(StockTaskAssignor):
    assignor = Greedy()


class EndlessByName(StockTaskAssignor):
    assignor = Endless()


class RestlessByName(StockTaskAssignor):
    assignor = Restless()


def measured(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    [line] = capsys.readouterr().out.splitlines()
    found: dict[str, Any] = json.loads(line)
    return found


def test_the_json_line_says_what_an_assignment_takes_and_what_moves(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = measured(capsys, *SMALL)

    assert (found["executors"], found["tasks"], found["steps"]) == (10, 100, 8)
    assert found["assignor"] == "sticky"
    assert found["assign_s"] >= 0
    assert found["moved_on_scale_up"] == 0.09
    assert found["moved_on_bounce"] == 0.0
    assert set(found["strategies"]) == STRATEGIES
    for lived in found["strategies"].values():
        assert set(lived) == {"scale_up", "bounce", "history"}


def test_the_same_seed_gives_the_same_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    given = (*SMALL, "--seed", "7", "--standbys", "1", "--strategy", "sticky")

    first, second = measured(capsys, *given), measured(capsys, *given)

    assert first["strategies"] == second["strategies"]
    assert measured(capsys, *given, "--seed", "8")["strategies"] != first["strategies"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", ["", "--standbys 1", "--delay-s 0 --threads 1"])
def test_random_histories_keep_every_promise(
    capsys: pytest.CaptureFixture[str], seed: int, options: str
) -> None:
    # Exit code 0 says so: each invariant is checked in each step.
    measured(capsys, *SMALL, "--seed", str(seed), *options.split())


def test_what_moves_and_stops_differs_as_the_strategies_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lived = measured(capsys, *SMALL)["strategies"]
    joined = {name: each["scale_up"] for name, each in lived.items()}

    assert joined["sticky"]["moved"] == joined["eager"]["moved"] == 9
    assert joined["hash"]["moved"] > 80
    assert joined["sticky"]["downtime_s"] < joined["eager"]["downtime_s"] / 10
    assert lived["no-delay"]["bounce"]["moved"] > lived["sticky"]["bounce"]["moved"] == 0
    assert joined["hash"]["imbalance"] > joined["sticky"]["imbalance"]


def test_a_short_history_is_the_beginning_of_a_long_one() -> None:
    setting = Setting(executors=20, steps=30, seed=3)

    long = history(setting)

    assert history(replace(setting, steps=12)) == long[:12]
    assert {step.kind for step in long} == {"join", "leave", "crash", "bounce"}


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("TwoOwners", "has two owners"),
        ("NoOwner", "1 of 100 tasks have no owner"),
        ("CopyBesideActive", "twice"),
        ("Greedy", "were revoked without need"),
        ("Restless", "would be revoked without need"),
        ("Endless", "not stable after 12 idle rebalances"),
    ],
)
def test_a_broken_assignor_is_caught_with_the_call_that_shows_it_again(
    capsys: pytest.CaptureFixture[str], name: str, complaint: str
) -> None:
    assignor = f"{__name__}.{name}ByName"

    assert main([*SMALL, "--seed", "5", "--assignor", assignor]) == 1

    said = capsys.readouterr().err
    assert complaint in said
    _, call = said.split("See it again: python -m benchmarks.rebalance ")
    assert f"--seed 5 --steps 1 --assignor {assignor} --strategy {assignor}" in call
    assert main(call.split()) == 1
    assert capsys.readouterr().err == said


def test_the_table_has_a_row_per_strategy_and_history(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--strategy", "sticky", "--strategy", "hash"]) == 0

    rows = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line]
    assert rows.count("sticky") == rows.count("hash") == 3


def test_the_plot_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = [tmp_path / "one.svg", tmp_path / "two.svg"]

    for file in files:
        assert main([*SMALL, "--strategy", "sticky", "--plot", str(file)]) == 0

    one, two = (file.read_text(encoding="utf-8") for file in files)
    assert one == two
    assert "tasks moved" in one
