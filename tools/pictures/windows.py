"""Pictures of the kinds of windows: which records are in which window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from millstream import (
    Materialized,
    SessionWindows,
    SlidingWindows,
    StreamsBuilder,
    TimeWindows,
    UnlimitedWindows,
)
from tools.pictures.axis import LEFT, ROW, WIDTH, Axis
from tools.pictures.canvas import Canvas
from tools.pictures.traces import MINUTE, OUT, Event, Written, trace

GRACE = timedelta(minutes=20)


def minutes(number: int) -> timedelta:
    return timedelta(minutes=number)


@dataclass(frozen=True)
class Pane:
    """A window with what it has: a bar of the picture."""

    start: float
    end: float
    content: str


@dataclass(frozen=True)
class Kind:
    """A kind of window, and the records that show it."""

    name: str
    windows: Any
    code: str
    rule: str
    events: Sequence[Event]
    last: int = 20


def events(*letters: tuple[str, float]) -> list[Event]:
    return [Event(minute, letter) for letter, minute in letters]


_FEW = events(("a", 1), ("b", 3), ("c", 6), ("d", 12), ("e", 13))
KINDS = (
    Kind(
        "tumbling",
        TimeWindows.ofSizeAndGrace(minutes(5), GRACE),
        "TimeWindows.ofSizeAndGrace(5 min, …)",
        "Each record is in one window. A window begins at a multiple of its size; its end is not "
        "part of it.",
        _FEW,
    ),
    Kind(
        "hopping",
        TimeWindows.ofSizeAndGrace(minutes(10), GRACE).advanceBy(minutes(5)),
        "TimeWindows.ofSizeAndGrace(10 min, …).advanceBy(5 min)",
        "A window begins every 5 minutes and lasts 10: each record is in two windows.",
        _FEW,
    ),
    Kind(
        "sliding",
        SlidingWindows.ofTimeDifferenceAndGrace(minutes(4), GRACE),
        "SlidingWindows.ofTimeDifferenceAndGrace(4 min, …)",
        "A window for each set of records at most 4 minutes apart: one ends at each record, and "
        "one begins just after it if records follow. Both ends are part of it.",
        events(("a", 5), ("b", 7), ("c", 10), ("d", 16)),
    ),
    Kind(
        "session",
        SessionWindows.ofInactivityGapAndGrace(minutes(5), GRACE),
        "SessionWindows.ofInactivityGapAndGrace(5 min, …)",
        "A session ends when 5 minutes pass without a record. The late record d is near both "
        "sessions, so they become one.",
        events(("a", 1), ("b", 3), ("c", 12), ("e", 19), ("d", 7.5)),
    ),
    Kind(
        "unlimited",
        UnlimitedWindows.of(),
        "UnlimitedWindows.of()",
        "One window from the start on, without an end: it has every record and is never closed.",
        _FEW,
    ),
)


def add(kind: Kind, builder: StreamsBuilder) -> None:
    """Add a topology that collects the letters of each window."""
    windowed = builder.stream("in").groupByKey().windowedBy(kind.windows)
    kept: Any = Materialized.as_("panes").withRetention(timedelta(days=1))
    collect = (lambda: "", lambda key, letter, letters: letters + letter)
    if isinstance(kind.windows, SessionWindows):
        panes = windowed.aggregate(*collect, lambda key, one, other: one + other, kept)
    elif isinstance(kind.windows, UnlimitedWindows):
        panes = windowed.aggregate(*collect)
    else:
        panes = windowed.aggregate(*collect, kept)
    panes.toStream(lambda pane, _: f"{pane.window().start()} {pane.window().end()}").to(OUT)


def panes_of(updates: Sequence[Written]) -> list[Pane]:
    """Return the windows that are there after updates, by their start."""
    rows = {each.key: each.value for each in updates}
    found = []
    for key, letters in rows.items():
        start, end = (int(part) / MINUTE for part in key.split())
        if letters is not None:
            found.append(Pane(start, end, " ".join(sorted(letters))))
    return sorted(found, key=lambda pane: (pane.start, pane.end))


def rows_of(panes: Sequence[Pane]) -> list[list[Pane]]:
    """Return panes in as few rows as they need not to overlap."""
    rows: list[list[Pane]] = []
    for pane in panes:
        free = [row for row in rows if row[-1].end <= pane.start]
        if free:
            free[0].append(pane)
        else:
            rows.append([pane])
    return rows


def draw(kind: Kind) -> str:
    """Return the picture of a kind of window."""
    after = trace(lambda builder: add(kind, builder), kind.events)
    late = [
        event
        for number, event in enumerate(kind.events)
        if any(before.minute > event.minute for before in kind.events[:number])
    ]
    parts = [("windows", [each for updates in after for each in updates], kind.events)]
    if late:
        before = kind.events[: kind.events.index(late[0])]
        first = [each for updates in after[: len(before)] for each in updates]
        parts = [("before d", first, before), ("after d", parts[0][1], kind.events)]
    drawn = [(name, rows_of(panes_of(updates)), shown) for name, updates, shown in parts]
    height = 64 + sum(ROW * (len(rows) + 1) + 8 for _, rows, _ in drawn) + 26
    told = "; ".join(
        f"{name}: " + ", ".join(said(pane) for row in rows for pane in row)
        for name, rows, _ in drawn
    )
    canvas = Canvas(WIDTH, height, f"{kind.name.capitalize()} windows", f"{kind.rule} {told}.")
    canvas.write(20, 26, f"{kind.name.capitalize()} windows", at="start", size=16)
    canvas.write(20, 46, kind.code, "dim", at="start")
    axis = Axis(kind.last)
    axis.draw(canvas, 58, height - 26)
    top = 58.0
    for name, rows, shown in drawn:
        top = _draw_part(canvas, axis, top, name, rows, shown, [e.value for e in late])
    return canvas.svg()


def _draw_part(
    canvas: Canvas,
    axis: Axis,
    top: float,
    name: str,
    rows: Sequence[Sequence[Pane]],
    shown: Sequence[Event],
    late: Sequence[str | None],
) -> float:
    """Draw records and their windows; return where the next part begins."""
    canvas.write(LEFT - 12, top + ROW / 2 + 5, "records", at="end")
    for event in shown:
        x, y = axis.x(event.minute), top + ROW / 2 + 4
        canvas.dot(x, y, "orange" if event.value in late else "blue")
        canvas.write(x, y - 9, event.value or "")
    canvas.write(LEFT - 12, top + ROW * 1.5 + 9, name, at="end")
    for row in rows:
        top += ROW
        for pane in row:
            left, right = axis.x(max(pane.start, 0)), axis.x(pane.end)
            canvas.box(left + 1, top + 4, max(right - left - 2, 10), ROW - 8, "green")
            canvas.write((left + max(right, left + 12)) / 2, top + ROW / 2 + 5, pane.content)
    return top + ROW + 8


def said(pane: Pane) -> str:
    """Return a window in words."""
    end = f"{pane.end:g}" if pane.end < 10_000 else "the end of time"
    return f"from {pane.start:g} to {end} with {pane.content}"


def pictures() -> dict[str, str]:
    """Return the pictures by the names of their files."""
    return {f"windows-{kind.name}.svg": draw(kind) for kind in KINDS}
