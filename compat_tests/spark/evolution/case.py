"""A change of a program: both programs, what becomes of each store, what the state then gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from millstream import Consumed, Grouped, Produced, Serdes, StreamsBuilder, Topology
from millstream.core.serdes import StringDeserializer, StringSerializer
from millstream.topology.spark.evolution.outcome import Fate

TEXT, LONG, DOUBLE = Serdes.String(), Serdes.Long(), Serdes.Double()

Topics = Callable[[str], str]
"""Name in the program -> name on the broker, which a run may choose."""
Program = Callable[[Topics], Topology]
Record = tuple[str, str | None, str, int]
"""Topic, key, value, time."""

SAME, NEW, DROPPED = Fate.SAME, Fate.NEW, Fate.DROPPED
RENUMBERED, CONVERTED = Fate.RENUMBERED, Fate.CONVERTED
NEEDS_WORD, REFUSED = Fate.NEEDS_WORD, Fate.REFUSED


@dataclass(frozen=True, kw_only=True)
class Case:
    """One change."""

    before: Program
    after: Program
    stores: Mapping[str, Fate]
    """Store, by its name in the new program or, if it is not there, in the former one."""
    formers: Mapping[str, str] = field(default_factory=dict)
    """New store -> old store, where the names differ."""
    config: Mapping[str, Any] = field(default_factory=dict)
    """Of the former program, with underscores for dots."""
    then: Mapping[str, Any] = field(default_factory=dict)
    """Of the new program."""
    partitions: tuple[int, int] = (2, 2)
    """Of the topics, before and after."""
    in_place: bool = False
    """The state stays where it is."""
    first: Sequence[Record] = ()
    """Read by the former program."""
    more: Sequence[Record] = ()
    """Read by the new program."""
    results: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Topic -> key -> the last value there, after both; of both only what is named."""
    rename: str = ""
    """A word that is needed: ``old:new``."""

    @property
    def refused(self) -> bool:
        """Whether the new program does not start."""
        return bool({NEEDS_WORD, REFUSED} & set(self.stores.values()))


def encoded(name: str) -> Any:
    """A serde of texts in another encoding."""
    write, read = StringSerializer(), StringDeserializer()
    write.configure({"serializer.encoding": name}, False)
    read.configure({"deserializer.encoding": name}, False)
    return Serdes.serdeFrom(write, read)


def texts(builder: StreamsBuilder, topic: str) -> Any:
    """A stream of texts."""
    return builder.stream(topic, Consumed.with_(TEXT, TEXT))


def grouped(stream: Any) -> Any:
    """A stream grouped by its keys."""
    return stream.groupByKey(Grouped.with_(TEXT, TEXT))


def shown(table: Any, topic: str) -> None:
    """Write a table's updates as texts; of a windowed one with the keys alone."""
    rows = table.toStream(lambda key, _: getattr(key, "key", lambda: key)())
    rows.mapValues(str).to(topic, Produced.with_(TEXT, TEXT))


def lines(topic: str, keys: str, start: int = 0) -> list[Record]:
    """One record for each letter, a second apart; a time of 0 would be that of the broker."""
    return [(topic, key, "v", (start + n) * 1000) for n, key in enumerate(keys, start=1)]


FIRST, MORE = lines("in", "aab"), lines("in", "abc", 10)
"""Records before and after a change, and what counting them by key then gives."""
RESULTS = {"out": {"a": "3", "b": "2", "c": "1"}}
