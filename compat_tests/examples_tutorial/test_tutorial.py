"""The seven steps of the tutorial: their tests pass, their pages show them, they grow."""

from __future__ import annotations

import doctest
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

from compat_tests import ROOT
from examples.tutorial import step1

STEPS = range(1, 8)


def functions() -> dict[str, Callable[[], None]]:
    modules = [import_module(f"examples.tutorial.test_step{step}") for step in STEPS]
    return {
        f"{module.__name__.rpartition('.')[2]}::{name}": function
        for module in modules
        for name, function in vars(module).items()
        if name.startswith("test_")
    }


@pytest.mark.parametrize("test", functions().values(), ids=functions())
def test_a_test_of_a_step_passes(test: Callable[[], None]) -> None:
    test()


def test_each_step_has_a_test() -> None:
    names = {name.partition("::")[0] for name in functions()}
    assert names == {f"test_step{step}" for step in STEPS}


def test_the_first_step_writes_what_it_shows() -> None:
    failed, tried = doctest.testmod(step1)
    assert (failed, tried > 0) == (0, True)


@pytest.mark.parametrize("step", STEPS)
def test_the_page_of_a_step_shows_its_files(step: int) -> None:
    page = (ROOT / f"docs/tutorial/step-{step}.md").read_text(encoding="utf-8")
    for name in (f"step{step}.py", f"test_step{step}.py"):
        assert f"<!-- file: examples/tutorial/{name} -->" in page


def test_each_step_has_the_nodes_of_the_one_before() -> None:
    def sinks(step: int) -> set[str]:
        topology: Any = import_module(f"examples.tutorial.step{step}").build()
        return {
            node.topic()
            for part in topology.describe().subtopologies()
            for node in part.nodes()
            if hasattr(node, "topic") and node.topic()
        }

    for step in STEPS[1:]:
        assert sinks(step - 1) < sinks(step)
