"""Counterparts: which store of the former program a store goes on with.

A store that has a name of its own is found by it. One without is found by what it is: the bytes of
its entries, what it is for, and its path. Only what fits one store alone, seen from either program,
is a counterpart; names with the same number mean nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from millstream.topology.spark.evolution.differences import differences, free
from millstream.topology.spark.evolution.facts import Facts, StoreFacts
from millstream.topology.spark.evolution.names import as_other_join, is_generated, kind_of, role_of
from millstream.topology.spark.evolution.paths import Digests, Paths
from millstream.topology.spark.evolution.sides import turned_sides
from millstream.topology.spark.evolution.words import Words

Test = Callable[["_Seen", "_Seen"], bool]


@dataclass(frozen=True, slots=True)
class _Seen:
    """A store as the tests compare it."""

    facts: StoreFacts
    owners: tuple[str, ...]
    exact_above: Digests
    exact_below: Digests
    coarse_above: Digests
    coarse_below: Digests
    shape: Digests
    topics: frozenset[str]


@dataclass(slots=True)
class Matches:
    """Counterparts of the new program's stores."""

    found: dict[str, str] = field(default_factory=dict)
    """New store -> old store."""
    by_word: set[str] = field(default_factory=set)
    """New stores that were renamed by the user's word."""
    candidates: dict[str, list[str]] = field(default_factory=dict)
    """New store without a counterpart -> the old ones that it may be."""


def match_stores(
    before: Facts, after: Facts, before_paths: Paths, after_paths: Paths, words: Words
) -> Matches:
    """Find the counterparts of all stores."""
    matches = Matches()
    gone = set(words.drop)
    for old, new in words.rename.items():
        matches.found[new] = old
        matches.by_word.add(new)
        gone.add(old)
    for new, old in list(turned_sides(before, after, before_paths, after_paths)):
        if new not in matches.found and old not in gone:
            matches.found[new] = old
            gone.add(old)
    for name in after.stores:
        named = name in before.stores and not is_generated(name)
        named = named and is_global(before.stores[name]) == is_global(after.stores[name])
        if named and name not in matches.found and name not in gone:
            matches.found[name] = name
            gone.add(name)
    _match_joins(matches, before, after, gone)
    olds = [_seen(s, before_paths) for s in before.stores.values() if _may_be(s, gone)]
    news = [
        _seen(store, after_paths)
        for store in after.stores.values()
        if store.name not in matches.found
    ]
    _recognise(matches, olds, news)
    return matches


def _match_joins(matches: Matches, before: Facts, after: Facts, gone: set[str]) -> None:
    """Let the stores of a join with a name go on where it has become an outer or an inner one."""
    for new in after.stores:
        old = as_other_join(new)
        if old is None or new in matches.found or old in gone or old in after.stores:
            continue
        if old in before.stores and new not in before.stores:
            matches.found[new] = old
            gone.add(old)


def same_stores(facts: Facts, words: Words) -> Matches:
    """Return the counterparts of the stores of a program that is the same."""
    gone = words.drop | words.rename.keys() | set(words.rename.values())
    found = {name: name for name in facts.stores if name not in gone}
    renamed = {new: old for old, new in words.rename.items()}
    return Matches(found=found | renamed, by_word=set(renamed))


def is_global(store: StoreFacts) -> bool:
    """Tell whether every task has all entries of a store."""
    return store.subtopology is None


def _may_be(store: StoreFacts, gone: Iterable[str]) -> bool:
    return is_generated(store.name) and store.name not in gone


def _recognise(matches: Matches, olds: list[_Seen], news: list[_Seen]) -> None:
    pairs = list(_pairs(olds, news))
    for test in _TESTS:
        fitting = _fitting(pairs, test)
        found = list(_only_ones(fitting))
        if test is _symmetric:
            found += _by_name(fitting)
        taken = set(matches.found.values())
        matches.found |= {
            new: old for new, old in found if new not in matches.found and old not in taken
        }
    taken = set(matches.found.values())
    for new, fits in _fitting(pairs, lambda old, new: True).items():
        left = [old for old in fits if old not in taken]
        if new not in matches.found and left:
            matches.candidates[new] = left


