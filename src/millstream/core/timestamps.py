"""Timestamp extractors: the event time of records."""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from typing import Any

from millstream.core.errors import StreamsException
from millstream.core.kafka import ConsumerRecord
from millstream.core.readable import Readable

log = logging.getLogger(__name__)


class TimestampExtractor(Readable, ABC):
    """Extracts the event time of a record; may be a callable with the same arguments.

    Source: ``processor.TimestampExtractor``.
    """

    @abstractmethod
    def extract(self, record: ConsumerRecord[Any, Any], partitionTime: int) -> int:
        """Return the event time in epoch milliseconds; a negative one drops the record.

        Args:
            record: The record, deserialized.
            partitionTime: The largest time extracted in this partition so far; -1 at first.
        """


class ExtractRecordMetadataTimestamp(TimestampExtractor):
    """Takes the record's timestamp; a subclass handles negative ones."""

    def extract(self, record: ConsumerRecord[Any, Any], partitionTime: int) -> int:
        """Return the record's timestamp; if negative, the result of ``onInvalidTimestamp``."""
        timestamp = record.timestamp()
        if timestamp < 0:
            return self.onInvalidTimestamp(record, timestamp, partitionTime)
        return timestamp

    @abstractmethod
    def onInvalidTimestamp(
        self, record: ConsumerRecord[Any, Any], recordTimestamp: int, partitionTime: int
    ) -> int:
        """Return the event time of a record whose timestamp is negative."""


class FailOnInvalidTimestamp(ExtractRecordMetadataTimestamp):
    """Takes the record's timestamp and stops at a negative one; the default."""

    def onInvalidTimestamp(
        self, record: ConsumerRecord[Any, Any], recordTimestamp: int, partitionTime: int
    ) -> int:
        """Raise.

        Raises:
            StreamsException: Always.
        """
        raise StreamsException(
            f"Input record {record} has invalid (negative) timestamp.",
            hint="Set default.timestamp.extractor to LogAndSkipOnInvalidTimestamp or "
            "UsePartitionTimeOnInvalidTimestamp, or extract the time from the value.",
        )


class LogAndSkipOnInvalidTimestamp(ExtractRecordMetadataTimestamp):
    """Takes the record's timestamp; drops a record with a negative one, with a warning."""

    def onInvalidTimestamp(
        self, record: ConsumerRecord[Any, Any], recordTimestamp: int, partitionTime: int
    ) -> int:
        """Return the negative timestamp, which drops the record."""
        log.warning(
            "input record dropped: negative timestamp topic=%s partition=%d offset=%d timestamp=%d",
            record.topic(),
            record.partition(),
            record.offset(),
            recordTimestamp,
        )
        return recordTimestamp


class UsePartitionTimeOnInvalidTimestamp(ExtractRecordMetadataTimestamp):
    """Takes the record's timestamp, or the partition's time where it is negative."""

    def onInvalidTimestamp(
        self, record: ConsumerRecord[Any, Any], recordTimestamp: int, partitionTime: int
    ) -> int:
        """Return the partition's time.

        Raises:
            StreamsException: No record of the partition had a timestamp yet.
        """
        if partitionTime < 0:
            raise StreamsException(
                f"Could not infer new timestamp for input record {record} "
                "because partition time is unknown."
            )
        return partitionTime


class OwnTimestamp(ExtractRecordMetadataTimestamp):
    """Takes the record's timestamp; that of records of global stores, whatever is configured."""

    def onInvalidTimestamp(
        self, record: ConsumerRecord[Any, Any], recordTimestamp: int, partitionTime: int
    ) -> int:
        """Raise.

        Raises:
            StreamsException: Always.
        """
        raise StreamsException(
            "Malformed Record",
            detail=f"Timestamp may not be negative. Got: {recordTimestamp}. {record}",
            hint="Records of global tables and stores have their own times; no timestamp "
            "extractor is asked. Give the topic records with a time.",
        )


class WallclockTimestampExtractor(TimestampExtractor):
    """Takes the system's time of processing, also in tests."""

    def extract(self, record: ConsumerRecord[Any, Any], partitionTime: int) -> int:
        """Return the system's time."""
        return time.time_ns() // 1_000_000
