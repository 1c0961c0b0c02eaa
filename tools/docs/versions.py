"""Versions of the site side by side: build/site/0.1.0/, build/site/0.2.0/, versions.json.

The list has the form of the tool ``mike``, which the theme's selector of versions reads.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

LIST = "versions.json"
LATEST = "latest"
SHAPE = re.compile(r"[0-9A-Za-z][0-9A-Za-z._+-]*")

REDIRECT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>millstream</title>
<meta http-equiv="refresh" content="0; url={to}/">
</head>
<body><a href="{to}/">millstream {to}</a></body>
</html>
"""


def checked(version: str) -> str:
    """Return a version that can name a folder.

    Raises:
        ValueError: It cannot.
    """
    if not SHAPE.fullmatch(version):
        raise ValueError(f'"{version}" is no version: letters, digits and "._+-" only')
    return version


def listed(site: Path) -> list[str]:
    """Return the versions that a site has, the newest first."""
    folders = (path.name for path in site.iterdir() if (path / "index.html").is_file())
    return sorted(folders, key=_order, reverse=True)


def publish(site: Path) -> None:
    """Write the list of a site's versions, and the page that leads to the newest one."""
    names = listed(site)
    entries = [
        {"version": name, "title": name, "aliases": [LATEST] if name == names[0] else []}
        for name in names
    ]
    (site / LIST).write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    front = REDIRECT.format(to=html.escape(names[0], quote=True))
    (site / "index.html").write_text(front, encoding="utf-8")


def _order(version: str) -> tuple[bool, list[tuple[int, str]]]:
    # "dev" and other words come after every number; a number's suffix (0.2.0rc1) before it.
    parts = re.findall(r"\d+|[A-Za-z]+", version)
    order = [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
    return version[:1].isdigit(), [*order, (0, "")]
