"""The driver's copies of stores follow what is committed, without a Spark to commit it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest

from compat_tests.spark.queries.world import CONFIG, TEXT, Idle, World, topology
from compat_tests.stores.file_store import file_tally
from compat_tests.stores.handing_on import HandsOn, SuppliesOver
from compat_tests.stores.own_builder import OwnBuilder
from millstream import KeyQuery, RangeQuery, StateQueryRequest, Stores, Topology
from millstream.core.errors import (
    InvalidStateStoreException,
    StateStoreNotAvailableException,
)
from millstream.topology.spark.queries.committed import CommittedState
from millstream.topology.spark.queries.queries import ATTEMPTS, Queries


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()


def test_before_the_first_batch_stores_are_empty(world: World) -> None:
    assert world.view().get("a") is None
    assert list(world.view().all()) == []
    assert world.state.asked == []


def test_a_view_shows_every_batch_and_fetches_only_what_it_lacks(world: World) -> None:
    view = world.view()
    world.commit(0, "kv", {"a": "1", "b": "1"})
    assert (view.get("a"), view.get("b")) == ("1", "1")
    for number in range(5):
        world.commit(0, "kv", {"a": str(number)})
    world.commit(1, "kv", {"c": "3"})
    assert view.get("a") == "4"
    assert [entry.key for entry in view.all()] == ["a", "b", "c"]
    world.commit(0, "kv", {"a": None})
    assert view.get("a") is None
    assert world.state.asked == [{0: 0}, {0: 1, 1: 0}, {0: 6}]


def test_a_store_is_copied_when_it_is_first_asked_for(world: World) -> None:
    world.commit(0, "kv", {"a": "1"})
    world.commit(0, "other", {"a": "2"})
    assert world.view("kv").get("a") == "1"
    world.commit(0, "other", {"a": "3"})
    assert world.view("other").get("a") == "3"
    assert world.view("kv").get("a") == "1"
    assert world.state.asked == [{0: 0}, {0: 0}]


@pytest.mark.parametrize("kinds", [{}, {"kv": "memory"}])
def test_a_store_of_another_kind_than_the_last_batch_had_shows_what_it_holds(
    world: World, kinds: dict[str, str]
) -> None:
    world.commit(0, "kv", {"a": "1", "b": "1"})
    now = topology(Stores.inMemoryKeyValueStore("kv")).plan()
    job = replace(world.worker, state_dir=str(Path(world.worker.state_dir).parent / "driver"))
    state: Any = world.state
    world.queries = Queries(now, CONFIG, replace(job, kinds=kinds), state, world.check)
    assert [entry.value for entry in world.view().all()] == ["1", "1"]
    world.commit(0, "kv", {"a": "2"})
    assert [entry.value for entry in world.view().all()] == ["2", "1"]


def test_what_was_read_does_not_change_any_more(world: World) -> None:
    world.commit(0, "kv", {"a": "1", "b": "1", "c": "1"})
    entries = world.view().range("a", "b")
    query: Any = StateQueryRequest.inStore("kv").withQuery(RangeQuery.withLowerBound("b"))
    found = world.queries.query(query).getPartitionResults()[0].getResult()
    world.commit(0, "kv", {"a": "2", "b": None, "c": "2"})
    assert world.view().get("a") == "2"
    assert [(entry.key, entry.value) for entry in entries] == [("a", "1"), ("b", "1")]
    assert [(entry.key, entry.value) for entry in found] == [("b", "1"), ("c", "1")]


def test_a_position_is_the_offset_of_the_last_record_of_the_batch(world: World) -> None:
    world.commit(0, "kv", {"a": "1"})
    query: Any = StateQueryRequest.inStore("kv").withQuery(KeyQuery.withKey("a"))
    world.commit(0, "kv", {"a": "2"})
    result = world.queries.query(query.enableExecutionInfo())
    assert result.getPosition().getPartitionPositions("in") == {0: 19}
    assert result.getPosition().getTopics() == {"in"}
    assert len(result.getPartitionResults()[0].getExecutionInfo()) == 1
    assert result.getPartitionResults()[1].getResult() is None


def test_positions_of_stores_are_asked_for_again_if_spark_deletes_the_batch(world: World) -> None:
    world.commit(0, "kv", {"a": "1"})
    world.state.failures = ATTEMPTS - 1
    assert world.queries.lags()["kv"][0].currentOffsetPosition() == 1
    world.state.failures = ATTEMPTS
    with pytest.raises(InvalidStateStoreException, match="cannot read the positions of the stores"):
        world.queries.lags()


@pytest.mark.parametrize("deleted", ["failures", "unkept"])
def test_state_that_is_cleared_away_while_it_is_read_is_looked_for_again(
    world: World, deleted: str
) -> None:
    """Spark's own state, or files of segments."""
    view = world.view()
    world.commit(0, "kv", {"a": "1"})
    setattr(world.state, deleted, 2)
    assert view.get("a") == "1"
    world.commit(0, "kv", {"a": "2"})
    setattr(world.state, deleted, 3)
    with pytest.raises(InvalidStateStoreException, match="cannot read store"):
        view.get("a")
    assert view.get("a") == "2"


