"""SECURITY.md names tests that there are."""

from __future__ import annotations

import re

from compat_tests import ROOT

NAMED = re.compile(r"`(compat_tests/[\w/]+\.py)(?:::(\w+))?`")
PAGES = ("SECURITY.md", "docs/operating/security.md")


def test_each_claim_names_a_test_that_exists() -> None:
    found = [each for page in PAGES for each in NAMED.findall((ROOT / page).read_text())]
    assert len(found) > 12
    for file, name in found:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert f"def {name}(" in text or not name, f"{file}::{name}"
