"""The kit passes stores that keep their promises and says what the others break."""

from __future__ import annotations

import pytest

from compat_tests.kit import answering_stores as answering
from compat_tests.kit import broken_stores as broken
from compat_tests.kit.good_stores import FileStore, PlainStore, UnorderedStore
from millstream.plugins import ByteStore
from millstream.testing.kit import ByteStoreTests, run_suite
from millstream.testing.kit.promises import BrokenPromise

ORDER = "scan yields entries in the order of unsigned bytes, or in reverse"
PAIRS = "scan returns an iterator of pairs (key, value)"
RANGE = "scan yields each entry from lower, inclusive, to upper, exclusive, once"


class TestPlain(ByteStoreTests):
    store_class = PlainStore


class TestUnordered(ByteStoreTests):
    store_class = UnorderedStore


class TestFile(ByteStoreTests):
    store_class = FileStore


def suite(store: type[ByteStore]) -> type[ByteStoreTests]:
    return type("Suite", (ByteStoreTests,), {"store_class": store})


APART = "stores are apart: durable ones by all of their directory, others each for itself"


@pytest.mark.parametrize(
    ("store", "test", "message"),
    [
        (broken.UpperIncluded, "every_bound_and_order", RANGE),
        (broken.SignedOrder, "keys_are_unsigned_bytes", ORDER),
        (broken.ForwardOnly, "every_bound_and_order", ORDER),
        (
            broken.EmptyIsNothing,
            "empty_is_not_absent",
            "an empty value is a value, and an empty key a key",
        ),
        (broken.TextOnly, "bytes_come_back_as_bytes", "keys and values come back as bytes"),
        (broken.ShortKeys, "lengths_have_no_bounds", "keys and values may have any length"),
        (
            broken.SortedAnswers,
            "every_bound_and_order",
            "get_many returns one answer for each key, in the order of the keys",
        ),
        (broken.KeptBatch, "a_batch_is_the_callers", "write copies what it keeps of the batch"),
        (
            broken.DropsLast,
            "dropped_ranges_go_before_the_batch_is_set",
            "ranges are dropped before the batch is set, without their upper bound",
        ),
        (
            broken.LiveScans,
            "a_scan_shows_what_was_there",
            "a scan shows what was there when it was made",
        ),
        (
            broken.OneCursor,
            "scans_do_not_disturb_each_other",
            "scans that are open at the same time do not disturb each other",
        ),
        (
            broken.OneThread,
            "threads_take_turns",
            "a store may be used by one thread after the other",
        ),
        (broken.ClosesOnce, "close_may_be_called_twice", "close may be called twice"),
        (broken.WritesWhenClosed, "a_closed_store_refuses_writes", "a closed store refuses writes"),
        (broken.OneForAll, "stores_of_one_process_are_apart", APART),
        (broken.ByDirectory, "stores_of_one_process_are_apart", APART),
        (broken.ByLastPart, "stores_of_one_process_are_apart", APART),
        (
            broken.Litters,
            "what_is_not_durable_begins_empty",
            "a store that is not durable leaves its directory alone",
        ),
        (
            broken.FirstRangeOnly,
            "every_dropped_range_goes",
            "every range of dropped goes, in any order and however many there are",
        ),
        (
            broken.RemembersDropped,
            "every_dropped_range_goes",
            "every range of dropped goes, in any order and however many there are",
        ),
        (broken.FewVariables, "many_entries_in_one_batch", "get_many takes any number of keys"),
        (broken.MarksDeletions, "every_value_is_a_value", "every value but None is a value"),
        (broken.BackwardPages, "any_size", ORDER),
        (answering.ScansNothing, "any_size", PAIRS),
        (answering.ScansKeys, "any_size", PAIRS),
        (answering.ScansKeys, "every_kind_of_kafka_store_works_over_it", PAIRS),
        (
            answering.RaisesForAbsent,
            "any_history",
            "get returns None for a key without a value",
        ),
        (answering.OpensNothing, "any_size", "OpensNothing.open returns an open store"),
        (
            answering.ScansForwardOnly,
            "the_class_describes_itself",
            "the runtime can call scan(lower, upper, reverse=True)",
        ),
        (
            broken.CutKeys,
            "long_keys_are_apart",
            "keys of any length are apart if they differ in any byte",
        ),
        (
            broken.NoBoundIfEmpty,
            "an_empty_bound_is_a_bound",
            "an upper bound of b'' means nothing, a lower one of b'' everything",
        ),
        (
            broken.SwallowsFailures,
            "a_failed_write_is_raised_and_changes_nothing",
            "write raises what keeps it from doing its work",
        ),
        (
            broken.HalfWritten,
            "a_failed_write_is_raised_and_changes_nothing",
            "a write that fails changes nothing",
        ),
        (
            broken.KeepsWhatFailed,
            "a_full_disk_is_raised_and_changes_nothing",
            "a write that fails changes nothing",
        ),
        (
            broken.SwallowsFullDisks,
            "a_full_disk_is_raised_and_changes_nothing",
            "write raises what keeps it from doing its work",
        ),
        (
            broken.LosesVersion,
            "the_version_is_that_of_the_last_write",
            "version returns that of the last write, None before the first",
        ),
        (
            broken.LosesVersion,
            "any_history",
            "version returns that of the last write, None before the first",
        ),
        (
            broken.NoVersion,
            "the_class_describes_itself",
            "a durable store has a version method of its own",
        ),
        (
            broken.InPlace,
            "a_write_is_all_or_nothing",
            "a write whose process is killed changes nothing",
        ),
        (
            broken.SavesAtClose,
            "what_was_written_outlives_the_process",
            "what write has written is there after kill -9",
        ),
        (
            broken.TwoFiles,
            "a_process_may_die_anywhere",
            "after kill -9 at any moment, data and version are of one write",
        ),
        (
            broken.Hoards,
            "a_shareable_directory_can_be_read_beside_its_writer",
            "another process can read a shareable directory while it is open",
        ),
        (
            answering.ForgetsAtRest,
            "a_store_that_rests_goes_on",
            "a shareable store that rests goes on with version, reads and writes",
        ),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_broken_store_is_caught(store: type[ByteStore], test: str, message: str) -> None:
    (outcome,) = run_suite(suite(store), [f"test_{test}"])
    # Kafka's stores over it wrap what it raises.
    error = outcome.error
    assert any(isinstance(each, BrokenPromise) for each in (error, error and error.__cause__))
    assert outcome.message().splitlines()[0] == f"broken promise: {message}"


def test_a_class_made_in_a_function_is_caught() -> None:
    class Local(PlainStore):
        pass

    (outcome,) = run_suite(suite(Local), ["test_the_class_travels_by_import_path"])
    assert "broken promise: the class can be imported by its module and name" in outcome.message()


def test_a_scan_may_be_a_list() -> None:
    """It was read again from its begin after its first entries."""
    outcomes = run_suite(
        suite(broken.ListedScans), ["test_any_size", "test_many_entries_in_one_batch"]
    )
    assert all(outcome.passed for outcome in outcomes)
