"""Summary of a run over history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What ``KafkaStreams.runToEnd`` has done.

    Example::

        >>> Summary(records=10, batches=1, seconds=0.5, positions={"in": {0: 10}}).records
        10
    """

    records: int
    """How many offsets of source topics the run has passed. Markers of transactions and records
    that compaction has removed have offsets too, so there may be fewer records."""
    batches: int
    """How many batches have ended."""
    seconds: float
    """How long it took, from the call to the last batch's end."""
    positions: Mapping[str, Mapping[int, int]]
    """Topic -> partition -> offset: where ``start()`` goes on."""

    def asMap(self) -> dict[str, Any]:
        """Return the fields as values that JSON can hold."""
        places = {
            topic: {str(n): at for n, at in sorted(own.items())}
            for topic, own in sorted(self.positions.items())
        }
        return {
            "records": self.records,
            "batches": self.batches,
            "seconds": round(self.seconds, 3),
            "positions": places,
        }
