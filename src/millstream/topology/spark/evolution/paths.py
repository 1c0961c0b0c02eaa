"""Paths through a program: what lies above and below each node, without numbers.

A path is a digest. Two nodes with the same path above them get the same records, processed by the
same kinds of operators; which functions these have is not known.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from millstream.topology.spark.evolution.facts import Facts, NodeFacts, StoreFacts
from millstream.topology.spark.evolution.names import (
    is_generated,
    is_internal,
    join_part_of,
    kind_of,
)

Digests = frozenset[str]
_READERS = ("KSTREAM-JOIN-#", "KSTREAM-LEFTJOIN-#", "KTABLE-JOINTHIS-#", "KTABLE-JOINOTHER-#")
_KEY_CHANGING = (
    "KSTREAM-KEY-SELECT-#",
    "KSTREAM-MAP-#",
    "KSTREAM-FLATMAP-#",
    "KSTREAM-PROCESSOR-#",
)
_SIDE = "windowed"
"""Part of a join of streams that fills the store of one side."""
_OWNERS = {
    "KSTREAM-JOINTHIS-#-store": "KSTREAM-WINDOWED-#",
    "KSTREAM-OUTERTHIS-#-store": "KSTREAM-WINDOWED-#",
    "KSTREAM-JOINOTHER-#-store": "KSTREAM-WINDOWED-#",
    "KSTREAM-OUTEROTHER-#-store": "KSTREAM-WINDOWED-#",
    "KTABLE-FK-JOIN-SUBSCRIPTION-STATE-STORE-#": "KTABLE-FK-JOIN-SUBSCRIPTION-PROCESSOR-#",
}


class Paths:
    """Paths of one program.

    *Exact* ones have the kinds of all operators, and names that users gave. *Coarse* ones leave out
    operators without state and all names of operators, so that one more filter makes no difference;
    but upwards, where keys may change is part of them. *Shapes* are coarse paths from any topics.

    Args:
        facts: The program.
        typed: Coarse paths have the types of stores; without it also those without notes compare.
    """

    def __init__(self, facts: Facts, *, typed: bool = True) -> None:
        self._facts = facts
        self._typed = typed
        # Exact paths know a topic by its name if it has one; coarse ones by what is written to it.
        self._above = {True: _links(facts, is_generated), False: _links(facts, is_internal)}
        self.exact_above = self._exact(self._above[True])
        self.coarse_above = self._coarse(self._above[False], upward=True)
        self.shapes = self._coarse(self._above[False], upward=True, ends=False)
        below = {exact: _turned(links) for exact, links in self._above.items()}
        self.exact_below = self._exact(below[True])
        self.coarse_below = self._coarse(below[False], upward=False)
        self.topics = self._topics()

    def owners(self, store: StoreFacts) -> tuple[str, ...]:
        """Return the processors that fill a store: the others only look into it."""
        kind = kind_of(store.name)
        wanted = _OWNERS.get(kind, kind.removesuffix("-STATE-STORE-#") + "-#")
        found = [user for user in store.users if kind_of(user) == wanted]
        if not found:
            found = [user for user in store.users if join_part_of(user) == _SIDE]
        if not found:
            found = [user for user in store.users if kind_of(user) == "KTABLE-SOURCE-#"]
        if not found:
            filling = [user for user in store.users if kind_of(user) not in _READERS]
            found = self._topmost(filling or list(store.users))
        return tuple(sorted(found))

    def above(self, store: StoreFacts, *, exact: bool) -> Digests:
        """Return what lies above a store."""
        if exact:
            return frozenset(self.exact_above[name] for name in self.owners(store))
        return self._parents(store, self.coarse_above)

    def below(self, store: StoreFacts, *, exact: bool) -> Digests:
        """Return what lies below a store."""
        owners = self.owners(store)
        if exact:
            return frozenset(self.exact_below[name] for name in owners)
        children = {c for name in owners for c in self._facts.nodes[name].children}
        return frozenset().union(*(self.coarse_below[child] for child in children))

    def shape(self, store: StoreFacts) -> Digests:
        """Return what lies above a store, whatever topics it comes from."""
        return self._parents(store, self.shapes)

    def topics_of(self, store: StoreFacts) -> frozenset[str]:
        """Return the topics from outside whose records reach a store."""
        return frozenset().union(*(self.topics[name] for name in self.owners(store)))

    def twin(self, store: StoreFacts) -> str | None:
        """Return another store with the same records: the other side of a join with itself."""
        if not self._side(store):
            return None
        other = self.other_side(store)
        same = other is not None and self._above_owners(other) == self._above_owners(store)
        return other.name if other is not None and same else None

    def other_side(self, store: StoreFacts) -> StoreFacts | None:
        """Return the store of the other side, if this one is of a side of a join of streams."""
        if not self._side(store):
            return None
        return next((each for each in self._beside(store) if each is not store), None)

    def both_sides(self, store: StoreFacts) -> bool:
        """Tell whether a store has both sides of a join with itself, as the optimiser makes it."""
        return self._side(store) and bool(self._asking(store) & set(self.owners(store)))

    def above_nodes(self, names: Iterable[str]) -> Digests:
        """Return what lies above some nodes."""
        parents = {parent for name in names for parent in self._facts.nodes[name].parents}
        return frozenset().union(*(self.coarse_above[parent] for parent in parents))

    def _beside(self, store: StoreFacts) -> Iterator[StoreFacts]:
        """Yield the stores of sides whose records are joined with those in a store.

        Those of other joins of the stream have the same records above them, too.
        """
        asking = self._asking(store)
        for other in self._facts.stores.values():
            if self._side(other) and asking & set(self.owners(other)):
                yield other

    def _asking(self, store: StoreFacts) -> set[str]:
        """Return the processors whose records are joined with those in a store."""
        own, nodes = self.owners(store), self._facts.nodes
        return {parent for user in store.users if user not in own for parent in nodes[user].parents}

    def _side(self, store: StoreFacts) -> bool:
        """Tell whether a store has the records of one side of a join of streams."""
        return all(join_part_of(name) == _SIDE for name in self.owners(store))

    def _above_owners(self, store: StoreFacts) -> set[str]:
        nodes = self._facts.nodes
        return {parent for name in self.owners(store) for parent in nodes[name].parents}

    def _parents(self, store: StoreFacts, paths: Mapping[str, Digests]) -> Digests:
        return frozenset().union(*(paths[parent] for parent in self._above_owners(store)))

    def _topmost(self, names: list[str]) -> list[str]:
        above = self._above[True]
        chosen = []
        for name in names:
            seen, rising = set[str](), list(above[name])
            while rising:
                if (parent := rising.pop()) not in seen:
                    seen.add(parent)
                    rising.extend(above[parent])
            if seen.isdisjoint(set(names) - {name}):
                chosen.append(name)
        return chosen or names

    def _exact(self, links: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
        nodes = self._facts.nodes

        def digest(name: str, linked: Iterable[str]) -> str:
            node = nodes[name]
            topics = [] if links[name] else sorted(map(kind_of, node.topics))
            return _digest(node.kind, kind_of(name), topics, sorted(linked))

        return _folded(links, digest, "loop")

    def _coarse(
        self, links: Mapping[str, tuple[str, ...]], *, upward: bool, ends: bool = True
    ) -> dict[str, Digests]:
        nodes, end = self._facts.nodes, "source" if upward else "sink"

        def digests(name: str, linked: Iterable[Digests]) -> Digests:
            node = nodes[name]
            found: Digests = frozenset().union(*linked)
            if node.kind == end and not links[name]:
                topics = sorted(map(kind_of, node.topics)) if ends else []
                return frozenset({_digest(end, topics)})
            if node.kind == "source" and upward:
                return frozenset({_digest("repartitioned", sorted(found))})
            if node.stores:
                return frozenset({_digest("stores", self._types(node), sorted(found))})
            if upward and kind_of(name) in _KEY_CHANGING:
                return frozenset({_digest(kind_of(name), sorted(found))})
            return found

        return _folded(links, digests, frozenset({"loop"}))

    def _types(self, node: NodeFacts) -> list[str]:
        notes = [self._facts.stores[store].note for store in node.stores]
        return sorted("" if note is None or not self._typed else note.type for note in notes)

    def _topics(self) -> dict[str, frozenset[str]]:
        links, nodes = self._above[False], self._facts.nodes

        def topics(name: str, linked: Iterable[frozenset[str]]) -> frozenset[str]:
            node = nodes[name]
            own = node.topics if node.kind == "source" and not links[name] else ()
            return frozenset(own).union(*linked)

        return _folded(links, topics, frozenset())


def _links(facts: Facts, expands: Callable[[str], bool]) -> dict[str, tuple[str, ...]]:
    """Return the nodes above each node; above a source, the sinks that write its topics."""
    writers: dict[str, list[str]] = {}
    for node in facts.nodes.values():
        for topic in node.topics if node.kind == "sink" else ():
            writers.setdefault(topic, []).append(node.name)
    found = {}
    for node in facts.nodes.values():
        above = list(node.parents)
        if node.kind == "source" and not node.pattern:
            above += [w for topic in node.topics if expands(topic) for w in writers.get(topic, ())]
        found[node.name] = tuple(above)
    return found


def _turned(links: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {name: [] for name in links}
    for name, above in links.items():
        for parent in above:
            found[parent].append(name)
    return {name: tuple(below) for name, below in found.items()}


def _folded(
    links: Mapping[str, tuple[str, ...]], fold: Callable[[str, list[Any]], Any], loop: Any
) -> dict[str, Any]:
    """Return a value for each node, from the values of those it is linked to.

    Where the links form a circle, ``loop`` stands for one that has no value yet.
    """
    waiting = {name: len(above) for name, above in links.items()}
    turned = _turned(links)
    ready = deque(sorted(name for name, count in waiting.items() if not count))
    found: dict[str, Any] = {}
    while waiting:
        if not ready:
            ready.append(min(waiting))
        name = ready.popleft()
        if waiting.pop(name, None) is None:
            continue
        found[name] = fold(name, [found.get(above, loop) for above in links[name]])
        for below in turned[name]:
            if below in waiting:
                waiting[below] -= 1
                if waiting[below] == 0:
                    ready.append(below)
    return found


def _digest(*parts: Any) -> str:
    return hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()
