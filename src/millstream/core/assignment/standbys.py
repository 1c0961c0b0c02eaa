"""Placement of standby tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from millstream.core.assignment.configs import AssignmentConfigs
from millstream.core.assignment.placement import Allowed, ByLoad, Placement

RACK = "rack"
Entry = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """The tags in which standbys of a task should differ; if ``names`` is empty, none."""

    names: frozenset[str]
    of: list[dict[str, str]]
    """By instance."""
    values: dict[str, set[str]] = field(default_factory=dict)
    holders: dict[Entry, set[int]] = field(default_factory=dict)

    def allowed(self) -> Allowed | None:
        """Return the check that a standby may move between instances: if tags are equal."""
        if not self.names:
            return None
        tags = self.of
        return lambda source, target: tags[source].items() <= tags[target].items()

    def may_move(self, placement: Placement) -> Callable[[int, int, int], bool]:
        """Return the check that a standby of a task may move from one instance to another.

        It may not if the other instance has the task already, or if the task's instances would
        then differ in fewer tags.
        """

        def differing(holders: Iterable[int]) -> int:
            entries = (entry for holder in holders for entry in self.of[holder].items())
            return len({entry for entry in entries if entry[0] in self.names})

        def may(source: int, target: int, task: int) -> bool:
            if placement.has(target, task):
                return False
            if not self.names:
                return True
            holders = {each for each in range(len(self.of)) if placement.has(each, task)}
            return differing(holders - {source} | {target}) >= differing(holders)

        return may


def tags_of(
    tags_given: list[Mapping[str, str]], racks: list[str | None], configs: AssignmentConfigs
) -> Tags:
    """Return the tags that matter; racks, if there is a rack strategy but no tags.

    Args:
        tags_given: Client tags by instance.
        racks: Rack by instance.
        configs: Has the names of the tags that matter.
    """
    names = frozenset(configs.rackAwareAssignmentTags())
    of = [dict(each) for each in tags_given]
    if not names and configs.rackAwareAssignmentStrategy() != "none" and all(racks):
        names = frozenset({RACK})
        of = [{RACK: rack} for rack in racks if rack]
    tags = Tags(names=names, of=of)
    for instance, entries in enumerate(of):
        for name, value in entries.items():
            tags.values.setdefault(name, set()).add(value)
            tags.holders.setdefault((name, value), set()).add(instance)
    return tags


class Standbys:
    """Places standbys on the least loaded instances, with different tags if tags matter.

    Args:
        placement: The tasks so far; standbys are added to it.
        replicas: Number of standbys of a task.
        tags: The tags in which standbys should differ.
        keep: Preferred instances of a task's standbys, in order.
    """

    def __init__(
        self,
        placement: Placement,
        replicas: int,
        tags: Tags,
        keep: Callable[[int], Iterable[int]] | None = None,
    ) -> None:
        self._placement = placement
        self._replicas = replicas
        self._tags = tags
        self._keep = keep or (lambda task: ())
        self._by_load = ByLoad(len(placement.threads), placement.load)

    def place(self, owners: dict[int, int]) -> None:
        """Place the standbys of tasks.

        Args:
            owners: The instance of the active task, by task, in order.
        """
        missing = {}
        for task, owner in owners.items():
            left = self._apart(task, owner) if self._tags.names else self._replicas
            if left:
                missing[task] = left
        for task, left in missing.items():
            for _ in range(left):
                if not self._put(task, set()):
                    break

    def _apart(self, task: int, owner: int) -> int:
        used: dict[Entry, set[int]] = {}
        last, left = owner, self._replicas
        for count in range(1, self._replicas + 1):
            self._mark(last, count, used)
            avoided = set().union(*used.values())
            found = self._put(task, avoided)
            if found is None:
                break
            last = found[0]
            left -= 1
        return left

    def _mark(self, instance: int, count: int, used: dict[Entry, set[int]]) -> None:
        # When all values of a tag are used, the next standbys cannot differ in it.
        for name, value in self._tags.of[instance].items():
            if name not in self._tags.names:
                continue
            values = self._tags.values[name]
            if len(values) <= count:
                for each in values:
                    used.pop((name, each), None)
            else:
                used[name, value] = self._tags.holders[name, value]

    def _put(self, task: int, avoided: set[int]) -> tuple[int] | None:
        placement = self._placement
        for instance in self._keep(task):
            if instance not in avoided and not placement.has(instance, task):
                placement.standby[instance].add(task)
                return (instance,)
        found = self._by_load.take(
            lambda each: each not in avoided and not placement.has(each, task)
        )
        if found is None:
            return None
        placement.standby[found].add(task)
        return (found,)
