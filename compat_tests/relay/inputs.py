"""Input of the relay: seeded records, some late, some at time 0, some deletions, some headers."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

KEYS = "kmnopq"
_FIRST_OF_ALL = 6
"""So many records are of time 0."""


class Sent(NamedTuple):
    """A record of the input."""

    topic: str
    key: str
    value: str | None
    time: int
    headers: Sequence[tuple[str, bytes]] = ()


def records(seed: int, count: int, feeds: Mapping[str, str]) -> list[Sent]:
    """Return input with late records, and windows open at any moment.

    Args:
        seed: The same one gives the same records.
        count: Records of all topics.
        feeds: Topic -> what its values are, by a name of ``VALUES``.
    """
    chance = random.Random(seed)
    first, *_ = topics = list(feeds)
    found: list[Sent] = []
    now = 10_000
    for number in range(count):
        topic = chance.choice([first] * 3 + topics)
        if number < _FIRST_OF_ALL:
            topic, time = first, 0
        else:
            now += chance.randrange(0, 120)
            time = now - chance.choice([0, 0, 0, 0, 300, 900, 2500])
        value = VALUES[feeds[topic]](chance, number, time)
        headers = [("n", str(number).encode())] if time and chance.random() < 0.3 else []
        found.append(Sent(topic, chance.choice(KEYS), value, time, headers))
    return found


def thirds(sent: Sequence[Sent]) -> list[Sequence[Sent]]:
    size = len(sent) // 3
    return [sent[:size], sent[size : 2 * size], sent[2 * size :]]


def _text(chance: random.Random, number: int, time: int) -> str | None:
    del time
    return None if chance.random() < 0.04 else chance.choice("xyz") + str(number % 5)


def _row(chance: random.Random, number: int, time: int) -> str | None:
    return None if chance.random() < 0.15 else _text(chance, number, time)


def _foreign(chance: random.Random, number: int, time: int) -> str | None:
    del time
    return None if chance.random() < 0.15 else f"{chance.choice(KEYS)},{number}"


def _commands(chance: random.Random, number: int, time: int) -> str:
    """Return a command for each form of store, as `processors.FORMS` has them."""
    key, other = sorted(chance.choices(KEYS, k=2))
    value = f"{chance.choice('xyz')}{number}"
    deleted = chance.random() < 0.2
    forms = ["null"] * 3 if deleted else [value, f"{value}~{time}", f"{value}~{time}~n={number}"]
    plain = forms[0]
    aggregate = plain if deleted else f"{value}~n={number}"
    at = max(0, time - chance.choice([0, 0, 500, 3000]))
    start = at - at % 500
    begin, end = max(0, at - 200), at
    choice = chance.random()
    if choice < 0.6:
        put = [f"put {key} {each}" for each in forms]
        windows = [f"put {key} {each} {start}" for each in forms]
        sessions = [f"put {key} {begin} {end} {each}" for each in (plain, aggregate)]
        versions = f"put {key} {plain} {at}"
        return ",".join([*put, *windows, *sessions, versions])
    reads = chance.choice(
        [
            (f"get {key}", f"get {key} {start}", f"fetch {key}", f"get {key}"),
            ("all", f"fetchAll 0 {time}", f"fetchRange {key} {other}", f"get {key} {at}"),
            (
                f"range {key} {other}",
                f"fetchRange {key} {other} {max(0, at - 4000)} {at}",
                f"findSessions {key} {max(0, at - 4000)} {at}",
                f"delete {key} {at}",
            ),
        ]
    )
    return ",".join([*[reads[0]] * 3, *[reads[1]] * 3, *[reads[2]] * 2, reads[3]])


VALUES: Mapping[str, Callable[[random.Random, int, int], str | None]] = {
    "text": _text,
    "table": _row,
    "foreign": _foreign,
    "commands": _commands,
}