def test_every_read_asks_whether_it_is_allowed(world: World) -> None:
    view = world.view()
    world.refused = True
    with pytest.raises(InvalidStateStoreException, match="kv False"):
        view.get("a")
    world.refused = False
    world.queries.close()
    with pytest.raises(StateStoreNotAvailableException):
        view.get("a")


class ClosedMeanwhile:
    """The lock of queries that are closed while another thread waits for it."""

    def __init__(self, queries: Queries) -> None:
        self._queries, self._lock = queries, queries.lock

    def __enter__(self) -> None:
        self._queries.lock = self._lock
        self._queries.close()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_what_follows_the_batches_opens_no_copy_after_the_close(world: World) -> None:
    """The next application of the process would find it in use."""
    world.commit(0, "kv", {"a": "1"})
    assert world.view().get("a") == "1"
    world.commit(0, "kv", {"a": "2"})
    world.state.asked.clear()
    lock: Any = ClosedMeanwhile(world.queries)
    world.queries.lock = lock
    world.queries.read(0, ["kv"])
    assert world.state.asked == []


def test_a_copy_on_disk_is_continued_by_the_next_run(world: World, tmp_path: Path) -> None:
    world.commit(0, "kv", {"a": "1"})
    assert world.view().get("a") == "1"
    world.queries.close()
    world.commit(0, "kv", {"b": "1"})
    world.state.asked.clear()
    world.queries._closed = False
    assert [entry.key for entry in world.view().all()] == ["a", "b"]
    assert world.state.asked == [{0: 1}]


def test_offsets_are_read_from_sparks_log(tmp_path: Path) -> None:
    for name in ("offsets", "commits"):
        (tmp_path / name).mkdir()
    (tmp_path / "offsets/7").write_text('v1\n{"conf":{}}\n{"in":{"0":5,"1":9}}\n3\n{"offset":4}')
    state = CommittedState(None, str(tmp_path), 1)  # type: ignore[arg-type]
    assert state.last_batch() is None
    for name in ("9", "10", ".10.crc"):
        (tmp_path / "commits" / name).write_text("v2")
    assert [state.last_batch(known) for known in (None, 8, 9, 10)] == [10, 10, 10, 10]
    assert state.consumed(7) == {"in": {0: 5, 1: 9}}


class Over(HandsOn):
    """A window store over one of ours that hands on all but ``reload``, which Kafka's has not."""

    def reload(self) -> None:
        pass


@pytest.mark.parametrize("own", ["store", "bytes"])
def test_a_window_store_over_ours_shows_the_windows_of_every_batch(
    own: str, tmp_path: Path
) -> None:
    supplier: Any = Stores.persistentWindowStore("kv", 100, 1, False)
    if own == "bytes":
        supplier = SuppliesOver(supplier, Over)
    builder: Any = Stores.windowStoreBuilder(supplier, TEXT, TEXT)
    if own == "store":
        made = builder
        builder = OwnBuilder("kv", lambda: Over(made.build()))
    program = Topology().addSource("source", "in").addProcessor("p", Idle, "source")
    world = World(tmp_path, program.addStateStore(builder, "p"))
    for number in range(3):
        world.change(0, "kv", methodcaller("put", "a", str(number), 10 * number))
        world.state.batch = world.next_batch()
        found = world.queries.stores("kv")[0].fetch("a", 0, 100)
        assert [entry.value for entry in found] == ["0", "1", "2"][: number + 1]
    world.close()


def test_a_store_with_files_shows_what_the_last_batch_has_and_no_more(tmp_path: Path) -> None:
    program = Topology().addSource("source", "in").addProcessor("p", Idle, "source")
    world = World(tmp_path, program.addStateStore(file_tally("kv"), "p"))

    def shown_after(key: bytes, value: bytes | None) -> dict[str, str]:
        world.change(0, "kv", lambda _: world.hosts[0].log_change("kv", key, value, 1, None))
        world.state.batch = world.next_batch()
        found: dict[str, str] = world.queries.stores("kv")[0].entries()
        return found

    assert shown_after(b"a", b"1") == {"a": "1"}
    assert shown_after(b"b", b"1") == {"a": "1", "b": "1"}
    assert shown_after(b"a", None) == {"b": "1"}
    world.close()
