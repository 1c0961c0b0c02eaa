"""The site, gathered once and built once for all tests of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.docs.gathered import gathered
from tools.docs.building import build


@pytest.fixture(scope="session")
def pages() -> dict[str, str]:
    """The sources of all pages: path in the site to Markdown."""
    return gathered()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site as it is published; tests that ask for it are marked ``long``."""
    pytest.importorskip("zensical", reason="the extra docs is not installed")
    return build(tmp_path_factory.mktemp("docs") / "site", "1.0")
