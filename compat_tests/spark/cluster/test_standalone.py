"""An application on Spark's standalone cluster: workers and drivers are killed, results are exact.

``tox run -e cluster`` prints what it does; docs/operating/cluster.md has such a transcript.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from compat_tests import ROOT
from compat_tests.smoke.proc import descendants, kill_all
from compat_tests.spark.applications.test_processes import committed_count, lines, series
from compat_tests.spark.cluster.standalone import HOME, Command, below, standalone, stop, supervised
from compat_tests.spark.support import Playground, eventually
from millstream.jars import jars

APP = str(Path(__file__).with_name("app.py"))
LINES = 4000


class Transcript:
    """What happens, with the seconds since the start."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def __call__(self, text: str) -> None:
        print(f"{time.monotonic() - self._began:6.1f} s  {text}", flush=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of millstream."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    return wheel


def zipped(wheel: Path) -> Path:
    """Return the wheel as Spark takes it: with the ending .zip."""
    target = wheel.with_name("millstream.zip")
    if not target.exists():
        shutil.copy(wheel, target)
    return target


def packed(wheel: Path) -> Path:
    """Return a PEX file with all that workers need but pyspark, which the cluster has."""
    pex = shutil.which("pex")
    if pex is None:
        pytest.skip("pex is not installed; tox run -e cluster installs it")
    target = wheel.with_name("env.pex")
    if not target.exists():
        options = ["--exclude", "pyspark", "--inherit-path=fallback", "--python", sys.executable]
        command = [pex, str(wheel), *options, "-o", str(target)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return target


def config(play: Playground, url: str, folder: Path, **entries: Any) -> Path:
    """Write an application's configuration to a file."""
    plain = play.config(processing_guarantee="exactly_once_v2")
    plain = {key: value for key, value in plain.items() if not key.endswith(".serde")}
    plain |= {
        "millstream.checkpoint.location": (folder / "shared/checkpoint").as_uri(),
        # Every update is published, so a lost or repeated batch cannot hide.
        "statestore.cache.max.bytes": "0",
        "millstream.max.records.per.batch": "200",
        "spark.executor.memory": "1g",
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        **({"spark.master": url} if url else {}),
        **entries,
    }
    file = folder / "config.json"
    file.write_text(json.dumps(plain))
    return file


def submit(url: str, options: Sequence[str], *arguments: str) -> list[str]:
    """Return the command of spark-submit, with the jars of the lock."""
    return [
        *(str(HOME / "bin/spark-submit"), "--master", url, "--deploy-mode", "client"),
        *("--jars", ",".join(map(str, jars("spark"))), *options),
        *("--driver-memory", "1g", "--executor-memory", "1g"),
        *("--conf", "spark.driver.host=127.0.0.1", APP, *arguments),
    ]


def commanded(way: str, wheel: Path, play: Playground, url: str, *topics: str) -> list[str]:
    """Return the command that runs the application in one of the ways."""
    folder = play.directory
    if way == "python":
        entries = {"spark.submit.pyFiles": str(zipped(wheel))}
        return [sys.executable, APP, str(config(play, url, folder, **entries)), *topics]
    options = ["--py-files", str(zipped(wheel))]
    if way == "pex":
        pex = packed(wheel)
        # Spark runs the workers' Python in the driver's working directory, too.
        (folder / "driver").mkdir()
        (folder / "driver" / pex.name).symlink_to(pex)
        options = ["--files", str(pex), "--conf", f"spark.pyspark.python=./{pex.name}"]
        options += ["--conf", f"spark.pyspark.driver.python={sys.executable}"]
        options += ["--conf", f"spark.executorEnv.PEX_ROOT={folder / 'pex'}"]
    return submit(url, options, str(config(play, "", folder)), *topics)


def python_below(command: Command) -> list[int]:
    """Return the driver's Python process."""
    return [pid for pid in below(command, APP, "python") if not _is_java(pid)][-1:]


def _is_java(pid: int) -> bool:
    return Path(f"/proc/{pid}/comm").read_text().strip() == "java"


@pytest.mark.spark
@pytest.mark.cluster
@pytest.mark.long
@pytest.mark.parametrize("way", ["spark-submit", "python", "pex"])
def test_workers_and_drivers_are_killed_and_the_output_is_exact(
    play: Playground, wheel: Path, way: str
) -> None:
    say, folder = Transcript(), play.directory
    source, target, places = play.topic("text"), play.topic("counts"), play.topic("places")
    text = lines(LINES)
    words = Counter(word for line in text for word in line.split())
    goal = words.total() // 8

    def send(part: int) -> None:
        some = list(enumerate(text))[part * LINES // 4 : (part + 1) * LINES // 4]
        play.produce(source, [(None, line.encode(), n, n % 2) for n, line in some])

    def written(more: int) -> None:
        wanted = committed_count(play, target) + more
        eventually(lambda: committed_count(play, target) >= wanted, expected=True)

    with standalone(folder) as cluster:
        say(f"a master at {cluster.url}")
        first, second = cluster.worker("worker-1"), cluster.worker("worker-2")
        say("two workers of one core each")
        command = commanded(way, wheel, play, cluster.url, source, target, places)
        driver = cluster.run("driver", supervised(*command))
        say(f"the driver is started by {way}, below a supervisor")
        send(0)
        written(goal)
        say(f"{committed_count(play, target)} offsets in the output")

        send(1)
        gone = first.kill()
        say(f"worker 1 is killed, with all below it ({len(gone)} processes)")
        written(goal)
        say(f"{committed_count(play, target)} offsets in the output: worker 2 goes on alone")
        cluster.worker("worker-3")
        say("a third worker is started")

        send(2)
        (python,) = python_below(driver)
        gone = descendants(driver.process.pid)[1:]
        kill_all(gone)
        say(f"the driver is killed: Python {python} and its JVM")
        eventually(lambda: driver.says("it is started again"), expected=True)
        written(goal)
        say(
            f"{committed_count(play, target)} offsets in the output: the supervisor has "
            "started the driver again, which went on"
        )
        send(3)
        found = series(play, target, words.total())
        eventually(lambda: play.committed(play.name, source), play.ends(source))
        stop(python_below(driver))
        assert driver.process.wait(90) == 0, driver.told()
        say("SIGTERM to the driver: it has closed with status 0, and the supervisor ends")
        second.kill()

    wrong = {word for word, count in words.items() if found.get(word) != list(range(1, count + 1))}
    say(
        f"{words.total()} words of {len(words)} kinds were sent; {sum(map(len, found.values()))} "
        f"counts were read (read committed); kinds with a wrong series: {len(wrong)}"
    )
    assert wrong == set()
    where = {value for _, value in play.pairs(places, LINES)}
    shipped = (
        ".whl/millstream/__init__.py" if way == "pex" else "millstream.zip/millstream/__init__.py"
    )
    assert {(place or b"").decode().endswith(shipped) for place in where} == {True}, where
    say(f"the workers had millstream from what was shipped: …{shipped}")
