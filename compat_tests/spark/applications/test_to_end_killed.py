"""A run over history that is killed in the middle, again and again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from random import Random

import pytest

from compat_tests import ROOT
from compat_tests.effort import KILLS
from compat_tests.spark.applications.test_processes import (
    committed_count,
    is_written,
    lines,
    series,
)
from compat_tests.spark.support import PATIENCE_S, QUICK_JVM, Playground, killed_after
from millstream import StreamsConfig

SETTINGS = {
    StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG: 0,
    "millstream.max.records.per.batch": 200,
    "spark.master": "local[2]",
    "spark.log.level": "ERROR",
    **QUICK_JVM,
}


def started(play: Playground, *arguments: str) -> subprocess.Popen[str]:
    """Start the program."""
    config = play.config(processing_guarantee="exactly_once_v2") | SETTINGS
    plain = {key: value for key, value in config.items() if not key.endswith(".serde")}
    return subprocess.Popen(
        [sys.executable, "-m", "compat_tests.spark.applications.history_program"]
        + [json.dumps(plain), *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.spark
@pytest.mark.cluster
@pytest.mark.long
def test_a_killed_run_over_history_goes_on_and_stops_at_its_bound(play: Playground) -> None:
    source, target = play.topic("text"), play.topic("counts")
    half = 200 + 300 * KILLS
    text = lines(2 * half + 200)
    play.produce(source, [(None, line.encode(), 1 + n, n % 2) for n, line in enumerate(text)])
    words = Counter(word for line in text[: 2 * half] for word in line.split())
    random, end = Random(5), json.dumps({"0": half, "1": half})
    for _ in range(KILLS):
        process = started(play, source, target, end)
        goal = committed_count(play, target) + 1500
        written = is_written(process, play, target, goal)
        killed = written and killed_after(process, random.random() * 0.5)
        _, errors = process.communicate()
        assert killed, errors[-5000:]
    process = started(play, source, target, end)
    told, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors[-5000:]
    assert json.loads(told.splitlines()[-1]) == {source: {"0": half, "1": half}}
    found = series(play, target, words.total())
    assert found == {word: list(range(1, count + 1)) for word, count in words.items()}
