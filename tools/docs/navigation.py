"""The navigation of the site: what mkdocs.yml says, with the pages of each folder it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tools.docs.staging import pages_of


def expanded(nav: list[Any], pages: Mapping[str, str]) -> list[Any]:
    """Return the navigation with the pages of a folder in the place of ``folder/``.

    An entry is a page, ``{title: page}``, ``{title: folder/}`` or ``{title: [entry, ...]}``. Of a
    folder come the pages that stand nowhere else in the navigation; a folder without pages is left
    out.
    """
    named = {page for page in flat(nav) if not page.endswith("/")}

    def entries(given: list[Any]) -> Iterator[Any]:
        for entry in given:
            if isinstance(entry, str):
                if entry.endswith("/"):
                    yield from (page for page in pages_of(entry, pages) if page not in named)
                else:
                    yield entry
                continue
            ((title, value),) = entry.items()
            if isinstance(value, str) and not value.endswith("/"):
                yield entry
                continue
            below = list(entries([value] if isinstance(value, str) else value))
            if below:
                yield {title: below}

    return list(entries(nav))


def flat(nav: list[Any]) -> list[str]:
    """Return the pages and folders of a navigation, in order."""
    found: list[str] = []
    for entry in nav:
        if isinstance(entry, str):
            found.append(entry)
        else:
            for value in entry.values():
                found += [value] if isinstance(value, str) else flat(value)
    return found


def left_out(nav: list[Any], pages: Mapping[str, str]) -> list[str]:
    """Return the pages that the expanded navigation does not lead to, but for pages of code."""
    listed = set(flat(nav))
    return sorted(p for p in pages if p not in listed and not p.startswith("code/"))
