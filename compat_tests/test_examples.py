"""The example programs write what their documentation shows, and README lists them."""

from __future__ import annotations

import doctest
import importlib.util
from types import ModuleType

import pytest

from compat_tests import ROOT

PROGRAMS = ["deduplication", "session_windows", "suppression", "versioned_tables", "word_count"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_example_writes_what_it_shows(program: str) -> None:
    failed, tried = doctest.testmod(loaded(program))
    assert tried
    assert not failed


def loaded(program: str) -> ModuleType:
    # The examples are no part of the package: a checkout that is not on the path lacks them.
    path = ROOT / "examples" / f"{program}.py"
    # doctest passes over a module if another test has imported one of the same name.
    spec = importlib.util.spec_from_file_location(f"tried_example_{program}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_readme_lists_an_example(program: str) -> None:
    assert f"(examples/{program}.py)" in (ROOT / "README.md").read_text(encoding="utf-8")
