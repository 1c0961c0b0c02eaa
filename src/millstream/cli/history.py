"""Bounds of a run over history, as the command's options give them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from millstream.cli.times import moment

ToEnd = Annotated[
    bool,
    typer.Option(
        "--to-end", help="Run over history up to --until, or what is there now, and stop."
    ),
]
From = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        metavar="BOUND",
        help="With --to-end: where to begin. A time such as 2026-01-31T12:00:00Z or milliseconds, "
        "TOPIC=TIME, or TOPIC:PARTITION=OFFSET (repeatable).",
        show_default=False,
    ),
]
Files = Annotated[
    list[str] | None,
    typer.Option(
        "--file",
        metavar="TOPIC=PATH",
        help="With --to-end: Parquet or JSON lines that stand for a topic (repeatable).",
        show_default=False,
    ),
]
Until = Annotated[
    list[str] | None,
    typer.Option(
        "--until",
        metavar="BOUND",
        help="With --to-end: the first record that is left out, in the same forms.",
        show_default=False,
    ),
]

_FORMS = "2026-01-31T12:00:00Z, milliseconds since the epoch, TOPIC=TIME or TOPIC:PARTITION=OFFSET"


def bounds(texts: Iterable[str] | None, option: str) -> Any:
    """Return what ``runToEnd`` takes for the values of ``--from`` or ``--until``.

    Args:
        texts: The values; None for no bound.
        option: The option's name, for errors.

    Raises:
        BadParameter: A value has none of the forms, or does not go with another one.
    """
    everywhere: list[int] = []
    topics: dict[str, Any] = {}
    for text in texts or ():
        target, separator, value = text.rpartition("=")
        if not separator:
            everywhere.append(_time_ms(text, option))
            continue
        topic, colon, partition = target.rpartition(":")
        if not colon:
            if target in topics:
                raise _wrong(f'two bounds for topic "{target}"', option)
            topics[target] = _time_ms(value, option)
        elif partition.isdigit() and value.isdigit():
            own = topics.setdefault(topic, {})
            if not isinstance(own, dict) or int(partition) in own:
                raise _wrong(f'two bounds for topic "{topic}"', option)
            own[int(partition)] = int(value)
        else:
            raise _wrong(f'"{text}" is not one of {_FORMS}', option)
    if len(everywhere) + bool(topics) > 1:
        raise _wrong("one time for all topics, or bounds by topic", option)
    return everywhere[0] if everywhere else topics or None


def files(texts: Iterable[str] | None) -> dict[str, list[str]] | None:
    """Return what ``runToEnd`` takes for the values of ``--file``.

    Raises:
        BadParameter: A value is not TOPIC=PATH.
    """
    found: dict[str, list[str]] = {}
    for text in texts or ():
        topic, separator, path = text.partition("=")
        if not (topic and separator and path):
            raise _wrong(f'"{text}" is not TOPIC=PATH', "--file")
        found.setdefault(topic, []).append(path)
    return found or None


def _time_ms(text: str, option: str) -> int:
    if text.isdigit():
        return int(text)
    try:
        return round(moment(text).timestamp() * 1000)
    except ValueError as error:
        raise _wrong(f'"{text}" is not one of {_FORMS}', option) from error


def _wrong(problem: str, option: str) -> typer.BadParameter:
    return typer.BadParameter(problem, param_hint=f"'{option}'")
