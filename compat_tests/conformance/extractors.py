"""Timestamp extractors and topic extractors that scenarios name."""

from __future__ import annotations

from typing import Any

from compat_tests.conformance.api import public
from compat_tests.conformance.functions import Spec, part, split_spec
from compat_tests.conformance.hostile import unboxed
from compat_tests.conformance.values import text

STOCK = {
    "failOnInvalid": "FailOnInvalidTimestamp",
    "logAndSkip": "LogAndSkipOnInvalidTimestamp",
    "usePartitionTime": "UsePartitionTimeOnInvalidTimestamp",
    "wallclock": "WallclockTimestampExtractor",
}


def timestamp_extractor(spec: Spec) -> Any:
    """The extractor of a name; None for none."""
    if spec is None:
        return None
    name, args = split_spec(spec)
    if name in STOCK:
        return public(STOCK[name])()
    return ValueTimestamp(name, *args)


class ValueTimestamp:
    """Takes the time from the value: all of a long, or one field of a string."""

    def __init__(self, name: str, field: int = 0) -> None:
        self.name = name
        self.field = field

    def extract(self, record: Any, partitionTime: int) -> int:
        value = unboxed(record.value())
        if self.name == "valueTs":
            return value if isinstance(value, int) else int(record.timestamp())
        found = part(value, ",", self.field)
        time = -1 if found is None else int(found)
        return partitionTime if time < 0 and self.name == "partitionTimeIfNeg" else time


class TopicExtractor:
    """Names a topic after something of the record; its text in `describe` is its name."""

    def __init__(self, spec: Spec) -> None:
        self.name, self.args = split_spec(spec)

    def extract(self, key: Any, value: Any, recordContext: Any) -> str:
        return self._topic(key, value, recordContext)

    def _topic(self, key: Any, value: Any, context: Any) -> str:
        start: str = self.args[0]
        if self.name == "prefixed":
            inner = TopicExtractor(self.args[1]).extract(key, value, context)
            return start + inner.replace(start, "")
        if self.name == "valueFirst":
            return start + (text(value)[:1] if value not in (None, "") else "none")
        if self.name == "key":
            return start + text(key)
        if self.name == "sourceTopic":
            return start + text(context.topic())
        if self.name == "parity":
            return start + ("odd" if context.timestamp() % 2 else "even")
        header = context.headers().lastHeader(start)
        return str(self.args[1]) if header is None else header.value().decode()

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__
