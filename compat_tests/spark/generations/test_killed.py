"""A program that is another one at each start, killed at random moments: nothing lost or twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from random import Random
from typing import Any

import pytest

from compat_tests import ROOT
from compat_tests.spark.applications.test_processes import committed_count, lines, series
from compat_tests.spark.generations.changing_program import VARIANTS
from compat_tests.spark.support import PATIENCE_S, QUICK_JVM, Playground, eventually

KILLS = int(os.environ.get("MILLSTREAM_KILLS", "2"))
REFUSED = 2


def started(play: Playground, config: dict[str, Any], *arguments: str) -> subprocess.Popen[bytes]:
    log = (play.directory / "program.log").open("ab")
    return subprocess.Popen(
        [sys.executable, "-m", "compat_tests.spark.generations.changing_program"]
        + [json.dumps(config), *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=log,
        stderr=log,
    )


def generation(play: Playground) -> int:
    pointer = play.directory / play.name / "checkpoint" / "millstream-generation.json"
    return int(json.loads(pointer.read_text())["generation"])


@pytest.mark.spark
@pytest.mark.cluster
def test_a_switch_killed_at_any_moment_neither_loses_nor_repeats_a_result(play: Playground) -> None:
    source, target, side = play.topic("text"), play.topic("counts"), play.topic("side")
    text = lines(4000)
    play.produce(source, [(None, line.encode(), n, n % 2) for n, line in enumerate(text)])
    words = Counter(word for line in text for word in line.split())
    given = play.config(processing_guarantee="exactly_once_v2") | {
        "statestore.cache.max.bytes": 0,
        "millstream.max.records.per.batch": 4000 // (8 * KILLS),
        "spark.master": "local[2]",
        "spark.log.level": "ERROR",
        **QUICK_JVM,
    }
    config = {key: value for key, value in given.items() if not key.endswith(".serde")}
    log = play.directory / "program.log"
    random, variant, kills = Random(KILLS), 0, 0
    while kills < KILLS:
        before = committed_count(play, target)
        process = started(play, config, source, target, side, str(variant))
        # Every other program ends some batches; the next one is killed while Spark starts, while
        # the state moves, or in its first batch.
        ends_batches = kills % 2 == 0
        until = time.monotonic() + (PATIENCE_S if ends_batches else 6 + random.random() * 12)
        while time.monotonic() < until and process.poll() is None:
            if ends_batches and committed_count(play, target) > before:
                time.sleep(random.random())
                break
            time.sleep(0.1)
        if process.poll() == REFUSED:
            # A part of a batch was written: its own program ends it.
            assert "written in part" in log.read_text()[-3000:]
            variant = (variant - 1) % VARIANTS
            process = started(play, config, source, target, side, str(variant))
            give_up = time.monotonic() + PATIENCE_S
            while committed_count(play, target) == before and time.monotonic() < give_up:
                assert process.poll() is None, log.read_text()[-5000:]
                time.sleep(0.1)
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(120) == 0, log.read_text()[-5000:]
        else:
            assert process.poll() is None, log.read_text()[-5000:]
            process.kill()
            process.wait()
            kills += 1
        variant = (variant + 1) % VARIANTS
    process = started(play, config, source, target, side, str((variant - 1) % VARIANTS))
    found = series(play, target, words.total())
    eventually(lambda: play.committed(play.name, source), play.ends(source))
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(120) == 0
    assert generation(play) > 0
    assert found == {word: list(range(1, count + 1)) for word, count in words.items()}
