"""Applications in processes of their own: killed again and again, and on a cluster."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest

from compat_tests import ROOT
from compat_tests.effort import KILLS
from compat_tests.spark.support import (
    QUICK_JVM,
    Playground,
    eventually,
    happens_before_end,
    killed_after,
)
from millstream import StreamsConfig

WORDS = [f"word{n}" for n in range(40)]


def lines(count: int) -> list[str]:
    random = Random(7)
    return [" ".join(random.choices(WORDS, k=5)) for _ in range(count)]


@contextmanager
def program(
    play: Playground, source: str, target: str, entries: dict[str, Any]
) -> Iterator[subprocess.Popen[bytes]]:
    """Run the word count in a process; it is killed at the end unless it has ended."""
    config = play.config(processing_guarantee="exactly_once_v2") | entries
    plain = {key: value for key, value in config.items() if not key.endswith(".serde")}
    log = (play.directory / "program.log").open("ab")
    process = subprocess.Popen(
        [sys.executable, "-m", "compat_tests.spark.applications.word_count_program"]
        + [json.dumps(plain), source, target],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=log,
        stderr=log,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        log.close()


def close_input(process: subprocess.Popen[bytes]) -> None:
    """Let the program end."""
    assert process.stdin is not None
    process.stdin.close()


def log(play: Playground) -> str:
    """Return the end of what the program has written."""
    return (play.directory / "program.log").read_text()[-5000:]


def committed_count(play: Playground, target: str) -> int:
    """Return how many offsets the target has; markers of transactions count as well."""
    return sum(play.ends(target).values())


def is_written(process: subprocess.Popen[Any], play: Playground, target: str, goal: int) -> bool:
    """Wait until the target has so many offsets; return False if the program ends before."""
    return happens_before_end(process, lambda: committed_count(play, target) >= goal)


def series(play: Playground, target: str, count: int) -> dict[str, list[int]]:
    """Return for each word the counts that were published, in order."""
    found: dict[str, list[int]] = {}
    for message in play.read(target, count, more=2):
        word = message.key().decode()
        found.setdefault(word, []).append(int.from_bytes(message.value(), "big"))
    return found


def finals(play: Playground, target: str) -> dict[str, int]:
    """Return the last count of each word."""
    return {word: counts[-1] for word, counts in series(play, target, 0).items()}


def standbys(play: Playground) -> set[str]:
    """Return the tasks of which some executor has a standby copy."""
    reports = play.directory.glob("*/checkpoint/millstream-standbys/*/reports/*.json")
    copies = [copy for each in reports for copy in json.loads(each.read_bytes())["copies"]]
    return {copy["task"] for copy in copies if copy["ready"]}


@pytest.mark.spark
@pytest.mark.cluster
@pytest.mark.long
def test_killed_drivers_neither_lose_nor_repeat_a_result(play: Playground) -> None:
    source, target = play.topic("text"), play.topic("counts")
    text = lines(600 + 1200 * KILLS)
    play.produce(source, [(None, line.encode(), n, n % 2) for n, line in enumerate(text)])
    words = Counter(word for line in text for word in line.split())
    random, goal = Random(3), 0
    settings = {
        # Every update is published, so a lost or repeated batch cannot hide.
        StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG: 0,
        "millstream.max.records.per.batch": 250,
        "spark.master": "local[2]",
        "spark.log.level": "ERROR",
        **QUICK_JVM,
    }
    for _ in range(KILLS):
        with program(play, source, target, settings) as process:
            goal = committed_count(play, target) + 3000
            assert is_written(process, play, target, goal), log(play)
            assert killed_after(process, random.random() * 0.5), log(play)
    with program(play, source, target, settings) as process:
        found = series(play, target, words.total())
        eventually(lambda: play.committed(play.name, source), play.ends(source))
        close_input(process)
        assert process.wait(60) == 0

    assert found == {word: list(range(1, count + 1)) for word, count in words.items()}


@pytest.mark.usefixtures("clean_spark_home")
@pytest.mark.spark
@pytest.mark.cluster
def test_the_word_count_runs_on_a_cluster_of_two_executors(play: Playground) -> None:
    source, target = play.topic("text"), play.topic("counts")
    text = lines(400)
    play.produce(source, [(None, line.encode(), n, n % 2) for n, line in enumerate(text)])
    words = Counter(word for line in text for word in line.split())
    settings = {"spark.master": "local-cluster[2,1,1024]", "spark.log.level": "ERROR"} | QUICK_JVM
    settings["num.standby.replicas"] = "1"

    def all_have_copies() -> bool:
        # A copy follows from the next batch of its task on.
        play.produce(source, [(None, " ".join(WORDS).encode(), 1_000)])
        return standbys(play) == {"1_0", "1_1"}

    with program(play, source, target, settings) as process:
        assert happens_before_end(process, lambda: finals(play, target) == words), log(play)
        # Each executor keeps a copy of the other one's task.
        assert happens_before_end(process, all_have_copies), log(play)
        close_input(process)
        assert process.wait(60) == 0
