"""A batch's changes as chunks for changelog topics."""

from __future__ import annotations

from millstream.core.buffered_log import FORMAT, logged
from millstream.core.buffers import BufferedChange
from millstream.core.engine.output import SentChunk
from millstream.core.record_context import RecordContext
from millstream.core.state.changelog_format import ChangelogFormat, ChangelogRecord
from millstream.core.working_copy import Changes
from millstream.stores.buffers.time_ordered import BY_KEY, by_time, to_row
from millstream.stores.changelogs.buffers import SuppressionFormat
from millstream.stores.changelogs.points import WAITING, KeyValueFormat
from millstream.stores.changelogs.values import PLAIN, TIMESTAMPED, WITH_HEADERS
from millstream.stores.changelogs.versions import VersionedFormat
from millstream.topology.spark.logged_store import LoggedStore
from millstream.topology.spark.worker.logged_changes import LoggedChanges

NOW, STREAM_TIME = 5000, 700


def time(at: int) -> bytes:
    return at.to_bytes(8, "big", signed=True)


def chunks(
    layout: ChangelogFormat, stream_time: int = STREAM_TIME, **changes: dict[bytes, bytes | None]
) -> list[SentChunk]:
    stores = {"st": LoggedStore("app-st-changelog", layout)}
    named = {name.replace("_", "-"): Changes(rows) for name, rows in changes.items()}
    return list(LoggedChanges(stores, 3).chunks(named, stream_time, NOW))


def test_each_changed_key_is_one_record_on_the_tasks_partition() -> None:
    (chunk,) = chunks(KeyValueFormat(TIMESTAMPED), st={b"a": time(40) + b"x", b"b": None})
    assert chunk == SentChunk(
        "app-st-changelog", [b"a", b"b"], [b"x", None], [40, STREAM_TIME], None, [3, 3]
    )


def test_stores_without_changes_and_stores_without_a_topic_send_nothing() -> None:
    assert chunks(KeyValueFormat(PLAIN), st={}, other={b"a": b"x"}) == []


def test_before_any_stream_time_records_have_the_time_of_the_batch() -> None:
    (chunk,) = chunks(KeyValueFormat(PLAIN), -1, st={b"a": b"x"})
    assert list(chunk.timestamps) == [NOW]


def test_buffers_have_the_time_of_the_batch_as_in_kafka_streams() -> None:
    (chunk,) = chunks(WAITING, st={b"\0" + time(40) + b"k\0\0\0\1": b"data"})
    assert list(chunk.timestamps) == [NOW]


def test_headers_go_where_the_store_keeps_them() -> None:
    stored = WITH_HEADERS.stored(ChangelogRecord(b"a", b"x", 40, (("h", b"1"),)))
    (chunk,) = chunks(KeyValueFormat(WITH_HEADERS), st={b"a": stored, b"b": None})
    assert chunk.headers is not None
    first, second = chunk.headers
    assert [(each.key(), each.value()) for each in first or ()] == [("h", b"1")]
    assert second is None


def test_a_buffered_key_that_has_moved_to_disk_is_not_deleted() -> None:
    context = RecordContext("in", 0, 7, 40)
    row = to_row(b"k", None, None, b"new", context)
    (chunk,) = chunks(
        SuppressionFormat(),
        st={BY_KEY + b"k": None, by_time(40, b"k"): None, BY_KEY + b"gone": None},
        st_spilled={BY_KEY + b"k": time(40), by_time(40, b"k"): row},
    )
    last = dict(zip(chunk.keys, chunk.values, strict=True))
    change = BufferedChange(40, None, None, b"new", context)
    assert last == {b"gone": None, b"k": logged(change)}
    assert chunk.headers is not None
    assert [each.key() for each in chunk.headers[-1] or ()] == [FORMAT[0]]


def test_a_key_that_leaves_a_buffer_and_comes_again_has_its_new_time() -> None:
    context = RecordContext("in", 0, 7, 90)
    row = to_row(b"k", None, None, b"new", context)
    (chunk,) = chunks(
        SuppressionFormat(),
        st={by_time(40, b"k"): None, BY_KEY + b"k": time(90), by_time(90, b"k"): row},
    )
    assert chunk.keys == (b"k",)
    assert chunk.values == (logged(BufferedChange(90, None, None, b"new", context)),)


def test_each_write_of_a_versioned_store_is_logged_in_order_until_the_batch_is_repeated() -> None:
    stores = {"st": LoggedStore("app-st-changelog", VersionedFormat(1000, 5000))}
    changes = LoggedChanges(stores, 0)
    assert changes.each == {"st"}
    changes.log_write("st", b"k", b"lost", 10)
    changes.begin()
    changes.log_write("st", b"k", b"1", 40)
    changes.log_write("st", b"k", None, 30)
    (chunk,) = changes.chunks({"st": Changes({b"\0k": time(40) + b"1"})}, STREAM_TIME, NOW)
    assert (chunk.values, list(chunk.timestamps)) == ((b"1", None), [40, 30])