def _pairs(olds: list[_Seen], news: list[_Seen]) -> Iterator[tuple[_Seen, _Seen]]:
    """Yield the stores that get records of a common topic, and have the same bytes and purpose."""
    of_topic: dict[str, dict[str, _Seen]] = {}
    for old in olds:
        for topic in old.topics:
            of_topic.setdefault(topic, {})[old.facts.name] = old
    for new in news:
        near = {name: old for topic in new.topics for name, old in of_topic.get(topic, {}).items()}
        for name in sorted(near):
            if _alike(near[name], new):
                yield near[name], new


def _fitting(pairs: list[tuple[_Seen, _Seen]], test: Test) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for old, new in pairs:
        if test(old, new):
            found.setdefault(new.facts.name, []).append(old.facts.name)
    return found


def _only_ones(fitting: Mapping[str, list[str]]) -> Iterable[tuple[str, str]]:
    """Yield new and old stores that fit each other and nothing else."""
    counts: dict[str, int] = {}
    for fits in fitting.values():
        for old in fits:
            counts[old] = counts.get(old, 0) + 1
    for new, fits in fitting.items():
        if len(fits) == 1 and counts[fits[0]] == 1:
            yield new, fits[0]


def _by_name(fitting: Mapping[str, list[str]]) -> Iterable[tuple[str, str]]:
    """Yield the stores that only their names tell apart, if these are the same as before."""
    for new, fits in fitting.items():
        rivals = {other for other, theirs in fitting.items() if theirs == fits}
        if new in fits and rivals == set(fits):
            yield new, new


def _alike(old: _Seen, new: _Seen) -> bool:
    return _same_role(old, new) and free(differences(old.facts.note, new.facts.note))


def _same_role(old: _Seen, new: _Seen) -> bool:
    if is_global(old.facts) != is_global(new.facts):
        return False
    if is_generated(new.facts.name):
        return role_of(old.facts.name) == role_of(new.facts.name)
    # A store that has got a name: what fills it has to be of the same kind, and is to be known.
    if old.facts.note is None or new.facts.note is None:
        return False
    kinds = [sorted(map(kind_of, seen.owners)) for seen in (old, new)]
    return kinds[0] == kinds[1] and old.facts.note.type == new.facts.note.type


def _exact(old: _Seen, new: _Seen) -> bool:
    return old.exact_above == new.exact_above


def _symmetric(old: _Seen, new: _Seen) -> bool:
    return _exact(old, new) and old.exact_below == new.exact_below


def _exact_to_sinks(old: _Seen, new: _Seen) -> bool:
    return _exact(old, new) and old.coarse_below == new.coarse_below


def _coarse(old: _Seen, new: _Seen) -> bool:
    return old.coarse_above == new.coarse_above


def _coarse_to_sinks(old: _Seen, new: _Seen) -> bool:
    return _coarse(old, new) and old.coarse_below == new.coarse_below


def _near(old: _Seen, new: _Seen) -> bool:
    """Tell whether a source has got or lost topics, and nothing else is different."""
    return old.shape == new.shape


_TESTS: tuple[Test, ...] = (_exact, _symmetric, _exact_to_sinks, _coarse, _coarse_to_sinks, _near)
"""From the closest to the widest. A pair that fits a wider test alone, fits it alone among all
stores, those with a counterpart included: nothing is left over for another by elimination."""


def _seen(store: StoreFacts, paths: Paths) -> _Seen:
    return _Seen(
        facts=store,
        owners=paths.owners(store),
        exact_above=paths.above(store, exact=True),
        exact_below=paths.below(store, exact=True),
        coarse_above=paths.above(store, exact=False),
        coarse_below=paths.below(store, exact=False),
        shape=paths.shape(store),
        topics=paths.topics_of(store),
    )
