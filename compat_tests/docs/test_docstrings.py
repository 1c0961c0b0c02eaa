"""The examples in docstrings run."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import millstream

PACKAGE = Path(millstream.__path__[0])
MODULES = sorted(
    ".".join((PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in PACKAGE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_run(name: str) -> None:
    module = import_module(name.removesuffix(".__init__"))
    # Of a method they begin with what its own module knows, which has its class.
    failed, tried = doctest.testmod(module)
    assert tried, "their docstrings are not found"
    assert not failed
