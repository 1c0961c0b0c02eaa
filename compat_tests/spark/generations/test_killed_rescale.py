"""Every step of a rescaling killed at random moments, and repeated: nothing lost or twice."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient, NewPartitions  # type: ignore[attr-defined]

from compat_tests.cli.test_run import write_app
from compat_tests.effort import KILLS
from compat_tests.spark.applications.test_processes import lines, series
from compat_tests.spark.killing import Killer
from compat_tests.spark.support import Playground

STEPS = ("state restore", "run", "savepoint", "state rescale")
"""Each is killed once while the topic gets one more partition, as long as there are kills left."""
LINES = 20


class GrowingApplication:
    """A word count whose topic gets more and more partitions."""

    def __init__(self, play: Playground) -> None:
        self.play, self.partitions = play, 1
        self.source, self.target = play.topic("lines", 1), play.topic("counts", 1)
        write_app(play.directory, play.servers, play.name)
        with (play.directory / "app.toml").open("a") as file:
            file.write('[processing]\nguarantee = "exactly_once_v2"\n')
            file.write("[statestore]\ncache.max.bytes = 0\n")
        self.at = ["--config", "app.toml"]
        self.killer = Killer(KILLS, play.directory)
        self.words = Counter[str]()
        self.killed = 0

    def send(self) -> None:
        """Send lines to all partitions."""
        text = lines(LINES)
        rows = [(None, line.encode(), n, n % self.partitions) for n, line in enumerate(text)]
        self.play.produce(self.source, rows)
        self.words.update(word for line in text for word in line.split())

    def done(self, *arguments: str) -> None:
        """Run a command to its end."""
        self.killer.done(*arguments, *self.at)

    def step(self, wanted: bool, *arguments: str, leaves: Path | None = None) -> None:
        """Run a command to its end, killed before if wanted.

        Args:
            wanted: Whether to kill it.
            arguments: The command.
            leaves: The savepoint that it writes; deleted if it is not whole.
        """
        if wanted:
            expected_s = 3 if arguments[1] == "rescale" else 9
            while not self.killer.killed(*arguments, *self.at, expected_s=expected_s):
                if leaves is not None:
                    shutil.rmtree(leaves)
            self.killed += 1
            if leaves is not None and (leaves / "savepoint.json").exists():
                return
            if leaves is not None:
                shutil.rmtree(leaves, ignore_errors=True)
        self.done(*arguments)

    def grow(self) -> None:
        """Give the topic one more partition, and the state to where its keys come then."""
        steps = STEPS[: KILLS - self.killed]
        before, after = f"point-{self.partitions}", f"scaled-{self.partitions}"
        self.partitions += 1
        folder = self.play.directory
        at = folder / before
        self.step("savepoint" in steps, "savepoint", self.play.name, before, leaves=at)
        admin = AdminClient({"bootstrap.servers": self.play.servers})
        wanted = NewPartitions(self.source, self.partitions)
        admin.create_partitions([wanted])[self.source].result(30)
        rescale = ["state", "rescale", "app.py", before, "--to", after]
        rescale += ["--partitions", f"{self.source}={self.partitions}"]
        self.step("state rescale" in steps, *rescale, leaves=folder / after)
        self.step("state restore" in steps, "state", "restore", "app.py", after)
        self.send()
        self.step("run" in steps, "run", "app.py", "--until-idle")


@pytest.mark.spark
@pytest.mark.cluster
@pytest.mark.long
def test_a_rescaling_killed_at_any_moment_neither_loses_nor_repeats_a_result(
    play: Playground,
) -> None:
    app = GrowingApplication(play)
    app.send()
    app.done("run", "app.py", "--until-idle")
    while app.killed < KILLS:
        app.grow()
    print(app.killer.kills)
    found = series(play, app.target, app.words.total())
    assert found == {word: list(range(1, count + 1)) for word, count in app.words.items()}
