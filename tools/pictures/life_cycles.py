"""Pictures of KIP-429's life cycles: the states in a row, and which one leads to which."""

from __future__ import annotations

from typing import Any

from millstream.testing.rebalance.life_cycles import TABLES
from millstream.testing.rebalance.tables import Table
from tools.pictures.canvas import Canvas

LEFT, STEP, BOX, HIGH = 24, 152, 104, 34


def draw(table: Table[Any, Any]) -> str:
    """Return the picture of one table: ways on above the states, ways back below them."""
    states = list(table.states)
    places = {state: LEFT + STEP * number for number, state in enumerate(states)}
    ways = list(dict.fromkeys((rule.state, rule.target) for rule in table.rules))
    forward = [way for way in ways if places[way[0]] < places[way[1]]]
    back = [way for way in ways if places[way[0]] > places[way[1]]]
    # An arc over n steps is n times as high.
    above = max((_steps(places, way) for way in forward), default=0)
    below = max((_steps(places, way) for way in back), default=0)
    top = 60 + 26 * above
    said = "; ".join(f"{one.value} to {other.value}" for one, other in ways)
    canvas = Canvas(
        LEFT * 2 + STEP * (len(states) - 1) + BOX,
        top + HIGH + 26 * below + 30,
        f"Life cycle of a {table.name}",
        f"It begins as {table.initial.value}. The ways: {said}.",
    )
    canvas.write(LEFT, 30, f"Life cycle of a {table.name}", at="start", size=16)
    for way in forward:
        _way(canvas, places, way, top, -26 * _steps(places, way))
    for way in back:
        _way(canvas, places, way, top + HIGH, 26 * _steps(places, way))
    for state, x in places.items():
        kind = "green" if state is table.initial else "blue"
        canvas.box(x, top, BOX, HIGH, kind, rounding=6)
        again = " ↻" if (state, state) in ways else ""
        canvas.write(x + BOX / 2, top + 22, f"{state.value}{again}")
    return canvas.svg()


def _steps(places: dict[Any, int], way: tuple[Any, Any]) -> int:
    return abs(places[way[0]] - places[way[1]]) // STEP


def _way(
    canvas: Canvas, places: dict[Any, int], way: tuple[Any, Any], y: float, bend: float
) -> None:
    # Ways leave a box at one side of its middle and arrive at the other.
    side = BOX / 5 if places[way[0]] < places[way[1]] else -BOX / 5
    start, end = places[way[0]] + BOX / 2 + side, places[way[1]] + BOX / 2 - side
    canvas.arc(start, end, y, bend)


def pictures() -> dict[str, str]:
    """Return the pictures by the names of their files."""
    tables: tuple[Table[Any, Any], ...] = TABLES
    return {f"life-cycle-{table.name}.svg": draw(table) for table in tables}
