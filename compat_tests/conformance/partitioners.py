"""Stream partitioners that scenarios name."""

from __future__ import annotations

from typing import Any


def partitioner(spec: Any) -> Any:
    """The partitioner of a spec; None for none."""
    return None if spec is None else NamedPartitioner(*spec)


class NamedPartitioner:
    """Drops a record by its key or value, or fails on it, or leaves it to Kafka."""

    def __init__(self, name: str, argument: Any = None) -> None:
        self.name = name
        self.argument = argument

    def partitions(self, topic: str, key: Any, value: Any, numPartitions: int) -> set[int] | None:
        if self.name == "default":
            return None
        judged = value if self.name == "dropValue" else key
        if judged != self.argument:
            return {0}
        if self.name == "throwKey":
            raise RuntimeError("boom")
        return set()
