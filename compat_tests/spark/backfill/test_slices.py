"""Batches of history cut by time: together they have the order of one batch of everything."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from millstream.topology.spark.backfill.slices import Cut, Place, Slice, next_slice, size

Log = list[int]
"""Timestamps of the records of a partition, by offset."""
LOGS = st.lists(st.lists(st.integers(0, 60), max_size=30), min_size=1, max_size=4)


class Topics:
    """Partitions in memory, with the broker's lookup by time.

    Args:
        logs: Times of the partitions.
        of_one_task: Whether they are partitions of several topics, which one task reads.
    """

    def __init__(self, logs: list[Log], *, of_one_task: bool = False) -> None:
        places = [(f"t{n}", 0) if of_one_task else ("t", n) for n in range(len(logs))]
        self.logs: dict[Place, Log] = dict(zip(places, logs, strict=True))
        self.ends: Cut = {place: len(log) for place, log in self.logs.items()}
        self.looked = 0

    def find(self, time_ms: int) -> Cut:
        """Return the first offset at or after a time, as a broker does."""
        self.looked += 1
        return {
            place: next((n for n, at in enumerate(log) if at >= time_ms), len(log))
            for place, log in self.logs.items()
        }

    def batches(self, limit: int) -> list[Slice]:
        """Return all batches of a run from the beginning."""
        last, found = Slice(dict.fromkeys(self.logs, 0)), list[Slice]()
        while last.cut != self.ends:
            last = next_slice(last, self.ends, limit, self.find)
            found.append(last)
        return found

    def merged(self, start: Cut, end: Cut) -> list[int]:
        """Return the times of a batch's records in the order in which a task takes them."""
        at, found = dict(start), list[int]()
        while at != end:
            place = min((p for p in at if at[p] < end[p]), key=lambda p: (self.logs[p][at[p]], p))
            found.append(self.logs[place][at[place]])
            at[place] += 1
        return found


@given(LOGS, st.integers(1, 40))
def test_batches_keep_the_limit_and_read_everything_once(logs: list[Log], limit: int) -> None:
    topics = Topics(logs)
    at: Cut = dict.fromkeys(topics.logs, 0)
    for each in topics.batches(limit):
        assert 0 < size(at, each.cut) <= limit
        assert all(each.cut[place] >= at[place] for place in at)
        at = each.cut


@given(LOGS, st.integers(1, 40))
def test_batches_have_together_the_order_of_one_batch_of_everything(
    logs: list[Log], limit: int
) -> None:
    # Also of late records, more than fit in a batch. Between partitions no times are equal.
    apart = [[4 * time + n for time in log] for n, log in enumerate(logs)]
    topics = Topics(apart, of_one_task=True)
    found, at = list[int](), dict.fromkeys(topics.logs, 0)
    for each in topics.batches(limit):
        found += topics.merged(at, each.cut)
        at = dict(each.cut)
    assert found == topics.merged(dict.fromkeys(topics.logs, 0), topics.ends)


def test_records_of_one_millisecond_that_fill_several_batches_are_shared_by_partition() -> None:
    topics = Topics([[5] * 80, [5] * 20])
    assert [each.cut[("t", 0)] for each in topics.batches(10)][:3] == [8, 16, 24]


def test_a_slice_of_evenly_spread_records_takes_few_lookups_and_is_nearly_full() -> None:
    topics = Topics([list(range(0, 100_000, 20)) for _ in range(2)])
    batches = topics.batches(1000)
    assert len(batches) <= 12
    assert topics.looked <= 80


def test_an_unread_partition_without_records_does_not_hold_others_up() -> None:
    topics = Topics([[], [1, 2, 3]])
    assert topics.batches(10) == [Slice({("t", 0): 0, ("t", 1): 3})]
