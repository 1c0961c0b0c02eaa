"""Counterparts of nodes and of internal topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping

from millstream.topology.spark.evolution.facts import Facts, NodeFacts
from millstream.topology.spark.evolution.names import (
    is_generated,
    is_internal,
    join_part_of,
    role_of,
)
from millstream.topology.spark.evolution.paths import Paths


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
    processors = [node for node in after.nodes.values() if node.kind == "processor"]
    formers = [node for node in before.nodes.values() if node.kind == "processor"]
    users: dict[str, list[NodeFacts]] = {}
    for node in formers:
        for store in node.stores:
            users.setdefault(store, []).append(node)
    fits = {
        new.name: {
            old.name
            for store in new.stores
            for old in users.get(stores.get(store, ""), ())
            if _same_kind(old, new)
        }
        for new in processors
    }
    _add(found, fits)
    # Operators that share a store, as those of a cogroup do, by what lies above them.
    above = (
        (before_paths.exact_above, after_paths.exact_above),
        (before_paths.coarse_above, after_paths.coarse_above),
    )
    for one, other in above:
        _add(
            found,
            {new: {old for old in olds if one[old] == other[new]} for new, olds in fits.items()},
        )
    olds = [node for node in formers if not node.stores and is_generated(node.name)]
    news = [node for node in processors if not node.stores and is_generated(node.name)]
    for one, other in above:
        keys = {node.name: (role_of(node.name), one[node.name]) for node in olds}
        _add(found, _by_key(keys, {n.name: (role_of(n.name), other[n.name]) for n in news}))
    sources = {node.name: _read(node) for node in before.nodes.values() if node.kind == "source"}
    new_sources = {n.name: _read(n) for n in after.nodes.values() if n.kind == "source"}
    _add(found, _by_key(sources, new_sources))
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
    for one, other in (
        (before_paths.exact_above, after_paths.exact_above),
        (before_paths.coarse_above, after_paths.coarse_above),
    ):
        keys = {topic: (role_of(topic), one[source]) for topic, source in olds.items()}
        _add(found, _by_key(keys, {t: (role_of(t), other[source]) for t, source in news.items()}))
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
    if is_generated(old.name) and is_generated(new.name):
        return role_of(old.name) == role_of(new.name)
    # One of them has got a name, lost it, or has another one now.
    one, other = join_part_of(old.name), join_part_of(new.name)
    return bool(old.stores) and (one == other or not (one and other))


def _read(node: NodeFacts) -> tuple[bool, tuple[str, ...]]:
    return node.pattern, tuple(sorted(node.topics))


def _by_key(olds: Mapping[str, Hashable], news: Mapping[str, Hashable]) -> dict[str, set[str]]:
    """Return new name -> old names with the same key."""
    found: dict[Hashable, set[str]] = {}
    for name, key in olds.items():
        found.setdefault(key, set()).add(name)
    return {name: found.get(key, set()) for name, key in news.items()}


def _add(found: dict[str, str], fits: Mapping[str, Collection[str]]) -> None:
    """Add the pairs that fit each other and nothing else, of those without a counterpart."""
    taken = set(found.values())
    counts = Counter(old for new, names in fits.items() for old in names if new not in found)
    for new, names in fits.items():
        if new not in found and len(names) == 1:
            (old,) = names
            if counts[old] == 1 and old not in taken:
                found[new] = old
