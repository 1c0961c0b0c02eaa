"""Pictures of suppression: which updates of a table are emitted, and when."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from millstream import BufferConfig, Grouped, Serdes, StreamsBuilder, Suppressed, TimeWindows
from tools.pictures.lanes import Adds, Lanes, draw
from tools.pictures.traces import OUT, Event

TEXTS = Grouped.with_(Serdes.String(), Serdes.String())
TEN = TimeWindows.ofSizeAndGrace(timedelta(minutes=10), timedelta(minutes=3))
FINAL: Any = Suppressed.untilWindowCloses(BufferConfig.unbounded())
SELDOM: Any = Suppressed.untilTimeLimit(timedelta(minutes=5), BufferConfig.unbounded())


def counts(suppressed: Any = None) -> Adds:
    def add(builder: StreamsBuilder) -> None:
        table = builder.stream("in").groupByKey(TEXTS).windowedBy(TEN).count()
        if suppressed is not None:
            table = table.suppress(suppressed)
        table.toStream(lambda pane, _: str(pane.window().start() // 60_000)).mapValues(str).to(OUT)

    return add


def rows(suppressed: Any = None) -> Adds:
    def add(builder: StreamsBuilder) -> None:
        table = builder.table("in")
        if suppressed is not None:
            table = table.suppress(suppressed)
        table.toStream().to(OUT)

    return add


CLOSES = Lanes(
    "suppress-until-close",
    "Suppressed until the window closes: one final count of each window",
    "Windows of 10 minutes, grace period 3 minutes. Results name the window by its start. The "
    "window from 0 closes when stream time reaches 13.",
    {"in": "records"},
    {"count (start: count)": counts(), "…suppressed": counts(FINAL)},
    [
        *(Event(1, "a"), Event(6, "b"), Event(11, "c"), Event(8, "d"), Event(13, "e")),
        *(Event(9, "f"), Event(23, "g")),
    ],
    keyed=True,
    marks={3: "late, in grace", 5: "too late"},
)
LIMIT = Lanes(
    "suppress-until-limit",
    "Suppressed until a time limit: at most one update of a key in 5 minutes",
    "The first update of a key starts its timer; later ones replace the value and do not restart "
    "it. Event time decides, so an update goes out with the next record that moves it.",
    {"in": "table"},
    {"its updates": rows(), "…suppressed": rows(SELDOM)},
    [
        *(Event(0, "1", key="a"), Event(2, "2", key="a"), Event(3, "1", key="b")),
        *(Event(5, "3", key="a"), Event(7, "2", key="b"), Event(8, "3", key="b")),
        *(Event(12, "4", key="b"), Event(14, "4", key="a")),
    ],
    keyed=True,
)


def pictures() -> dict[str, str]:
    """Return the pictures by the names of their files."""
    return {f"{kind.name}.svg": draw(kind) for kind in (CLOSES, LIMIT)}
