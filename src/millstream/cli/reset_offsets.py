"""New offsets of a reset: earliest, latest, an offset, a shift, a time, or a file's."""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import typer

from millstream.cli.groups import GroupOffsets, Place
from millstream.cli.times import moment
from millstream.core.durations import iso_duration_millis, to_epoch_millis
from millstream.core.errors import IllegalArgumentException


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """The one way that the options name; the earliest offsets if they name none."""

    to_earliest: bool = False
    to_latest: bool = False
    to_offset: int | None = None
    shift_by: int | None = None
    to_datetime: str | None = None
    by_duration: str | None = None
    from_file: Path | None = None

    def check(self) -> None:
        """Check that at most one way is named, and its text.

        Raises:
            typer.BadParameter: Several are, or a time or duration is none.
        """
        given = [
            f"--{field.name.replace('_', '-')}"
            for field in fields(self)
            # By identity: the offset 0 equals False.
            if getattr(self, field.name) is not None and getattr(self, field.name) is not False
        ]
        if len(given) > 1:
            raise typer.BadParameter(f"Choose one of {' and '.join(given)}.")
        self.time_ms()

    def time_ms(self) -> int | None:
        """Return the time to go to, in epoch milliseconds; None if it is another way."""
        if self.to_datetime is not None:
            return _time_ms(self.to_datetime)
        if self.by_duration is not None:
            return int(time.time() * 1000) - _duration_ms(self.by_duration)
        return None


def new_offsets(
    group: GroupOffsets,
    scenario: Scenario,
    places: Sequence[Place],
    committed: Mapping[Place, int],
) -> tuple[dict[Place, int], list[str]]:
    """Return the new offset of each place, and warnings about those outside of their topic.

    Raises:
        IllegalArgumentException: The file is not of its format, or lacks a partition.
        StreamsException: The broker refuses or does not answer.
    """
    beginnings, ends = group.beginnings(places), group.ends(places)
    if scenario.to_latest:
        return ends, []
    if (time_ms := scenario.time_ms()) is not None:
        return group.at_time(places, time_ms), []
    wanted: Mapping[Place, int] = beginnings
    ignored: list[str] = []
    if scenario.from_file is not None:
        wanted, ignored = _chosen(scenario.from_file, places)
    elif scenario.to_offset is not None:
        wanted = dict.fromkeys(places, scenario.to_offset)
    elif scenario.shift_by is not None:
        wanted = {p: committed.get(p, beginnings[p]) + scenario.shift_by for p in places}
    found, told = _within(wanted, beginnings, ends)
    return found, ignored + told


def begin_of_shift(
    group: GroupOffsets, places: Sequence[Place], committed: Mapping[Place, int]
) -> dict[Place, int]:
    """Return where a shift counts from: where a reset that was interrupted has found an offset.

    It has committed the shifted ones, and repeated it would shift these once more.

    Raises:
        StreamsException: The broker refuses or does not answer.
    """
    noted, beginnings = group.shifted_from(), group.beginnings(places)
    return {place: noted.get(place, committed.get(place, beginnings[place])) for place in places}


def _within(
    wanted: Mapping[Place, int], beginnings: Mapping[Place, int], ends: Mapping[Place, int]
) -> tuple[dict[Place, int], list[str]]:
    found, told = {}, []
    for place, offset in wanted.items():
        found[place] = min(max(offset, beginnings[place]), ends[place])
        if found[place] != offset:
            told.append(
                f'offset {offset} is not in partition {place[1]} of topic "{place[0]}", which has '
                f"{beginnings[place]} to {ends[place]}: {found[place]} is taken"
            )
    return found, told


def _chosen(path: Path, places: Sequence[Place]) -> tuple[dict[Place, int], list[str]]:
    """Return a file's offsets of all places, and warnings about lines of others."""
    listed = _of_file(path)
    if missing := [
        f"{topic}-{number}" for topic, number in places if (topic, number) not in listed
    ]:
        raise IllegalArgumentException(
            f"{path} has no offsets of partitions to reset: {', '.join(missing)}",
            detail="They would go on at their committed offsets, with empty stores. "
            "Nothing has been changed.",
            hint="Add a line for each, or name the topics of the file with --input-topics.",
        )
    told = [
        f'partition {number} of topic "{topic}", in {path}, is not reset: it is no partition '
        "of the topics that --input-topics names or, without it, that the group has committed"
        for topic, number in sorted(listed.keys() - set(places))
    ]
    return {place: listed[place] for place in places}, told


def _of_file(path: Path) -> dict[Place, int]:
    problem = f"cannot read offsets from {path}"
    try:
        rows = list(csv.reader(path.read_text(encoding="utf-8-sig").splitlines()))
    except (OSError, UnicodeDecodeError) as error:
        raise IllegalArgumentException(problem, detail=f"{error}.") from error
    found: dict[Place, int] = {}
    for number, row in enumerate(rows, start=1):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if len(cells) != 3 or not all(cell.isdecimal() for cell in cells[1:]):
            raise IllegalArgumentException(
                problem,
                detail=f"Line {number} is {','.join(row)!r}.",
                hint="Each line is topic,partition,offset.",
            )
        topic, partition, offset = cells[0], int(cells[1]), int(cells[2])
        if (before := found.setdefault((topic, partition), offset)) != offset:
            raise IllegalArgumentException(
                problem,
                detail=f"Line {number} has offset {offset} of partition {partition} of topic "
                f'"{topic}", and a line before it has {before}.',
                hint="Leave one line for each partition.",
            )
    if not found:
        raise IllegalArgumentException(problem, detail="It is empty.")
    return found


def _time_ms(text: str) -> int:
    try:
        return to_epoch_millis(moment(text), "to-datetime")
    except ValueError as error:
        raise typer.BadParameter(
            f'"{text}" is not of the form 2026-01-31T12:00:00.000.', param_hint="'--to-datetime'"
        ) from error


def _duration_ms(text: str) -> int:
    found = iso_duration_millis(text)
    if found is None:
        raise typer.BadParameter(
            f'"{text}" is not of the form P7D or PT1H30M.', param_hint="'--by-duration'"
        )
    return found
