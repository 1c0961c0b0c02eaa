"""Tables of the states for readers, written into a page.

``python -m millstream.testing.rebalance.diagrams docs/rebalancing.md`` fills the page in: between
``<!-- life cycle: group -->`` and ``<!-- end -->`` comes what the table "group" says.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from millstream.core.errors import IllegalArgumentException
from millstream.testing.rebalance.life_cycles import TABLES
from millstream.testing.rebalance.tables import Table

BLOCK = re.compile(r"(<!-- life cycle: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page: str) -> str:
    """Return a page with each of its blocks as the tables have it now.

    Raises:
        IllegalArgumentException: There is no table of a block's name.

    Example:
        >>> filled("no table")
        'no table'
    """
    tables = {table.name: table for table in TABLES}

    def block(match: re.Match[str]) -> str:
        if match[2] not in tables:
            raise IllegalArgumentException(
                f'there is no life cycle of a "{match[2]}"', detail=f"There are: {list(tables)}."
            )
        table: Table[Any, Any] = tables[match[2]]
        return match[1] + "\n" + "\n".join((*markdown(table), "")) + match[3]

    return BLOCK.sub(block, page)


def markdown(table: Table[Any, Any]) -> Iterator[str]:
    """Yield the lines of two tables: what the states mean, and what happens in them."""
    yield "| state | meaning |"
    yield "|---|---|"
    for state, meaning in table.states.items():
        yield f"| {state.value} | {meaning} |"
    yield ""
    yield "| in | when | then | doing |"
    yield "|---|---|---|---|"
    rows: dict[tuple[str, str, str], list[str]] = {}
    for rule in table.rules:
        key = (str(rule.event.value), str(rule.target.value), rule.action)
        rows.setdefault(key, []).append(str(rule.state.value))
    for (event, target, action), states in rows.items():
        yield f"| {', '.join(states)} | {event} | {target} | {action} |"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
