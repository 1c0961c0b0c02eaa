"""The sources of the site, gathered once for all tests of a process."""

from __future__ import annotations

from functools import cache

from tools.docs.building import staged


@cache
def gathered() -> dict[str, str]:
    """Return all pages, path in the site to Markdown; not to be changed."""
    return staged().pages
