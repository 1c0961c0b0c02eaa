"""What the topology must write for an input, computed in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from compat_tests.smoke.data import BASE_MS, HOPS, Data, Sent
from compat_tests.smoke.topology import PARTS

Step = Callable[[Any, Any], bool]
"""Tells whether the second value may follow the first."""


@dataclass(frozen=True, slots=True)
class Update:
    """One record of an output: what it is known by among its key's, and its value."""

    mark: Hashable
    value: Any


@dataclass(frozen=True, slots=True)
class EachUpdate:
    """An output whose every record is known: key -> its updates in order."""

    series: Mapping[str, list[Update]]
    kind: type
    mark: str = "time"
    """What a record is known by: ``time``, ``value``, or ``key``: one record for each key."""
    key: Callable[[str, Any], str] = field(default=lambda key, _: key)
    """What counts as the key of a record."""
    counts_repeats: bool = False
    """Whether a repeated record of a topic that leads back makes one more value."""


@dataclass(frozen=True, slots=True)
class LastUpdate:
    """An output of which the last value of each key is known, and how values follow each other."""

    values: Mapping[str, Any]
    kind: type
    may_follow: Step = field(default=lambda before, after: True)
    may_lack: frozenset[str] = frozenset()
    """Keys that may have no record."""


Output = EachUpdate | LastUpdate


def expected(data: Data, parts: Sequence[str] = PARTS) -> dict[str, Output]:
    """Return what must be in each output topic of some parts at the end."""
    by_topic: dict[str, list[Sent]] = {}
    for sent in (*data.tables, *data.stream):
        by_topic.setdefault(sent.topic, []).append(sent)
    numbers = _numbers(by_topic["data"]) if "numbers" in parts else {}
    return numbers | (_relational(by_topic) if "relational" in parts else {})


def _numbers(numbers: list[Sent]) -> dict[str, Output]:
    values: dict[str, list[tuple[int, int]]] = {}
    for sent in numbers:
        values.setdefault(sent.key, []).append((sent.timestamp, int(sent.value)))
    only = {key: [value for _, value in each] for key, each in values.items()}
    counts = Counter(len(each) for each in only.values())
    steps = range(1, max(counts) + 1)
    return {
        "echo": EachUpdate(_running(values, lambda _, value: value), int),
        "min": EachUpdate(_running(values, _smaller), int),
        "max": EachUpdate(_running(values, _larger), int),
        "sum": EachUpdate(_running(values, lambda sofar, value: (sofar or 0) + value), int),
        "cnt": EachUpdate(_running(values, lambda sofar, _: (sofar or 0) + 1), int),
        "dif": LastUpdate(
            {key: max(each) - min(each) for key, each in only.items()}, int, lambda a, b: a <= b
        ),
        "avg": LastUpdate({key: sum(each) / len(each) for key, each in only.items()}, float),
        "spread": LastUpdate(
            {key: (max(each) - min(each)) / (sum(each) / len(each)) for key, each in only.items()},
            float,
        ),
        "tagg": LastUpdate(
            {str(n): counts.get(n, 0) for n in steps},
            int,
            may_lack=frozenset(str(n) for n in steps if n not in counts),
        ),
        "sws-suppressed": _windows(numbers, 2000, 1000, sum),
        "min-suppressed": _windows(numbers, 20_000, 20_000, min),
    }


def _running(
    values: Mapping[str, list[tuple[int, int]]], add: Callable[[Any, int], int]
) -> dict[str, list[Update]]:
    found: dict[str, list[Update]] = {}
    for key, each in values.items():
        sofar = None
        for timestamp, value in each:
            sofar = add(sofar, value)
            found.setdefault(key, []).append(Update(timestamp, sofar))
    return found


def _smaller(sofar: int | None, value: int) -> int:
    return value if sofar is None else min(sofar, value)


def _larger(sofar: int | None, value: int) -> int:
    return value if sofar is None else max(sofar, value)


def _windows(
    numbers: list[Sent], size: int, advance: int, of: Callable[[list[int]], int]
) -> EachUpdate:
    found: dict[str, list[int]] = {}
    for sent in numbers:
        start = sent.timestamp - sent.timestamp % advance
        while start > sent.timestamp - size:
            found.setdefault(f"{sent.key}@{start}/{start + size}", []).append(int(sent.value))
            start -= advance
    return EachUpdate({key: [Update(0, of(each))] for key, each in found.items()}, int, "key")


def _relational(by_topic: Mapping[str, list[Sent]]) -> dict[str, Output]:
    customers = {sent.key: sent.value for sent in by_topic["customers"]}
    orders = {sent.key: str(sent.value) for sent in by_topic["orders"]}
    joined = {key: f"{order}|{customers[order.split('|')[1]]}" for key, order in orders.items()}
    once: dict[str, list[Update]] = {}
    for sent in by_topic["payments"]:
        once.setdefault(str(sent.value).split(":")[0], [Update(0, sent.value)])
    hops = {sent.key: [Update(n, n) for n in range(1, HOPS + 2)] for sent in by_topic["hops"]}
    return {
        "joined": LastUpdate(joined, str, _versions_grow),
        "priced": EachUpdate(_priced(by_topic["trades"], by_topic["rates"]), int),
        "once": EachUpdate(once, str, "key", lambda _, value: str(value).split(":")[0]),
        "hopped": EachUpdate(hops, int, "value", counts_repeats=True),
    }


def _priced(trades: list[Sent], rates: list[Sent]) -> dict[str, list[Update]]:
    found: dict[str, list[Update]] = {}
    for trade in trades:
        assert trade.timestamp >= BASE_MS
        known = [r for r in rates if r.key == trade.key and r.timestamp <= trade.timestamp]
        rate = max(known, key=lambda each: each.timestamp)
        update = Update(trade.timestamp, int(trade.value) * int(rate.value))
        found.setdefault(trade.key, []).append(update)
    return found


def _versions_grow(before: str, after: str) -> bool:
    """Tell whether neither an order nor its customer goes back: `version|customer|version`."""
    old, _, old_customer = before.split("|")
    new, _, new_customer = after.split("|")
    return (int(old), int(old_customer)) <= (int(new), int(new_customer)) or int(old) < int(new)
