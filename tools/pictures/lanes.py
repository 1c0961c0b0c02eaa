"""Pictures of lanes: records of several topics in the order in which they come, and the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from millstream import StreamsBuilder
from tools.pictures.canvas import Canvas
from tools.pictures.traces import Event, Written, trace

LEFT, COLUMN, ROW = 170, 96, 36
Adds = Callable[[StreamsBuilder], None]


@dataclass(frozen=True)
class Lanes:
    """A picture: a column for each record that comes, a row for each topic and each result.

    Args:
        name: Of the file, without its ending.
        title: The picture in a few words.
        rule: What it shows, in sentences.
        inputs: The words for each topic of the input, by its name.
        results: A topology for each row of results, by its words.
        events: The records, as they come.
        keyed: Whether keys are shown.
    """

    name: str
    title: str
    rule: str
    inputs: Mapping[str, str]
    results: Mapping[str, Adds]
    events: Sequence[Event]
    keyed: bool = False
    column: int = COLUMN
    marks: Mapping[int, str] = field(default_factory=dict)


def draw(lanes: Lanes) -> str:
    """Return the picture, with what the topologies write on the test driver."""
    found = {name: trace(add, lanes.events) for name, add in lanes.results.items()}
    depth = {name: max(len(each) for each in after) or 1 for name, after in found.items()}
    width = LEFT + lanes.column * len(lanes.events) + 20
    height = 76 + ROW * len(lanes.inputs) + 12 + sum(26 * d + 14 for d in depth.values()) + 28
    canvas = Canvas(width, height, lanes.title, f"{lanes.rule} {_told(lanes, found)}")
    canvas.write(20, 26, lanes.title, at="start", size=16)
    canvas.write(20, 60, "event time, minutes", "dim", at="start", size=11)
    for number, event in enumerate(lanes.events):
        x = _x(lanes, number)
        canvas.line(x, 68, x, height - 30, "grid")
        canvas.write(x, 60, f"{event.minute:g}", "dim", size=11)
        if number in lanes.marks:
            canvas.write(x, 46, lanes.marks[number], "bad", size=11)
    top = 72.0
    for topic, words in lanes.inputs.items():
        canvas.write(20, top + ROW / 2 + 4, words, at="start")
        for number, event in enumerate(lanes.events):
            if event.topic == topic:
                kind = "red" if event.value is None else "blue"
                canvas.tag(_x(lanes, number), top + ROW / 2, _shown(lanes, event), kind)
        top += ROW
    canvas.line(20, top + 4, width - 20, top + 4, "axis")
    top += 12
    for name, after in found.items():
        canvas.write(20, top + 18, name, at="start")
        for number, written in enumerate(after):
            for row, each in enumerate(written):
                kind = "red" if each.value is None else "green"
                y = top + 14 + 26 * row
                canvas.tag(_x(lanes, number), y, _shown(lanes, each), kind)
        top += 26 * depth[name] + 14
    canvas.arrow(LEFT, height - 18, width - 20, height - 18)
    canvas.write(20, height - 14, "order of arrival", "dim", at="start", size=11)
    return canvas.svg()


def _x(lanes: Lanes, number: int) -> float:
    return LEFT + lanes.column * (number + 0.5)


def _shown(lanes: Lanes, record: Event | Written) -> str:
    value = "deleted" if record.value is None else record.value
    return f"{record.key}: {value}" if lanes.keyed else value


def _told(lanes: Lanes, found: Mapping[str, list[list[Written]]]) -> str:
    parts = []
    for number, event in enumerate(lanes.events):
        came = f"{lanes.inputs[event.topic]} {_shown(lanes, event)} at {event.minute:g}"
        results = [
            f"{name} {', '.join(_shown(lanes, each) for each in after[number])}"
            for name, after in found.items()
            if after[number]
        ]
        parts.append(f"{came} gives {'; '.join(results) or 'nothing'}.")
    return " ".join(parts)
