"""Rescaled stores whose partitions are not those of their tasks: merges, foreign-key joins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compat_tests.testing.savepoints.made import counts, saved
from compat_tests.topology.savepoints.test_rescale import RECORDS, by_key
from millstream import Consumed, Materialized, Serdes, StreamsBuilder, TableJoined, Topology
from millstream.core.partitioning import default_partition
from millstream.topology.savepoints.manifest import FILE
from millstream.topology.savepoints.moves import StoreMove, moves_of
from millstream.topology.savepoints.placing import combiner, unplaced
from millstream.topology.savepoints.reader import Savepoint
from millstream.topology.savepoints.records import StoreRecords
from millstream.topology.savepoints.rescale import Rescaling, rescale
from millstream.topology.savepoints.task_counts import known_sizes, rescaling_for

TEXT = Serdes.String()


def rescaling(topology: Topology, point: Savepoint, **sizes: int) -> Rescaling:
    plan, manifest = topology.plan(), point.manifest
    wanted = {**known_sizes(plan, manifest), **sizes}
    return rescaling_for(plan, manifest.application_id, manifest, wanted, {})


def moves(topology: Topology, point: Savepoint, **sizes: int) -> dict[str, StoreMove]:
    plan = topology.plan()
    reasons = unplaced(plan, point.manifest, [part.id for part in plan.subtopologies])
    found = moves_of(point, rescaling(topology, point, **sizes), reasons)
    return {move.store: move for move in found}


def foreign(joined: Any = None) -> Topology:
    builder = StreamsBuilder()
    left = builder.table("left", Consumed.with_(TEXT, TEXT), Materialized.as_("lefts"))
    right = builder.table("right", Consumed.with_(TEXT, TEXT), Materialized.as_("rights"))
    options = () if joined is None else (joined,)
    left.join(right, lambda value: value, lambda a, b: a + b, *options).toStream().to("out")
    return builder.build()


ROWS = [("right", f"r{n}", f"right-{n}", n) for n in range(5)]
ROWS += [("left", f"l{n}", f"r{n % 5}", 10 + n) for n in range(20)]


@pytest.mark.parametrize("sizes", [{"left": 3}, {"right": 4}, {"left": 3, "right": 4}])
def test_subscriptions_are_answered_where_the_left_rows_are(
    tmp_path: Path, sizes: dict[str, int]
) -> None:
    topology = foreign()
    point = Savepoint(saved(topology, tmp_path, ROWS))
    lefts, rights = sizes.get("left", 1), sizes.get("right", 1)
    assert not any(move.refused for move in moves(topology, point, **sizes).values())

    rescale(point, tmp_path / "new", rescaling(topology, point, **sizes), combiner(topology.plan()))

    new = Savepoint(tmp_path / "new")
    (store,) = (name for name in new.manifest.stores if "SUBSCRIPTION" in name)
    found = list(StoreRecords(new, store).all())
    assert len(found) == 20
    for record in found:
        end = 4 + int.from_bytes(record.key[:4], "big")
        foreign_key, primary = record.key[4:end], record.key[end:]
        assert record.partition == default_partition(foreign_key, rights)
        assert int.from_bytes((record.value or b"")[-4:], "big") == default_partition(
            primary, lefts
        )
    for name, count in (("lefts", lefts), ("rights", rights)):
        rows = list(StoreRecords(new, name).all())
        assert all(row.partition == default_partition(row.key, count) for row in rows)
    topics = {topic for topic in new.manifest.positions if "repartition" not in topic}
    assert {t: len(new.manifest.positions[t]) for t in topics & sizes.keys()} == sizes


def test_there_and_back_are_the_same_subscriptions(tmp_path: Path) -> None:
    topology = foreign()
    point = Savepoint(saved(topology, tmp_path, ROWS))
    for before, after, count in (("point", "there", 3), ("there", "back", 1)):
        there = Savepoint(tmp_path / before)
        moved = rescaling(topology, there, left=count, right=count)
        rescale(there, tmp_path / after, moved, combiner(topology.plan()))

    back = Savepoint(tmp_path / "back").manifest.stores

    assert {n: s.partitions for n, s in back.items()} == {
        n: s.partitions for n, s in point.manifest.stores.items()
    }


def test_a_join_with_a_partitioner_of_its_own_names_the_stores(tmp_path: Path) -> None:
    def chosen(topic: str, key: Any, value: Any, partitions: int) -> int:
        return len(key) % partitions

    topology = foreign(TableJoined.with_(chosen, chosen))
    point = Savepoint(saved(topology, tmp_path, ROWS))

    found = moves(topology, point, left=3, right=4)

    refused = {name for name, move in found.items() if "partitioner of their own" in move.refused}
    assert refused == set(point.manifest.stores)


def merged() -> Topology:
    builder = StreamsBuilder()
    small = builder.stream("small", Consumed.with_(TEXT, TEXT))
    small.groupByKey().count(Materialized.as_("of-small"))
    large = builder.stream("large", Consumed.with_(TEXT, TEXT))
    small.merge(large).groupByKey().count(Materialized.as_("of-both"))
    return builder.build()


def test_a_store_has_the_partitions_of_its_topics_and_not_of_its_tasks(tmp_path: Path) -> None:
    topology = merged()
    records = [("small", f"k{n}", "x", n) for n in range(20)]
    point = Savepoint(saved(topology, tmp_path, records))

    found = moves(topology, point, small=2, large=4)

    assert (found["of-small"].after, found["of-small"].refused) == (2, "")
    assert "different numbers of partitions" in found["of-both"].refused
    assert '"large" has 4, "small" has 2' in found["of-both"].refused


def test_entries_of_another_partitioner_are_refused(tmp_path: Path) -> None:
    topology = counts()
    records = [(topic, key, value, time) for topic, key, value, time in RECORDS if topic == "in"]
    one, two = by_key(records, 2)
    point = Savepoint(saved(topology, tmp_path, two, one))

    found = moves(topology, point, **{"in": 3})

    assert "13 of its 13 entries are not in the partition" in found["counts"].refused


def grown(root: Path, topic: str, partitions: Mapping[str, int]) -> Savepoint:
    """Return a savepoint after a batch that has seen more partitions of a topic: it has 4 now."""
    manifest = Savepoint(root).manifest
    read = dict.fromkeys(range(4), 0) | dict(manifest.positions.get(topic, {}))
    seen = {**manifest.positions, topic: read}
    text = replace(manifest, positions=seen, partitions=partitions).to_json()
    (root / FILE).write_text(text)
    return Savepoint(root)


@pytest.mark.parametrize("partitions", [{"in": 2}, {}], ids=["known", "of an earlier version"])
def test_a_topic_that_grew_while_the_application_ran_has_its_entries_moved(
    tmp_path: Path, partitions: dict[str, int]
) -> None:
    topology = counts()
    records = [("in", f"key-{n}", "v", n) for n in range(40)]
    point = grown(saved(topology, tmp_path, *by_key(records, 2)), "in", partitions)
    assert known_sizes(topology.plan(), point.manifest)["in"] == 2
    assert moves(topology, point, **{"in": 4})["counts"].after == 4

    rescale(point, tmp_path / "new", rescaling(topology, point, **{"in": 4}), lambda *_: b"")

    new = Savepoint(tmp_path / "new")
    rows = list(StoreRecords(new, "counts").all())
    assert len(rows) == 40
    assert all(row.partition == default_partition(row.key, 4) for row in rows)
    assert new.manifest.partitions == ({"in": 4} if partitions else {})
    assert not moves(topology, new, **{"in": 4})


def test_a_small_topic_that_grew_to_the_number_of_its_tasks_is_seen(tmp_path: Path) -> None:
    topology = merged()
    large = by_key([("large", f"k{n}", "x", n) for n in range(20)], 4)
    small = by_key([("small", f"k{n}", "x", n) for n in range(20)], 2)
    root = saved(topology, tmp_path, small[0] + large[0], small[1] + large[1], large[2], large[3])

    found = moves(topology, grown(root, "small", {"small": 2, "large": 4}), small=4)

    assert (found["of-small"].after, found["of-small"].refused) == (4, "")
    assert '"large" has 4, "small" has 2' in found["of-both"].refused
