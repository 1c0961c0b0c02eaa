"""A program that is another one at each start, killed at random moments: nothing lost or twice."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from compat_tests import ROOT
from compat_tests.cli.support import command
from compat_tests.cli.test_run import counts, write_app
from compat_tests.cli.test_run import lines as produce_lines
from compat_tests.effort import KILLS
from compat_tests.kafka.fixture import KafkaServer
from compat_tests.kafka.topics import create_topics
from compat_tests.spark.applications.test_processes import (
    close_input,
    committed_count,
    is_written,
    lines,
    series,
)
from compat_tests.spark.applications.test_processes import log as told
from compat_tests.spark.generations.changing_program import VARIANTS
from compat_tests.spark.support import QUICK_JVM, Playground, eventually, killed_after

REFUSED = 2
TIMES = KILLS + 1
"""How often a changing program is killed; the first time there is nothing to switch from."""


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
        "millstream.max.records.per.batch": 4000 // (8 * TIMES),
        "spark.master": "local[2]",
        "spark.log.level": "ERROR",
        **QUICK_JVM,
    }
    config = {key: value for key, value in given.items() if not key.endswith(".serde")}
    random, variant, kills = Random(TIMES), 0, 0
    while kills < TIMES:
        before = committed_count(play, target)
        process = started(play, config, source, target, side, str(variant))
        # Every other program ends some batches; the next one is killed while Spark starts, while
        # the state moves, or in its first batch.
        moment = 6 + random.random() * 12
        if kills % 2 == 0 and is_written(process, play, target, before + 1):
            moment = random.random()
        if killed_after(process, moment):
            kills += 1
        else:
            # A part of a batch was written: its own program ends it.
            assert process.returncode == REFUSED, told(play)
            assert "written in part" in told(play)
            variant = (variant - 1) % VARIANTS
            process = started(play, config, source, target, side, str(variant))
            assert is_written(process, play, target, before + 1), told(play)
            close_input(process)
            assert process.wait(120) == 0, told(play)
        variant = (variant + 1) % VARIANTS
    # What many kills have left is more than small batches can read in time.
    config["millstream.max.records.per.batch"] = len(text)
    process = started(play, config, source, target, side, str((variant - 1) % VARIANTS))
    found = series(play, target, words.total())
    eventually(lambda: play.committed(play.name, source), play.ends(source))
    close_input(process)
    assert process.wait(120) == 0
    assert generation(play) > 0
    assert found == {word: list(range(1, count + 1)) for word, count in words.items()}


@pytest.mark.spark
@pytest.mark.cluster
@pytest.mark.long
def test_a_restore_killed_at_any_moment_can_be_repeated(kafka: KafkaServer, tmp_path: Path) -> None:
    servers, app, at = kafka.bootstrap_servers, "restored", ["--config", "app.toml"]
    create_topics(servers, [f"{app}-lines"], partitions=2)
    create_topics(servers, [f"{app}-counts"])
    write_app(tmp_path, servers, app)
    text = [f"a b{n} c{n % 7}" for n in range(40)]
    run_to_idle(tmp_path, at, text, servers, app)
    first = counts(servers, f"{app}-counts")
    done = command("savepoint", app, "point", *at, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    random = Random(KILLS)
    restore = ["state", "restore", "app.py", "point", *at]
    for _ in range(KILLS):
        process = subprocess.Popen(
            [sys.executable, "-m", "millstream.cli", *restore],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        # It may also have ended before.
        killed_after(process, 3 + random.random() * 15)
        # What a killed restore has left may also be started.
        if random.random() < 0.5:
            run_to_idle(tmp_path, at, [], servers, app)
    assert command(*restore, cwd=tmp_path).returncode == 0
    run_to_idle(tmp_path, at, text, servers, app)
    assert counts(servers, f"{app}-counts") == {word: 2 * n for word, n in first.items()}


def run_to_idle(folder: Path, at: list[str], text: list[str], servers: str, app: str) -> None:
    produce_lines(servers, f"{app}-lines", *text)
    done = command("run", "app.py", *at, "--until-idle", cwd=folder)
    assert done.returncode == 0, done.stderr
