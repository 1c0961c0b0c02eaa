"""Partitions of stores: as many as the topics have whose records reach them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from millstream.topology.spark.evolution.facts import Facts, NodeFacts, StoreFacts
from millstream.topology.spark.evolution.names import is_internal


def with_partitions(facts: Facts, other: Facts | None = None) -> Facts:
    """Return the facts with the partitions of each store that is not global.

    Args:
        facts: The program.
        other: The other program. Checkpoints of earlier versions have no partitions of topics;
            those of the other program are taken if they give the number of tasks that is known.
    """
    counts = facts.partitions
    if not counts and other is not None and _fits(facts, other.partitions):
        counts = other.partitions
    reached = topics_above(facts)
    stores = {
        name: store
        if store.subtopology is None
        else replace(
            store,
            partitions=max(known.values()) if known else facts.tasks.get(store.subtopology),
            topics=known,
        )
        for name, store in facts.stores.items()
        for topics in [frozenset().union(*(reached[user] for user in store.users))]
        for known in [_known(topics, counts)]
    }
    return replace(facts, stores=stores)


def only_more_topics(old: StoreFacts, new: StoreFacts) -> bool:
    """Tell whether a store has more partitions by topics that are new to it, and by nothing else.

    Its entries stay where they are: the records of their topics come to the same tasks as before.
    """
    if not old.topics or len(new.topics) <= len(old.topics):
        return False
    return old.topics.items() <= new.topics.items()


def is_rescalable(before: Facts, after: Facts) -> bool:
    """Tell whether the former program has something to rescale: a topic of its own has other
    partitions now, or the programs are the same and say otherwise how many there are to be."""
    old, new = before.partitions, after.partitions
    common = (topic for topic in old.keys() & new.keys() if not is_internal(topic))
    return before.nodes == after.nodes or any(old[topic] != new[topic] for topic in common)


def topics_read(facts: Facts, node: NodeFacts) -> list[str]:
    """Return the topics of a source, as described; of a pattern those that are known to match."""
    return list(facts.topics.get(node.name, ())) if node.pattern else list(node.topics)


def _known(topics: frozenset[str], counts: Mapping[str, int]) -> dict[str, int]:
    """Return the partitions of some topics; nothing if those of one are not known."""
    found = {topic: counts[topic] for topic in sorted(topics) if topic in counts}
    return found if found.keys() == topics else {}


def _fits(facts: Facts, counts: Mapping[str, int]) -> bool:
    """Tell whether partition counts give the numbers of tasks that a program has."""
    read: dict[int, set[str]] = {}
    for node in facts.nodes.values():
        if node.kind == "source":
            read.setdefault(node.subtopology, set()).update(topics_read(facts, node))
    for part, tasks in facts.tasks.items():
        topics = [topic for topic in read.get(part, ()) if not is_internal(topic)]
        if any(topic not in counts for topic in topics):
            return False
        everything = len(topics) == len(read.get(part, ()))
        if topics and everything and max(counts[topic] for topic in topics) != tasks:
            return False
    return True


def topics_above(facts: Facts) -> dict[str, frozenset[str]]:
    """Return the topics above each node within its sub-topology."""
    found: dict[str, frozenset[str]] = {}
    for start in facts.nodes:
        path = [start]
        while path:
            node = facts.nodes[path[-1]]
            waiting = [parent for parent in node.parents if parent not in found]
            if waiting and len(path) <= len(facts.nodes):
                path.extend(waiting)
                continue
            own = topics_read(facts, node) if node.kind == "source" else ()
            above = (found.get(parent, frozenset()) for parent in node.parents)
            found[path.pop()] = frozenset(own).union(*above)
    return found
