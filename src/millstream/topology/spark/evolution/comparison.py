"""Comparison of a program with the one that a state belongs to."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import replace

from millstream.topology.spark.evolution.differences import differences
from millstream.topology.spark.evolution.facts import Facts, NodeFacts
from millstream.topology.spark.evolution.matching import match_stores, same_stores
from millstream.topology.spark.evolution.names import is_internal, kind_of
from millstream.topology.spark.evolution.nodes import match_nodes, match_topics
from millstream.topology.spark.evolution.outcome import Comparison, Fate
from millstream.topology.spark.evolution.partitions import with_partitions
from millstream.topology.spark.evolution.parts import sources, subtopologies, unread_topics
from millstream.topology.spark.evolution.paths import Paths
from millstream.topology.spark.evolution.verdicts import new_stores, old_stores
from millstream.topology.spark.evolution.words import Words

log = logging.getLogger(__name__)

_NO_EFFECT = (
    "words for stores have no effect, as the program is the one that the state is of: %s. To give "
    "them an effect, start once without them, then with them"
)
_STATELESS = frozenset(
    f"{prefix}-#"
    for prefix in (
        "KSTREAM-BRANCH",
        "KSTREAM-FILTER",
        "KSTREAM-FLATMAP",
        "KSTREAM-FLATMAPVALUES",
        "KSTREAM-FOREACH",
        "KSTREAM-KEY-SELECT",
        "KSTREAM-MAP",
        "KSTREAM-MAPVALUES",
        "KSTREAM-MERGE",
        "KSTREAM-PEEK",
        "KSTREAM-PRINTER",
        "KTABLE-TOSTREAM",
    )
)
"""Kinds of operators for which nothing is kept, unless they have a store."""


def compare(
    before: Facts,
    after: Facts,
    words: Words | None = None,
    *,
    unread: Mapping[str, int] | None = None,
    empty: Collection[str] = (),
) -> Comparison:
    """Compare a program with the one that a state belongs to.

    Args:
        before: The program that the state belongs to.
        after: The program that is to go on with it.
        words: What the user says about stores.
        unread: Internal topic, by its name on the broker -> records that the former program has not
            processed yet.
        empty: Stores of the former program that are known to have no entries.

    Raises:
        ConfigException: A word names a store that is not there.
    """
    before, after = with_partitions(before, after), with_partitions(after, before)
    given = (words or Words()).without(before.words)
    before_paths, after_paths = _paths(before, after), _paths(after, before)
    unchanged = _unchanged(before, after)
    if unchanged and not (given.move and before.every_word):
        if given.move:
            log.warning(_NO_EFFECT, ", ".join(given.texts()))
        given = Words(changed_ok=given.changed_ok)
        given.check_compatible(after.stores)
    else:
        given.check(before.stores, after.stores)
    if unchanged:
        matches = same_stores(after, given)
    else:
        matches = match_stores(before, after, before_paths, after_paths, given)
    verdicts = list(new_stores(before, after, matches, given, before_paths, after_paths))
    stores = {v.outcome.name: str(v.outcome.former) for v in verdicts if v.goes_on}
    if unchanged:
        nodes = {
            node.name: node.name
            for node in after.nodes.values()
            if node.kind != "sink" and (not node.stores or any(s in stores for s in node.stores))
        }
        topics = {t: t for node in after.nodes.values() for t in node.topics if is_internal(t)}
    else:
        nodes = match_nodes(before, after, before_paths, after_paths, stores)
        topics = match_topics(before, after, before_paths, after_paths)
    found = Comparison(
        outcomes=(
            *(verdict.outcome for verdict in verdicts),
            *old_stores(before, after, matches, given, empty, before_paths, after_paths),
            *sources(before, after),
            *unread_topics(before, topics, unread or {}),
            *subtopologies(before, after, stores, topics),
        ),
        stores=stores,
        nodes=nodes,
        conversions={v.outcome.name: v.conversions for v in verdicts if v.conversions},
        topics=topics,
        words=tuple(given.texts()),
    )
    return replace(found, same=_in_place(before, after, found))


def _paths(facts: Facts, other: Facts) -> Paths:
    typed = all(s.note is not None for f in (facts, other) for s in f.stores.values())
    return Paths(facts, typed=typed)


def _unchanged(before: Facts, after: Facts) -> bool:
    """Tell whether the programs have the same description and stores."""
    if before.nodes != after.nodes:
        return False
    pairs = [(before.stores[name], store) for name, store in after.stores.items()]
    # The nodes of a global table may be those of a table.
    return not any(
        old.subtopology != new.subtopology or differences(old.note, new.note) for old, new in pairs
    )


def _in_place(before: Facts, after: Facts, found: Comparison) -> bool:
    """Tell whether the state can stay where it is: nothing in it has another name or place.

    Its stages have the same tasks and topics, its tasks the same stores, and what processors have
    saved the same names.
    """
    if found.refused or found.conversions or before.tasks != after.tasks:
        return False
    if _stages(before) != _stages(after) or before.topics != after.topics:
        return False
    if any(new != old for new, old in found.stores.items()):
        return False
    if before.stores.keys() != after.stores.keys() or found.stores.keys() != after.stores.keys():
        return False
    if any(s.subtopology != before.stores[n].subtopology for n, s in after.stores.items()):
        return False
    if any(s.subtopology is None for s in after.stores.values()) and before.nodes != after.nodes:
        # Which tasks have copies of global stores depends on all processors.
        return False
    if any(each.fate is Fate.DROPPED for each in found.outcomes):
        return False
    kept = {old for new, old in found.nodes.items() if new == old}
    return all(node.name in kept for node in before.nodes.values() if _may_have_state(node))


def _may_have_state(node: NodeFacts) -> bool:
    """Tell whether something may be kept for a node: entries, schedules, what it has saved."""
    if node.kind != "processor":
        return node.pattern
    return bool(node.stores) or kind_of(node.name) not in _STATELESS


def _stages(facts: Facts) -> dict[int, tuple[frozenset[str], frozenset[str]]]:
    """Return the topics that each sub-topology reads, and the internal ones that it writes."""
    read: dict[int, set[str]] = {}
    written: dict[int, set[str]] = {}
    for node in facts.nodes.values():
        read.setdefault(node.subtopology, set())
        if node.kind == "source":
            read[node.subtopology].update(node.topics)
        elif node.kind == "sink":
            internal = (topic for topic in node.topics if is_internal(topic))
            written.setdefault(node.subtopology, set()).update(internal)
    return {
        part: (frozenset(topics), frozenset(written.get(part, ()))) for part, topics in read.items()
    }
