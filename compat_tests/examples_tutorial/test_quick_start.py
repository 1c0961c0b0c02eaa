"""The quick start: its program is the example, and its test passes."""

from __future__ import annotations

import re
import sys
from types import ModuleType

import pytest

from compat_tests import ROOT

PAGE = ROOT / "docs" / "quick-start.md"
BLOCKS = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_test_of_the_quick_start_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    program, test = BLOCKS.findall(PAGE.read_text(encoding="utf-8"))
    module = ModuleType("word_count")
    monkeypatch.setitem(sys.modules, "word_count", module)
    exec(compile(program, str(PAGE), "exec"), module.__dict__)  # noqa: S102 - our own page
    found: dict[str, object] = {}
    exec(compile(test, str(PAGE), "exec"), found)  # noqa: S102 - our own page
    function = found["test_every_new_count_is_written"]
    assert callable(function)
    function()
