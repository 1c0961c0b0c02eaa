"""Rescaling of a program whose pattern matches more topics than when its state was written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from compat_tests.testing.savepoints.made import STRINGS, saved
from millstream import IllegalArgumentException, Materialized, StreamsBuilder, Topology
from millstream.cli.state_rescale import PlannedRescaling
from millstream.cli.target import LoadedTarget
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.records import StoreRecords

RECORDS = [("in-1", "a", word, 10) for word in ("to", "be", "or", "not")]


def words() -> Topology:
    builder = StreamsBuilder()
    stream = builder.stream(re.compile("in-.*"))
    counted = stream.groupBy(lambda key, word: word, STRINGS).count(Materialized.as_("counts"))
    counted.toStream().mapValues(str).to("out")
    return builder.build()


def planned(point: Path, **sizes: int) -> PlannedRescaling:
    target = LoadedTarget("app.py", words(), {}, pytest)
    wanted = {topic.replace("_", "-"): count for topic, count in sizes.items()}
    return PlannedRescaling(target, Savepoint(point), wanted, ())


def test_a_larger_topic_that_is_new_gives_its_partitions_to_the_stores_below(
    tmp_path: Path,
) -> None:
    point = saved(words(), tmp_path, RECORDS)
    plan = planned(point, in_2=3)
    assert plan.rescaling.tasks == {0: 3, 1: 3}
    plan.write(str(tmp_path / "after"))
    new = Savepoint(tmp_path / "after")
    assert new.manifest.tasks == {0: 3, 1: 3}
    # Where the application begins with it is for auto.offset.reset to say.
    assert "in-2" not in new.manifest.positions
    assert len(list(StoreRecords(new, "counts").all())) == 4
    assert len(new.manifest.stores["counts"].partitions) > 1


def test_a_topic_that_does_not_match_is_refused(tmp_path: Path) -> None:
    point = saved(words(), tmp_path, RECORDS)
    with pytest.raises(IllegalArgumentException, match='reads no topic "other"'):
        planned(point, other=3)
