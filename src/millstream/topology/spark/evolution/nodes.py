"""Counterparts of nodes and of internal topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from millstream.topology.spark.evolution.facts import Facts, NodeFacts
from millstream.topology.spark.evolution.names import is_generated, is_internal, role_of
from millstream.topology.spark.evolution.paths import Paths

T = TypeVar("T")


def match_nodes(
    before: Facts,
    after: Facts,
    before_paths: Paths,
    after_paths: Paths,
    stores: Mapping[str, str],
) -> dict[str, str]:
    """Return new node -> old node, for sources and processors.

    Args:
        before: The former program.
        after: The new program.
        before_paths: Its paths.
        after_paths: Those of the new program.
        stores: New store -> old store.
    """
    found: dict[str, str] = {}
    for name, node in after.nodes.items():
        former = before.nodes.get(name)
        if former and former.kind == node.kind == "processor" and not is_generated(name):
            found[name] = name
    olds = [n for n in before.nodes.values() if n.kind == "processor" and n.name not in found]
    news = [n for n in after.nodes.values() if n.kind == "processor" and n.name not in found]

    def shares(old: NodeFacts, new: NodeFacts) -> bool:
        mapped = {stores.get(store) for store in new.stores}
        return _same_kind(old, new) and not mapped.isdisjoint(old.stores)

    def exact(old: NodeFacts, new: NodeFacts) -> bool:
        return (
            not old.stores
            and not new.stores
            and _same_kind(old, new)
            and before_paths.exact_above[old.name] == after_paths.exact_above[new.name]
        )

    def coarse(old: NodeFacts, new: NodeFacts) -> bool:
        return (
            not old.stores
            and not new.stores
            and is_generated(new.name)
            and _same_kind(old, new)
            and before_paths.coarse_above[old.name] == after_paths.coarse_above[new.name]
        )

    for test in (shares, exact, coarse):
        _add(found, olds, news, test)
    sources = [n for n in before.nodes.values() if n.kind == "source"]
    new_sources = [n for n in after.nodes.values() if n.kind == "source"]
    _add(found, sources, new_sources, lambda old, new: _read(old) == _read(new))
    return found


def match_topics(
    before: Facts, after: Facts, before_paths: Paths, after_paths: Paths
) -> dict[str, str]:
    """Return new internal topic -> the old one that had the same records."""
    found: dict[str, str] = {}
    olds, news = _internal(before), _internal(after)
    for topic in news:
        if topic in olds and not is_generated(topic):
            found[topic] = topic
    left = [NodeFacts(name=t, kind="topic", subtopology=0) for t in olds if t not in found]
    new = [NodeFacts(name=t, kind="topic", subtopology=0) for t in news if t not in found]

    def same(old: NodeFacts, new: NodeFacts, paths: Callable[[Paths, str], object]) -> bool:
        if role_of(old.name) != role_of(new.name):
            return False
        return paths(before_paths, olds[old.name]) == paths(after_paths, news[new.name])

    _add(found, left, new, lambda a, b: same(a, b, lambda p, name: p.exact_above[name]))
    _add(found, left, new, lambda a, b: same(a, b, lambda p, name: p.coarse_above[name]))
    return found


def _internal(facts: Facts) -> dict[str, str]:
    """Return the internal topics, and the source that reads each."""
    written = {t for node in facts.nodes.values() if node.kind == "sink" for t in node.topics}
    return {
        topic: node.name
        for node in facts.nodes.values()
        if node.kind == "source" and not node.pattern
        for topic in node.topics
        if topic in written and is_internal(topic)
    }


def _same_kind(old: NodeFacts, new: NodeFacts) -> bool:
    if is_generated(old.name) == is_generated(new.name):
        return is_generated(old.name) and role_of(old.name) == role_of(new.name)
    # One of them has got a name, or lost it.
    return bool(old.stores)


def _read(node: NodeFacts) -> tuple[bool, tuple[str, ...]]:
    return node.pattern, tuple(sorted(node.topics))


def _add(
    found: dict[str, str],
    olds: Iterable[NodeFacts],
    news: Iterable[NodeFacts],
    test: Callable[[NodeFacts, NodeFacts], bool],
) -> None:
    """Add the pairs that fit each other and nothing else."""
    fits = {new.name: [old.name for old in olds if test(old, new)] for new in news}
    counts: dict[str, int] = {}
    for names in fits.values():
        for name in names:
            counts[name] = counts.get(name, 0) + 1
    taken = set(found.values())
    for new, names in fits.items():
        alone = len(names) == 1 and counts[names[0]] == 1
        if alone and new not in found and names[0] not in taken:
            found[new] = names[0]
