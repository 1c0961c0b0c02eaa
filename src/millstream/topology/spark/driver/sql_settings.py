"""Check of ``spark.sql.`` entries: values with which an application's query cannot run.

Spark takes them, and fails in the middle of a batch, or writes what the next start cannot read.
"""

from __future__ import annotations

from collections.abc import Mapping

from millstream.core.errors import ConfigException

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
OFFSET_LOG = "spark.sql.streaming.offsetLog.formatVersion"
OFFSET_LOG_FORMAT = "1"
"""The format of offsets that is read at each start."""
_POSITIVE = {
    "spark.sql.streaming.minBatchesToRetain": "a restart needs the last batch",
    "spark.sql.streaming.numRecentProgressUpdates": "what a batch did is read from its progress",
}


def check_sql_settings(given: Mapping[str, str]) -> None:
    """Check the entries that an application gives for its query.

    Raises:
        ConfigException: The query cannot run with one of them.
    """
    if given.get(PROVIDER, "").endswith(".HDFSBackedStateStoreProvider"):
        _refuse(PROVIDER, given, "Spark's transformWithState keeps its state in RocksDB")
    if given.get(OFFSET_LOG, OFFSET_LOG_FORMAT).strip() != OFFSET_LOG_FORMAT:
        _refuse(OFFSET_LOG, given, "the checkpoint's offsets are read in format 1 at each start")
    for key, reason in _POSITIVE.items():
        value = given.get(key, "1").strip()
        # Whether it is a number at all is Spark's to say.
        if value.lstrip("+-").isdecimal() and int(value) < 1:
            _refuse(key, given, f"Value must be at least 1, as {reason}")


def _refuse(key: str, given: Mapping[str, str], reason: str) -> None:
    raise ConfigException(
        f"Invalid value {given[key]} for configuration {key}: {reason}",
        hint="Leave out the entry.",
    )
