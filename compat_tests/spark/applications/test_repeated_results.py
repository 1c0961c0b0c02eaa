"""How often a foreign-key join on Spark gives a result that repeats the one before."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from compat_tests.spark.applications.test_circles import foreign_key_join, table
from compat_tests.spark.support import Out, Playground, eventually
from millstream import KafkaStreams

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

ROUNDS = 3
UPDATES = 60
LEFTS, RIGHTS = 20, 5


def rounds() -> Iterator[tuple[dict[bytes, bytes], dict[bytes, bytes]]]:
    """Rows of both tables that change at the same time; no value comes twice."""
    drawn = random.Random(33)
    for turn in range(ROUNDS):
        lefts, rights = dict[bytes, bytes](), dict[bytes, bytes]()
        for number in range(UPDATES):
            if drawn.random() < 0.7:
                value = b"r%d/%d.%d" % (drawn.randrange(RIGHTS), turn, number)
                lefts[b"l%d" % drawn.randrange(LEFTS)] = value
            else:
                rights[b"r%d" % drawn.randrange(RIGHTS)] = b"R%d.%d" % (turn, number)
        yield lefts, rights


def repeats(results: list[Out]) -> int:
    """How many results repeat the one before of the same key."""
    last: dict[bytes | None, bytes | None] = {}
    found = 0
    for key, value in results:
        found += key in last and last[key] == value
        last[key] = value
    return found


def test_no_result_of_a_foreign_key_join_repeats_the_one_before(
    spark: SparkSession, play: Playground
) -> None:
    left, right, target = (play.topic(name, 1) for name in ("left", "right", "out"))
    lefts, rights = dict[bytes, bytes](), dict[bytes, bytes]()
    streams = KafkaStreams(foreign_key_join(left, right, target), play.config(), spark=spark)
    for number, (new_lefts, new_rights) in enumerate(rounds()):
        # The first round is there before the application: one batch has updates of both sides.
        play.produce(right, [(key, value, 10 + number) for key, value in new_rights.items()])
        play.produce(left, [(key, value, 10 + number) for key, value in new_lefts.items()])
        lefts |= new_lefts
        rights |= new_rights
        if number == 0:
            streams.start()
        joined = {
            key: b"%s+%s" % (value, rights[value.split(b"/")[0]])
            for key, value in lefts.items()
            if value.split(b"/")[0] in rights
        }
        eventually(lambda: table(play, target), joined)  # noqa: B023 - called at once
    results = play.pairs(target, len(lefts), more=1)
    streams.close()

    assert repeats(results) == 0
