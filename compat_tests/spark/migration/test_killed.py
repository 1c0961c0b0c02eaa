"""Adoptions and hand-backs killed at random moments: the JVM goes on as if nothing had been."""

from __future__ import annotations

from pathlib import Path

import pytest

from compat_tests.cli.support import command
from compat_tests.effort import KILLS
from compat_tests.relay.jvm import Jvm
from compat_tests.relay.small_app import SmallApplication, steady
from compat_tests.spark.killing import Killer
from compat_tests.spark.support import Playground

AT_ONCE = 4
"""How often a move is killed before it is made."""
RECORDS = 24


class Traveller:
    """An application that moves here and back again and again, by commands that are killed."""

    def __init__(self, app: SmallApplication, killer: Killer) -> None:
        self.app, self.killer, self.moves = app, killer, 0
        self.adoptions, self.hand_backs = 0, 0

    @property
    def _at(self) -> list[str]:
        # A new directory for each move: the one before it has a checkpoint.
        return ["app.py", "--config", "app.toml", "--set", f"state.dir=state-{self.moves}"]

    @property
    def _run(self) -> list[str]:
        return ["run", *self._at, "--set", f"application.id={self.app.id}", "--until-idle"]

    def send(self) -> None:
        """Send some more records."""
        self.app.send(steady(len(self.app.sent), RECORDS))

    def by_jvm(self) -> None:
        """Let the JVM read more records."""
        self.send()
        self.app.by_jvm()

    def moves_in(self) -> None:
        """Adopt, killed before; sometimes the JVM goes on in between."""
        killed = 0
        while killed < AT_ONCE and self.adoptions < KILLS and self._adopted() is None:
            done = self.killer.killed("adopt", self.app.id, *self._at)
            killed, self.adoptions = killed + done, self.adoptions + done
        if killed and self.killer.random.random() < 0.3:
            self.by_jvm()
            self._must("was left by Kafka Streams on the JVM", "since its state was adopted")
            # A killed adoption may have been whole: of a state that is not the last one now.
            self.moves += 1
        if self._adopted() is None:
            self.killer.done("adopt", self.app.id, *self._at)

    def reads(self) -> None:
        """Read more records here, killed in the first batches."""
        self.send()
        if self.adoptions < KILLS:
            self.adoptions += self.killer.killed(*self._run, expected_s=12)
        self.killer.done(*self._run)

    def moves_back(self) -> None:
        """Hand back, killed before; sometimes it reads more here in between."""
        for _ in range(AT_ONCE + 1):
            if self.hand_backs < KILLS and self.killer.killed("hand-back", self.app.id, *self._at):
                self.hand_backs += 1
                if self.killer.random.random() < 0.2:
                    self.send()
                    self.killer.done(*self._run)
        self.killer.done("hand-back", self.app.id, *self._at)
        self.moves += 1

    def _adopted(self) -> Path | None:
        file = self.app.folder / f"state-{self.moves}" / self.app.id / "checkpoint/millstream.json"
        return file if file.exists() else None

    def _must(self, *refusals: str) -> None:
        done = command(*self._run, cwd=self.app.folder)
        assert done.returncode == 1, done.stdout
        assert any(each in done.stderr for each in refusals), done.stderr


@pytest.mark.spark
@pytest.mark.cluster
def test_adoptions_and_hand_backs_killed_at_any_moment_neither_lose_nor_repeat_a_result(
    play: Playground,
) -> None:
    with Jvm(play.directory) as jvm:
        app, alone = SmallApplication(play, jvm, "moving"), SmallApplication(play, jvm, "alone")
        traveller = Traveller(app, Killer(KILLS, app.folder))
        while min(traveller.adoptions, traveller.hand_backs) < KILLS:
            traveller.by_jvm()
            traveller.moves_in()
            traveller.reads()
            traveller.moves_back()
        traveller.by_jvm()
        alone.send(app.sent)
        alone.by_jvm()
        found, wanted = app.results(), alone.results()
        differing = {
            (topic, key): (found[topic].get(key), wanted[topic].get(key))
            for topic in wanted
            for key in found[topic].keys() | wanted[topic].keys()
            if found[topic].get(key) != wanted[topic].get(key)
        }
        assert differing == {}, traveller.killer.kills
    print(traveller.killer.kills)
