"""Capture of the applications that a program makes, so that it can be described or run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from millstream.core.config import StreamsConfig
from millstream.topology.spark import KafkaStreams
from millstream.topology.topology import Topology


class ProgramStarts(BaseException):
    """A program has called ``start()`` or ``run()``; not an ``Exception``, which it might catch."""


@dataclass(eq=False)
class MadeApplication:
    """A ``KafkaStreams`` object that a program has made and not started."""

    streams: KafkaStreams
    topology: Topology
    config: StreamsConfig
    starts: bool = False
    """Whether the program has called ``start()``, which has not been done."""
    cleans_up: bool = False
    """Whether it has called ``cleanUp()`` before, which has not been done."""


@dataclass
class Captured:
    """What a program has made so far."""

    overrides: Mapping[str, Any]
    made: list[MadeApplication] = field(default_factory=list)

    def of(self, streams: KafkaStreams) -> MadeApplication | None:
        """Return what is known of an object."""
        return next((each for each in self.made if each.streams is streams), None)


@contextmanager
def capturing(overrides: Mapping[str, Any]) -> Iterator[Captured]:
    """Let programs make applications, with further configuration entries, but start none.

    Meanwhile ``start()`` and ``run()`` raise ``ProgramStarts``; ``close()`` and ``cleanUp()`` do
    nothing.

    Args:
        overrides: Entries that win over the program's own.
    """
    captured = Captured(overrides)
    before = {
        name: KafkaStreams.__dict__.get(name)
        for name in ("__init__", "_launch", "close", "cleanUp")
    }
    make = KafkaStreams.__init__

    def init(self: KafkaStreams, topology: Any, config: Any, **rest: Any) -> None:
        if isinstance(config, StreamsConfig):
            config = config.originals()
        if isinstance(config, Mapping):
            config = {**config, **captured.overrides}
        make(self, topology, config, **rest)
        captured.made.append(MadeApplication(self, topology, StreamsConfig(config)))

    def launch(self: KafkaStreams) -> None:
        if (found := captured.of(self)) is not None:
            found.starts = True
        raise ProgramStarts

    def close(self: KafkaStreams, *arguments: Any, **keywords: Any) -> bool:
        del self, arguments, keywords
        return True

    def clean_up(self: KafkaStreams) -> None:
        if (found := captured.of(self)) is not None:
            found.cleans_up = True

    changed: Any = KafkaStreams
    changed.__init__, changed._launch = init, launch
    changed.close, changed.cleanUp = close, clean_up
    try:
        yield captured
    finally:
        for name, method in before.items():
            if method is None:
                delattr(KafkaStreams, name)
            else:
                setattr(KafkaStreams, name, method)
