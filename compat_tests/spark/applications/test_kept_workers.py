"""Tasks that stay in the worker process that has their stores, whichever task ends first."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from itertools import pairwise

import pytest

from compat_tests.spark.support import Playground
from millstream import KafkaStreams, StreamsBuilder

ROUNDS = 12
_LOOPS = 1_500_000


def ran_by(value: str) -> str:
    if value == "long":
        for _ in range(_LOOPS):
            pass
    return str(os.getpid())


@pytest.mark.usefixtures("spark")
@pytest.mark.skipif(sys.platform != "linux", reason="workers exchange tasks on Linux only")
def test_a_task_stays_in_its_worker(play: Playground) -> None:
    source, target = play.topic("in"), play.topic("out")
    builder = StreamsBuilder()
    stream = builder.stream(source)
    stream.groupByKey().count()
    stream.mapValues(ran_by).to(target)
    workers: dict[bytes | None, list[str]] = defaultdict(list)
    with KafkaStreams(builder.build(), play.config(commit_interval_ms=0)) as streams:
        streams.start()
        for number in range(ROUNDS):
            # The other one ends last than in the batch before, so Spark would exchange them.
            values = ("long", "short") if number % 2 else ("short", "long")
            play.produce(source, [(str(p), value, number, p) for p, value in enumerate(values)])
            found = play.read(target, 2 * (number + 1))
        for message in found:
            workers[message.key()].append((message.value() or b"").decode())
    # At first a worker may still have to be started, and records come one by one. Later a task
    # moves only if its worker is still busy with the end of the last one: on a busy machine.
    moves = {key: sum(a != b for a, b in pairwise(pids[3:])) for key, pids in workers.items()}
    assert max(moves.values()) <= 1, dict(workers)
    assert len({pids[-1] for pids in workers.values()}) == len(workers) == 2
