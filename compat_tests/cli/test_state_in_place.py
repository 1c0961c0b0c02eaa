"""State of an application, stopped and running, read in its checkpoint and rescaled there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient, NewPartitions  # type: ignore[attr-defined]

from compat_tests.spark.conftest import play as play  # noqa: PLC0414 - a fixture
from compat_tests.spark.support import Playground, eventually
from millstream import IllegalStateException, KafkaStreams, LockException
from millstream.cli.main import app
from millstream.cli.target import load_target
from millstream.core.partitioning import default_partition

PROGRAM = """
from millstream import Consumed, Materialized, Produced, Serdes, StreamsBuilder


class LoudSerde(Serdes.WrapperSerde):
    def __init__(self):
        super().__init__(
            lambda topic, value: value.encode(), lambda topic, data: data.decode().upper()
        )


def build_topology():
    text = Serdes.String()
    builder = StreamsBuilder()
    lefts = builder.table("NAME-lefts", Consumed.with_(text, text), Materialized.as_("rows"))
    loud = Consumed.with_(text, LoudSerde())
    rights = builder.table("NAME-rights", loud, Materialized.as_("loud"))
    joined = lefts.join(rights, lambda value: value, lambda one, other: one + ":" + other)
    joined.toStream().to("NAME-out", Produced.with_(text, text))
    return builder.build()
"""
LEFTS = {f"l{n}": f"r{n % 5}" for n in range(20)}
LATE = {f"late{n}": "r1" for n in range(10)}
RIGHTS = [f"r{n}" for n in range(5)]


class Shop:
    """The program on a broker, and the command in the same process."""

    def __init__(self, play: Playground, spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
        self.play, self.spark, self.capsys = play, spark, capsys
        self.lefts, self.rights = play.topic("lefts"), play.topic("rights")
        self.out = play.topic("out", partitions=1)
        self.program = play.directory / "in_place.py"
        self.program.write_text(PROGRAM.replace("NAME", play.name))
        self.checkpoint = play.directory / play.name / "checkpoint"
        sets = {"application.id": play.name, "bootstrap.servers": play.servers}
        sets |= {"state.dir": str(play.directory)}
        self.at = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]

    def application(self) -> KafkaStreams:
        topology = load_target(str(self.program), {}).topology
        return KafkaStreams(topology, self.play.config(), spark=self.spark)

    def send(self, topic: str, records: Mapping[str, str]) -> None:
        pairs = [(key.encode(), value.encode(), 1000) for key, value in records.items()]
        self.play.produce(topic, pairs)

    def results(self, count: int) -> dict[str, str]:
        """Return the last result of each left row, of this many results."""
        found = self.play.pairs(self.out, count)
        return {(key or b"").decode(): (value or b"").decode() for key, value in found}

    def is_read(self) -> bool:
        """Return whether everything has been read, internal topics too."""
        admin = AdminClient({"bootstrap.servers": self.play.servers})
        topics = [self.lefts, self.rights]
        topics += [
            t for t in admin.list_topics().topics if t.startswith(f"{self.play.name}-KTABLE")
        ]
        return all(self._is_read(topic) for topic in topics)

    def _is_read(self, topic: str) -> bool:
        ends = {n: end for n, end in self.play.ends(topic).items() if end}
        return ends.items() <= self.play.committed(self.play.name, topic).items()

    def grow(self, partitions: int) -> None:
        admin = AdminClient({"bootstrap.servers": self.play.servers})
        for topic in (self.lefts, self.rights):
            admin.create_partitions([NewPartitions(topic, partitions)])[topic].result(30)

    def state(self, *arguments: str) -> str:
        """Return what the command prints."""
        self.capsys.readouterr()
        app(["state", *arguments], standalone_mode=False)
        return self.capsys.readouterr().out

    def entry(self, place: Any, store: str, key: str) -> tuple[Any, int]:
        """Return the value and the partition of a key."""
        (line,) = self.state("get", str(place), store, key, *self.at, "--json").splitlines()
        found = json.loads(line)
        return found["value"], found["partition"]


@pytest.fixture
def shop(play: Playground, spark: Any, capsys: pytest.CaptureFixture[str]) -> Shop:
    return Shop(play, spark, capsys)


@pytest.mark.long
def test_a_checkpoint_is_read_and_rescaled_in_place(shop: Shop) -> None:
    shop.send(shop.rights, dict.fromkeys(RIGHTS, "one"))
    shop.send(shop.lefts, LEFTS)
    with shop.application():
        assert shop.results(20) == {key: f"{value}:ONE" for key, value in LEFTS.items()}
        eventually(shop.is_read, True)
    program = str(shop.program)
    reads_a_stopped_application(shop, program)

    # Records that are read after the topic grew would miss the state of their keys.
    shop.send(shop.lefts, LATE)
    shop.grow(5)
    keys = [key.encode() for key in LATE]
    misplaced = sum(default_partition(key, 2) != default_partition(key, 5) for key in keys)
    with pytest.raises(IllegalStateException, match=f"has {misplaced} unread records in part"):
        shop.state("rescale", program, *shop.at, "--dry-run")
    assert "2 tasks become 5" in shop.capsys.readouterr().out
    with pytest.raises(IllegalStateException, match="has 5 partitions on the broker, not 7"):
        shop.state("rescale", program, *shop.at, "--partitions", f"{shop.lefts}=7")

    # What a rescaling has left that was killed.
    (shop.checkpoint / "rescaling" / "before").mkdir(parents=True)
    shown = shop.state("rescale", program, *shop.at, "--allow-unread")
    assert "generations/1" in shown
    assert not (shop.checkpoint / "rescaling").exists()
    assert "nothing to do" in shop.state("rescale", program, *shop.at, "--allow-unread")

    shop.send(shop.rights, dict.fromkeys(RIGHTS, "two"))
    wanted = {key: f"{value}:TWO" for key, value in (LEFTS | LATE).items()}
    application = shop.application()

    def last() -> dict[str, str]:
        return shop.results(len(LEFTS))

    with application:
        eventually(last, wanted)
        # The last committed batch of an application that runs.
        assert shop.entry(program, "rows", "l7") == ("r2", default_partition(b"l7", 5))
        with pytest.raises(LockException, match="another instance"):
            shop.state("rescale", program, *shop.at)


def reads_a_stopped_application(shop: Shop, program: str) -> None:
    listed = json.loads(shop.state("list", program, *shop.at, "--json"))
    rows = {row["store"]: row["rows"] for row in listed["stores"]}
    assert (rows["rows"], rows["loud"]) == (20, 5)
    where = default_partition(b"l7", 2)
    assert shop.entry(program, "rows", "l7") == ("r2", where)
    assert shop.entry(shop.checkpoint, "rows", "l7") == ("r2", where)
    # With the serdes of the application.
    assert shop.entry(program, "loud", "r2")[0] == "ONE"
    same = json.loads(shop.state("diff", program, str(shop.checkpoint), *shop.at, "--json"))
    assert same["same"]
    # A checkpoint that was moved: Spark's notes have the paths of the former place.
    moved = shop.checkpoint.rename(shop.play.directory / "moved")
    assert shop.entry(moved, "rows", "l7") == ("r2", where)
    moved.rename(shop.checkpoint)
