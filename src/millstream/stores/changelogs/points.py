"""Formats of stores whose rows have the keys of their changelog records: one row a record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from millstream.core.errors import UnsupportedOperationException
from millstream.core.state.changelog_format import ChangelogFormat, ChangelogRecord, Row
from millstream.stores.changelogs.values import PLAIN, ValueForm

_LENGTH = 4
_TIME_AND_SIDE = 9


@dataclass(frozen=True)
class KeyValueFormat(ChangelogFormat):
    """Key-value stores, those of the entries used last among them."""

    form: ValueForm

    def rows_of(self, record: ChangelogRecord) -> Sequence[Row]:
        value = self.form.stored(record)
        return () if value is None else ((record.key, value),)

    def record_of(self, key: bytes, value: bytes) -> ChangelogRecord | None:
        return self.form.record(key, value, None)

    def record_key(self, key: bytes) -> bytes | None:
        return key


class WindowedKeysFormat(KeyValueFormat):
    """Key-value stores of windowed keys.

    They are where the windows' keys are if the table comes from a windowed aggregation, and where
    the whole bytes belong if it was grouped by windowed keys; the store does not tell which.
    """

    def record_key(self, key: bytes) -> bytes | None:
        """Refuse.

        Raises:
            UnsupportedOperationException: Always.
        """
        raise UnsupportedOperationException(
            "the partition of windowed keys in a key-value store is not known",
            hint="Leave the store out: the windowed table that it comes from fills it anew.",
        )

    def is_summary(self, key: bytes) -> bool:
        return False


class SubscriptionFormat(KeyValueFormat):
    """Subscriptions of a foreign-key join: ``length of the foreign key || it || primary key``.

    Source: ``foreignkeyjoin.CombinedKeySchema``.
    """

    def record_key(self, key: bytes) -> bytes | None:
        return key[_LENGTH : _LENGTH + int.from_bytes(key[:_LENGTH], "big")]


class UnmatchedFormat(KeyValueFormat):
    """Records of a left or outer join without a partner yet: lists by ``time || side || key``.

    Source: ``internals.ListValueStore``, ``TimestampedKeyAndJoinSideSerializer``.
    """

    def record_key(self, key: bytes) -> bytes | None:
        return key[_TIME_AND_SIDE:]

    def time_of(self, key: bytes) -> int:
        """Return the time of a row's records."""
        return int.from_bytes(key[:8], "big", signed=True)


class WaitingFormat(KeyValueFormat):
    """Records that wait for a table of versions: ``0 || time || key || sequence``.

    Source: ``internals.RocksDBTimeOrderedKeyValueBuffer``; its values end with a time that it does
    not use.
    """

    def rows_of(self, record: ChangelogRecord) -> Sequence[Row]:
        return () if record.value is None else ((record.key, record.value[:-8]),)

    def record_of(self, key: bytes, value: bytes) -> ChangelogRecord | None:
        return ChangelogRecord(key, value + bytes(8))

    def record_key(self, key: bytes) -> bytes | None:
        return key[_TIME_AND_SIDE:-4]

    def time_of(self, key: bytes) -> int:
        """Return the time of a row's record."""
        return int.from_bytes(key[1:_TIME_AND_SIDE], "big", signed=True)

    def sequence_of(self, key: bytes) -> int:
        """Return the number that tells records of one time and key apart."""
        return int.from_bytes(key[-4:], "big")


UNMATCHED = UnmatchedFormat(PLAIN)
WAITING = WaitingFormat(PLAIN)
