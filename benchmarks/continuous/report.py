"""Tables of what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from benchmarks.continuous.measure import PROGRAM, WORKER, Found, Kill
from benchmarks.vs_kafka_streams.rounds import Drain

_HEAD = (
    "side", "commit ms", "p50 ms", "p99 ms", "max ms", "results", "CPU s/s", "first s",
    "worker killed, s", "program killed, s", "lost", "twice", "repeated", "load",
)  # fmt: skip


def latency_table(found: Iterable[Found]) -> str:
    """Return latency, recovery and what was verified as a table in Markdown."""
    rows = [
        (
            each.side,
            each.commit_ms or "-",
            f"{each.p50_ms:.0f}",
            f"{each.p99_ms:.0f}",
            f"{each.max_ms:.0f}",
            each.results,
            f"{each.cpu_share:.2f}",
            f"{each.first_s:.1f}",
            _seconds(each.kills, WORKER),
            _seconds(each.kills, PROGRAM),
            *asdict(each.verdict).values(),
            "{:.1f} to {:.1f}".format(*each.load),
        )
        for each in found
    ]
    return _table([_HEAD, *rows])


def rate_table(rounds: Sequence[Mapping[str, Drain]], loads: Sequence[float]) -> str:
    """Return the rates of all rounds as a table in Markdown."""
    head = ("round", *rounds[0], "load")
    rows = [
        (number, *(f"{drain.rate:,.0f}" for drain in each.values()), f"{load:.1f}")
        for number, (each, load) in enumerate(zip(rounds, loads, strict=True), start=1)
    ]
    return _table([head, *rows])


def starts_table(found: Iterable[Found]) -> str:
    """Return what the starts of continuous tasks took."""
    head = ("task", "transactions, ms", "offsets and stores, ms", "records of changelogs")
    rows = [
        (
            start["task"],
            start["initialised_ms"],
            start["restored_ms"],
            sum(start["restored"].values()) or "the copy goes on",
        )
        for each in found
        for start in each.starts
    ]
    return _table([head, *rows])


def _seconds(kills: Iterable[Kill], what: str) -> str:
    told = [
        "never" if each.seconds is None else f"{each.seconds:.1f}"
        for each in kills
        if each.what == what
    ]
    return ", ".join(told) or "-"


def _table(rows: Sequence[Sequence[object]]) -> str:
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])
