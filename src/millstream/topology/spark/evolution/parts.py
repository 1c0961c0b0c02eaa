"""Outcomes for sources and sub-topologies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from millstream.topology.spark.evolution.facts import Facts
from millstream.topology.spark.evolution.names import is_internal
from millstream.topology.spark.evolution.outcome import Fate, StateOutcome
from millstream.topology.spark.evolution.partitions import topics_read


def sources(before: Facts, after: Facts) -> Iterator[StateOutcome]:
    """Yield the outcome of each topic, or pattern, that is read from outside."""
    olds, news = _read(before), _read(after)
    for topic in news:
        fate = Fate.SAME if topic in olds else Fate.NEW
        how = "" if topic in olds else "it is read from where auto.offset.reset says"
        former = topic if topic in olds else None
        yield StateOutcome(kind="source", name=topic, former=former, fate=fate, how=how)
    for topic in olds:
        if topic not in news:
            how = "it is not read any more"
            yield StateOutcome(kind="source", name=topic, former=topic, fate=Fate.DROPPED, how=how)


def unread_topics(
    before: Facts, topics: Mapping[str, str], unread: Mapping[str, int]
) -> Iterator[StateOutcome]:
    """Yield a refusal for each internal topic whose records only the former program can process.

    Args:
        before: The former program.
        topics: New internal topic -> the old one that had the same records.
        unread: Topic, by its name on the broker -> records that are not processed yet.
    """
    prefix = f"{before.application_id}-"
    # A topic of the user's may begin with the application's name, too.
    of_user = set(_read(before))
    for topic, count in sorted(unread.items()):
        name = topic.removeprefix(prefix)
        if not count or topics.get(name) == name or topic in of_user:
            continue
        yield StateOutcome(
            kind="source",
            name=topic,
            former=topic,
            fate=Fate.REFUSED,
            how="start the former program until it has processed them (`millstream run "
            "--until-idle`), then this one",
            why=f"{count} records in it are not processed yet, and the new program does not read "
            "them from there",
        )


def subtopologies(
    before: Facts, after: Facts, stores: Mapping[str, str], topics: Mapping[str, str]
) -> Iterator[StateOutcome]:
    """Yield the outcome of each sub-topology."""
    related = _related(before, after, stores, topics)
    for new in sorted(_parts(after)):
        olds = sorted(related.get(new, ()))
        halves = [part for old in olds for part, found in related.items() if old in found]
        fate, how = Fate.SAME, ""
        if not olds:
            fate = Fate.NEW
        elif len(olds) > 1:
            fate, how = Fate.RENUMBERED, f"merged from sub-topologies {_listed(olds)}"
        elif len(set(halves)) > 1:
            fate, how = Fate.RENUMBERED, f"split from sub-topology {olds[0]}"
        elif olds != [new]:
            fate, how = Fate.RENUMBERED, f"it was sub-topology {olds[0]}"
        yield StateOutcome(
            kind="sub-topology",
            name=str(new),
            former=", ".join(map(str, olds)) or None,
            fate=fate,
            how=how,
        )
    for old in sorted(_parts(before) - {part for olds in related.values() for part in olds}):
        yield StateOutcome(kind="sub-topology", name=str(old), former=str(old), fate=Fate.DROPPED)


def _related(
    before: Facts, after: Facts, stores: Mapping[str, str], topics: Mapping[str, str]
) -> dict[int, set[int]]:
    """Return new sub-topology -> the old ones that had some of its stores or topics."""
    readers = {
        topic: node.subtopology
        for node in before.nodes.values()
        if node.kind == "source"
        for topic in node.topics
    }
    found: dict[int, set[int]] = {part: set() for part in _parts(after)}
    for name, store in after.stores.items():
        part, old = store.subtopology, before.stores.get(stores.get(name, ""))
        if part is not None and old is not None and old.subtopology is not None:
            found[part].add(old.subtopology)
    for node in after.nodes.values():
        if node.kind == "source" and node.subtopology in found:
            formers = [t if not is_internal(t) else topics.get(t, "") for t in node.topics]
            found[node.subtopology].update(readers[t] for t in formers if t in readers)
    own = _parts(before)
    return {part: olds & own for part, olds in found.items() if olds & own}


def _parts(facts: Facts) -> set[int]:
    """Return the sub-topologies with tasks."""
    shared = {
        facts.nodes[user].subtopology
        for store in facts.stores.values()
        if store.subtopology is None
        for user in store.users
    }
    return {node.subtopology for node in facts.nodes.values()} - shared


def _read(facts: Facts) -> list[str]:
    written = {t for node in facts.nodes.values() if node.kind == "sink" for t in node.topics}
    found: dict[str, None] = {}
    for node in facts.nodes.values():
        if node.kind == "source":
            names: Iterable[str] = [*node.topics] if node.pattern else []
            names = [*names, *topics_read(facts, node)]
            found.update(dict.fromkeys(t for t in names if not (t in written and is_internal(t))))
    return list(found)


def _listed(numbers: Iterable[int]) -> str:
    return " and ".join(map(str, numbers))
