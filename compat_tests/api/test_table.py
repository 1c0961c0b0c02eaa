"""The table of all public forms is complete, and what it names is there."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from compat_tests import ROOT
from compat_tests.api import test_calls, test_constants
from compat_tests.api.absent import ABSENT, missing, reason
from compat_tests.api.surface import forms, kinds
from compat_tests.api.table import PAGE, by_construction, page, rows


def test_every_public_form_has_a_test_or_a_reason() -> None:
    assert [name for name in forms() if name not in rows()] == []
    assert [name for name in rows() if name not in forms()] == []


def test_what_is_not_said_to_be_absent_is_here() -> None:
    assert [name for name, form in forms().items() if missing(form)] == []


def test_the_reasons_are_those_of_the_table() -> None:
    wrong = [name for name, form in forms().items() if rows()[name].absent != reason(form)]
    assert wrong == []


def test_what_is_absent_is_in_the_documentation() -> None:
    text = (ROOT / "docs/compatibility.md").read_text(encoding="utf-8")
    _, _, section = text.partition("\n### Not here\n")
    listed = dict(re.findall(r"^\| `([^`]+)` \| (.*) \|$", section, re.MULTILINE))
    assert listed == ABSENT


@cache
def functions(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    kinds = ast.FunctionDef | ast.ClassDef
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


@pytest.mark.parametrize("owner", [kind.name for kind in kinds().values() if kind.forms])
def test_the_tests_of_a_class_exist(owner: str) -> None:
    for form in kinds()[owner].forms:
        if (test := rows()[str(form)].test) is None:
            continue
        path, _, rest = test.partition("::")
        function, _, parameters = rest.partition("[")
        # What a class inherits of its tests is not in the file.
        assert function.partition("::")[0] in functions(path), test
        if path.endswith("conformance/test_on_driver.py"):
            scenario = parameters.removesuffix("]").partition("-")[2]
            folder = ROOT / "compat_tests/oracle/scenarios"
            assert (folder / f"{scenario}.json").exists() or any(
                (folder / f"{parameters.removesuffix(']').removesuffix(end)}.json").exists()
                for end in ("-driver", "-driver-real-stores")
            ), test


def test_a_form_is_named_by_the_test_that_is_made_for_it() -> None:
    made = {form for _, form in test_calls.FORMS}
    constants = {str(form) for form in test_constants.CONSTANTS}
    for name, form in forms().items():
        test = by_construction(form)
        if rows()[name].test is None or test is None:
            continue
        assert rows()[name].test == test
        given = test.partition("[")[2].removesuffix("]")
        if "test_a_call" in test:
            assert given.removeprefix("callable-") in made
        elif "test_a_constant" in test:
            assert given in constants


def test_the_page_shows_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
