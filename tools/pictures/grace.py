"""Picture of a grace period: which late records a window still takes."""

from __future__ import annotations

from datetime import timedelta

from millstream import StreamsBuilder, TimeWindows
from tools.pictures.canvas import Canvas
from tools.pictures.traces import OUT, Event, trace

SIZE, GRACE, TOP, BOTTOM = 10, 3, 70, 350
LEFT, COLUMN, LAST = 90, 72, 20
WINDOWS = TimeWindows.ofSizeAndGrace(timedelta(minutes=SIZE), timedelta(minutes=GRACE))
EVENTS = [Event(m, "") for m in (2, 6, 11, 5, 12, 9, 14, 8, 17)]


def add(builder: StreamsBuilder) -> None:
    counts = builder.stream("in").groupByKey().windowedBy(WINDOWS).count()
    counts.toStream(lambda pane, _: str(pane.window().start() // 60_000)).mapValues(str).to(OUT)


def y(minute: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * minute / LAST


def draw() -> str:
    """Return the picture: each record by its arrival and its event time."""
    taken = [bool(written) for written in trace(add, EVENTS)]
    width, height = LEFT + COLUMN * len(EVENTS) + 180, BOTTOM + 50
    told = ", ".join(
        f"{event.minute:g} {'taken' if kept else 'dropped'}"
        for event, kept in zip(EVENTS, taken, strict=True)
    )
    canvas = Canvas(
        width,
        height,
        "Late records and the grace period",
        "A window of 10 minutes with a grace period of 3 takes late records until stream time, the "
        f"latest time seen, reaches 13. Records by their minutes, as they come: {told}.",
    )
    canvas.write(20, 28, "Late records and the grace period", at="start", size=16)
    right = width - 170
    canvas.box(LEFT, y(SIZE), right - LEFT, y(0) - y(SIZE), "soft", rounding=0)
    canvas.write(right + 8, y(SIZE / 2) + 4, "window 0 to 10", at="start")
    canvas.box(LEFT, y(SIZE + GRACE), right - LEFT, y(SIZE) - y(SIZE + GRACE), "wait", rounding=0)
    canvas.write(right + 8, y(SIZE + GRACE / 2) + 4, "its grace period", at="start")
    for minute in range(0, LAST + 1, 5):
        canvas.line(LEFT - 4, y(minute), LEFT, y(minute), "axis")
        canvas.write(LEFT - 10, y(minute) + 4, f"{minute}", "dim", at="end", size=11)
    canvas.write(20, TOP - 16, "event time, minutes", "dim", at="start", size=11)
    canvas.arrow(LEFT, BOTTOM, right, BOTTOM)
    canvas.write(right, BOTTOM + 32, "order of arrival", "dim", at="end", size=11)
    _stream_time(canvas, right)
    for number, (event, kept) in enumerate(zip(EVENTS, taken, strict=True)):
        x = LEFT + COLUMN * (number + 0.5)
        late = event.minute < max(before.minute for before in EVENTS[: number + 1])
        if kept:
            canvas.dot(x, y(event.minute), "orange" if late else "blue")
        else:
            canvas.cross(x, y(event.minute))
        words = ("late, taken" if late else "") if kept else "dropped"
        canvas.write(x, y(event.minute) + 22, words, "" if kept else "bad", size=11)
        canvas.write(x, BOTTOM + 16, f"{event.minute:g}", "dim", size=11)
    return canvas.svg()


def _stream_time(canvas: Canvas, right: float) -> None:
    """Draw stream time as stairs."""
    now = EVENTS[0].minute
    for number, event in enumerate(EVENTS):
        x, before = LEFT + COLUMN * (number + 0.5), now
        now = max(now, event.minute)
        canvas.line(x, y(before), x, y(now), "time", wide=2)
        after = LEFT + COLUMN * (number + 1.5) if number + 1 < len(EVENTS) else right
        canvas.line(x, y(now), after, y(now), "time", wide=2)
    canvas.write(right + 8, y(now) + 4, "stream time", at="start")


def pictures() -> dict[str, str]:
    """Return the picture by the name of its file."""
    return {"grace.svg": draw()}
