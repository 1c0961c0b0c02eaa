"""Axis of event time, and the rows of a picture below it."""

from __future__ import annotations

from dataclasses import dataclass

from tools.pictures.canvas import Canvas

LEFT, WIDTH = 110, 760
ROW = 34


@dataclass(frozen=True)
class Axis:
    """Minutes of event time from left to right.

    Args:
        last: The last minute.
        step: Minutes between two marks.
    """

    last: int
    step: int = 5

    def x(self, minute: float) -> float:
        return LEFT + (WIDTH - LEFT - 24) * min(minute, self.last) / self.last

    def draw(self, canvas: Canvas, top: float, bottom: float) -> None:
        for minute in range(0, self.last + 1, self.step):
            canvas.line(self.x(minute), top, self.x(minute), bottom, "grid")
            canvas.write(self.x(minute), bottom + 16, f"{minute}", "dim", size=11)
        canvas.line(LEFT, bottom, WIDTH - 24, bottom, "axis")
        canvas.write(LEFT - 12, bottom + 16, "event time, min", "dim", at="end", size=11)
