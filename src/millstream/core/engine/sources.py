"""Sources of a task, found by topic."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from millstream.core.engine.source import SourceRuntime
from millstream.core.errors import StreamsException
from millstream.core.plan import Plan


class Sources:
    """Sources of one task.

    Args:
        sources: Them.
        plan: The whole topology.
        application_id: Prefix of repartition topics on the broker.
    """

    def __init__(self, sources: Collection[SourceRuntime], plan: Plan, application_id: str) -> None:
        self._sources = sources
        self._plan = plan
        self._prefix = f"{application_id}-"
        self._found: dict[str, SourceRuntime | None] = {}

    def __iter__(self) -> Iterator[SourceRuntime]:
        return iter(self._sources)

    def find(self, topic: str) -> SourceRuntime | None:
        """Return the source that reads ``topic`` (its name on the broker); None if none does."""
        try:
            return self._found[topic]
        except KeyError:
            # Repartition topics lack the application's prefix in the plan.
            plain = topic.removeprefix(self._prefix)
            plain = plain if plain in self._plan.repartition_topics else topic
            reading = (source for source in self._sources if source.node.reads(plain))
            found = self._found[topic] = next(reading, None)
            return found

    def get(self, topic: str, task_id: object) -> SourceRuntime:
        """Return the source that reads ``topic``.

        Raises:
            StreamsException: None does.
        """
        source = self.find(topic)
        if source is None:
            raise StreamsException(
                f'task {task_id} got records of topic "{topic}", which none of its sources reads'
            )
        return source

    def by_pattern(self, topic: str) -> str | None:
        """Return the name of the source that reads ``topic`` by a pattern; None without one."""
        for source in self._sources:
            if source.node.pattern is not None and source.node.reads(topic):
                return source.name
        return None
