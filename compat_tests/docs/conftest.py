"""The site, gathered once and built once for all tests of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.docs.building import build, staged
from tools.docs.staging import Staging


@pytest.fixture(scope="session")
def pages() -> dict[str, str]:
    """The sources of all pages: path in the site to Markdown."""
    staging: Staging = staged()
    return staging.pages


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site as it is published; building it takes some seconds."""
    pytest.importorskip("zensical", reason="the extra docs is not installed")
    return build(tmp_path_factory.mktemp("docs") / "site", "1.0")
