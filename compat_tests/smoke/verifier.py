"""Comparison of what an application wrote with what it must write."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from compat_tests.smoke.expected import EachUpdate, LastUpdate, Output, Update

MOST_EXAMPLES = 5


@dataclass(frozen=True, slots=True)
class Read:
    """One record of an output topic, in the order of offsets."""

    key: str
    value: Any
    timestamp: int


@dataclass(slots=True)
class Verdict:
    """Damage that was found; every number is 0 for a correct application."""

    lost: int = 0
    duplicated: int = 0
    out_of_order: int = 0
    wrong: int = 0
    hanging: int = 0
    examples: list[str] = field(default_factory=list)
    """What the first cases look like."""

    def found(self, kind: str, what: str, count: int = 1) -> None:
        """Count a case."""
        setattr(self, kind, getattr(self, kind) + count)
        if sum(each.startswith(kind) for each in self.examples) < MOST_EXAMPLES:
            self.examples.append(f"{kind}: {what}")

    def is_clean(self, *, exactly_once: bool) -> bool:
        """Tell whether there is no damage; with at least once, repeated records are none."""
        rest = self.lost + self.out_of_order + self.wrong + self.hanging
        return rest == 0 and (self.duplicated == 0 or not exactly_once)


def verify(
    outputs: Mapping[str, Output],
    read: Mapping[str, Sequence[Read]],
    *,
    exactly_once: bool,
    hanging: Iterable[str] = (),
) -> Verdict:
    """Compare all outputs.

    Args:
        outputs: What must be in each topic.
        read: What is committed in each topic.
        exactly_once: Whether a repeated record may go back in a table's values.
        hanging: Partitions whose committed end stays below their end.
    """
    verdict = Verdict()
    for topic, output in outputs.items():
        records = read.get(topic, ())
        if isinstance(output, EachUpdate):
            _check_each(verdict, topic, output, records, exactly_once=exactly_once)
        else:
            _check_last(verdict, topic, output, records, exactly_once=exactly_once)
    for partition in hanging:
        verdict.found("hanging", partition)
    return verdict


def _check_each(
    verdict: Verdict, topic: str, output: EachUpdate, read: Sequence[Read], *, exactly_once: bool
) -> None:
    wanted = {
        (key, update.mark): (place, update.value)
        for key, updates in output.series.items()
        for place, update in enumerate(updates)
    }
    seen: set[Any] = set()
    last: dict[str, int] = {}
    for record in read:
        key = output.key(record.key, record.value)
        known = key, _mark(output, record)
        where = f"{topic} {record.key}={record.value!r} at {record.timestamp}"
        if known not in wanted:
            is_repeat = output.counts_repeats and not exactly_once and key in output.series
            verdict.found("duplicated" if is_repeat else "wrong", where)
            continue
        if wanted[known][1] != record.value:
            verdict.found("wrong", where)
        if known in seen:
            verdict.found("duplicated", where)
            continue
        seen.add(known)
        place = wanted[known][0]
        if place < last.get(key, -1):
            verdict.found("out_of_order", where)
        last[key] = max(place, last.get(key, -1))
    for key, mark in wanted.keys() - seen:
        verdict.found("lost", f"{topic} {key}, known by {mark}")


def _mark(output: EachUpdate, record: Read) -> Any:
    return {"time": record.timestamp, "value": record.value, "key": 0}[output.mark]


def _check_last(
    verdict: Verdict, topic: str, output: LastUpdate, read: Sequence[Read], *, exactly_once: bool
) -> None:
    last: dict[str, Any] = {}
    for record in read:
        where = f"{topic} {record.key}={record.value!r} at {record.timestamp}"
        if record.key not in output.values:
            verdict.found("wrong", where)
            continue
        before = last.get(record.key, record.value)
        if exactly_once and not output.may_follow(before, record.value):
            verdict.found("out_of_order", f"{where} after {before!r}")
        last[record.key] = record.value
    for key, value in output.values.items():
        if key not in last:
            if key not in output.may_lack:
                verdict.found("lost", f"{topic} {key}={value!r}")
        elif last[key] != value:
            verdict.found("wrong", f"{topic} {key} ends with {last[key]!r}, not {value!r}")


__all__ = ["Read", "Update", "Verdict", "verify"]
