"""Verdicts about stores: what becomes of each one, and what to do where it cannot go on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from millstream.core.config.own_keys import (
    STATE_CONVERT,
    STATE_DROP,
    STATE_RENAME,
    STORE_CHANGED_OK,
)
from millstream.topology.spark.evolution.differences import (
    TURNED,
    WORD,
    NoteDifference,
    differences,
    free,
)
from millstream.topology.spark.evolution.facts import Facts, StoreFacts
from millstream.topology.spark.evolution.matching import Matches, is_global
from millstream.topology.spark.evolution.names import is_generated, role_of
from millstream.topology.spark.evolution.outcome import Fate, StateOutcome
from millstream.topology.spark.evolution.partitions import is_rescalable, only_more_topics
from millstream.topology.spark.evolution.paths import Paths
from millstream.topology.spark.evolution.sides import of_unmatched, turned
from millstream.topology.spark.evolution.words import Words

RESCALE = "millstream state rescale"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreVerdict:
    """What becomes of a store of the new program."""

    outcome: StateOutcome
    goes_on: bool
    """With the entries of ``outcome.former``."""
    conversions: tuple[str, ...] = ()


def new_stores(
    before: Facts,
    after: Facts,
    matches: Matches,
    words: Words,
    paths: Paths,
    new_paths: Paths,
) -> Iterator[StoreVerdict]:
    """Yield the verdict about each store of the new program.

    Args:
        before: The former program.
        after: The new one.
        matches: The counterparts.
        words: What the user says.
        paths: Paths of the former program.
        new_paths: Those of the new one.
    """
    rescalable = not before.partitions or is_rescalable(before, after)
    for name, store in after.stores.items():
        former = matches.found.get(name)
        whole = matches.found.get(new_paths.twin(store) or "")
        if former is None and whole is not None and paths.both_sides(before.stores[whole]):
            yield StoreVerdict(outcome=_half(name, whole), goes_on=False)
        elif former is None:
            yield StoreVerdict(outcome=_without(store, before, matches, words), goes_on=False)
        else:
            old = before.stores[former]
            more = [
                *_of_topics(old, store, paths, new_paths),
                *of_unmatched(old, store, before, after, (paths, new_paths)),
            ]
            yield _continued(old, store, matches, words, more, rescalable=rescalable)


def old_stores(
    before: Facts,
    after: Facts,
    matches: Matches,
    words: Words,
    empty: Collection[str],
    paths: Paths,
    new_paths: Paths,
) -> Iterator[StateOutcome]:
    """Yield what becomes of each store of the former program that has no counterpart.

    Args:
        before: The former program.
        after: The new one.
        matches: The counterparts.
        words: What the user says.
        empty: Stores of the former program that are known to have no entries.
        paths: Paths of the former program.
        new_paths: Those of the new one.
    """
    taken = set(matches.found.values())
    whole = {old for new, old in matches.found.items() if new_paths.both_sides(after.stores[new])}
    for name, store in before.stores.items():
        if name in taken:
            continue
        if name in words.drop:
            yield _dropped(name, f"{STATE_DROP} names it")
        elif store.subtopology is None:
            yield _dropped(name, "a global store is filled from its topic")
        elif name in empty:
            yield _dropped(name, "it has no entries")
        elif (twin := paths.twin(store)) in whole:
            yield _dropped(name, f'it has the same records as "{twin}"')
        else:
            yield _abandoned(store, after, matches, paths, new_paths)


def _without(store: StoreFacts, before: Facts, matches: Matches, words: Words) -> StateOutcome:
    name = store.name
    candidates = matches.candidates.get(name, [])
    if store.subtopology is None:
        return StateOutcome(
            kind="store", name=name, fate=Fate.NEW, how="it is filled from its topic"
        )
    if candidates:
        first = candidates[0]
        return StateOutcome(
            kind="store",
            name=name,
            fate=Fate.NEEDS_WORD,
            how=f"{STATE_RENAME}={first}:{name} lets it go on with that store's entries, "
            f"{STATE_DROP}={','.join(candidates)} lets it begin empty",
            why=f"it has no name of its own, and may be what was {_listed(candidates)}",
        )
    how = ""
    if name in words.drop:
        how = f"{STATE_DROP} names the former store of this name"
    elif name in before.stores:
        how = "the former store of this name goes on under another one"
        if is_global(before.stores[name]):
            how = f"the former store of this name was in {_part(before.stores[name])}"
        elif is_generated(name):
            how = "the former store of this generated name is another one"
    return StateOutcome(kind="store", name=name, fate=Fate.NEW, how=how)


def _half(name: str, whole: str) -> StateOutcome:
    """Return the outcome of a store whose records are in the one store of a join with itself."""
    return StateOutcome(
        kind="store",
        name=name,
        fate=Fate.NEEDS_WORD,
        how=f"build the topology with topology.optimization=all as before; {STATE_DROP}={whole} "
        "lets both stores of the join begin empty",
        why=f'the optimised join had one store for both sides, "{whole}", and one side would begin '
        "without its records",
    )


def _of_topics(
    old: StoreFacts, new: StoreFacts, paths: Paths, new_paths: Paths
) -> list[NoteDifference]:
    """Return the difference of a global store that is filled from another topic: it has what its
    topic has, and nothing of the former one."""
    topics = sorted(paths.topics_of(old)), sorted(new_paths.topics_of(new))
    if not is_global(new) or not is_global(old) or topics[0] == topics[1]:
        return []
    was, is_now = (_listed(names) for names in topics)
    return [NoteDifference(text=f"its topic was {was} and is {is_now}")]


def _continued(
    old: StoreFacts,
    new: StoreFacts,
    matches: Matches,
    words: Words,
    more: list[NoteDifference],
    *,
    rescalable: bool,
) -> StoreVerdict:
    is_turned = any(each.conversion == TURNED for each in more)
    found = [*differences(turned(old.note) if is_turned else old.note, new.note), *more]
    name = new.name
    if is_global(old) != is_global(new):
        text = f"it was in {_part(old)} and is in {_part(new)}"
        found = [*found, NoteDifference(text=text)]
    if {name, old.name} & words.changed_ok:
        found = [each for each in found if not each.declarable]
    open_ = [each for each in found if not each.conversion]
    if name in words.convert:
        open_ = [each for each in open_ if not each.by_word]
    if found and new.subtopology is None:
        how = f"it is filled again from its topic, because {_listed_texts(found)}"
        outcome = StateOutcome(kind="store", name=name, former=old.name, fate=Fate.NEW, how=how)
        return StoreVerdict(outcome=outcome, goes_on=False)
    conversions = tuple(dict.fromkeys(each.conversion for each in found if each.conversion))
    if name in words.convert:
        conversions += (WORD,)
    fate, how, why = _judged(old, new, open_, found, words, name in matches.by_word)
    if not open_ and fate is Fate.NEEDS_WORD and not rescalable:
        how = (
            f"give the topics of the former program {new.partitions} partitions, run `{RESCALE}` "
            "with that program, and then start this one; where a repartition topic decides, "
            f"Repartitioned.withNumberOfPartitions({old.partitions}) keeps the number"
        )
    outcome = StateOutcome(kind="store", name=name, former=old.name, fate=fate, how=how, why=why)
    return StoreVerdict(outcome=outcome, goes_on=True, conversions=conversions)


def _judged(
    old: StoreFacts,
    new: StoreFacts,
    open_: list[NoteDifference],
    found: list[NoteDifference],
    words: Words,
    renamed: bool,
) -> tuple[Fate, str, str]:
    name = new.name
    if open_:
        fate = Fate.NEEDS_WORD if all(each.by_word for each in open_) else Fate.REFUSED
        return fate, _ways_out(old, new, open_), _listed_texts(open_)
    numbers = (old.partitions, new.partitions)
    if None not in numbers and numbers[0] != numbers[1] and not only_more_topics(old, new):
        why = f"its entries are in {old.partitions} partitions and belong into {new.partitions}"
        return Fate.NEEDS_WORD, f"run `{RESCALE}` with the application stopped", why
    hows = list(dict.fromkeys(each.how for each in found if each.how))
    if name in words.convert:
        hows.append(f"its values go through {words.convert[name]}")
    if hows:
        if old.name != name:
            hows.append(f'it was "{old.name}"')
        return Fate.CONVERTED, "; ".join(hows), ""
    if old.name != name:
        how = f'it was "{old.name}"' + (f", {STATE_RENAME} says" if renamed else "")
        return Fate.RENUMBERED, how, ""
    if old.subtopology != new.subtopology:
        return Fate.RENUMBERED, f"it was in {_part(old)} and is in {_part(new)}", ""
    return Fate.SAME, "", ""


def _ways_out(old: StoreFacts, new: StoreFacts, open_: list[NoteDifference]) -> str:
    """Return what the user may do where bytes cannot be read any more."""
    ways = [each.way for each in open_] if all(e.way for e in open_) else ["go back to what it was"]
    if all(each.by_word for each in open_):
        ways = [f"{STATE_CONVERT}={new.name}:module.function converts its values"]
    if all(each.declarable for each in open_):
        ways.append(f"{STORE_CHANGED_OK}={new.name} says that the bytes can be read all the same")
    ways.append(f"{STATE_DROP}={old.name} lets it begin empty")
    return "; ".join(ways)


def _abandoned(
    store: StoreFacts, after: Facts, matches: Matches, paths: Paths, new_paths: Paths
) -> StateOutcome:
    """Return the outcome of a store that would be lost without a word."""
    name = store.name
    rivals = [new for new, olds in matches.candidates.items() if name in olds]
    why = "no store of the new program goes on with its entries"
    ways = [f"{STATE_DROP}={name} lets them go"]
    if rivals:
        why = f"it may have become {_listed(rivals)}"
        ways += [f"{STATE_RENAME}={name}:{rivals[0]} keeps them"]
    else:
        likely = _nearest(store, list(_successors(store, after.stores, matches)), paths, new_paths)
        found = differences(store.note, likely[0].note) if likely else []
        if len(likely) == 1 and all(each.conversion or each.by_word for each in found):
            ways += [f"{STATE_RENAME}={name}:{likely[0].name} keeps them"]
        elif likely and all(each.conversion or each.by_word for each in found):
            names = _listed([each.name for each in likely])
            ways += [f"{STATE_RENAME}={name}:NEW keeps them, NEW being {names}"]
        if likely and not free(found):
            why += f'; of "{likely[0].name}", {_listed_texts(found)}'
    return StateOutcome(
        kind="store",
        name=name,
        former=name,
        fate=Fate.NEEDS_WORD,
        how="; ".join(ways),
        why=why,
    )


def _successors(
    old: StoreFacts, stores: Mapping[str, StoreFacts], matches: Matches
) -> Iterator[StoreFacts]:
    """Yield the new and empty stores that may have been meant, the likeliest first."""
    fresh = [
        store
        for store in stores.values()
        if store.name not in matches.found and store.subtopology is not None
    ]
    alike = [s for s in fresh if not differences(old.note, s.note)]
    role = role_of(old.name)
    same_role = [s for s in fresh if is_generated(s.name) and role_of(s.name) == role]
    chosen = [s for s in alike if s in same_role] + same_role + alike
    yield from {store.name: store for store in chosen}.values()


def _nearest(
    old: StoreFacts, likely: list[StoreFacts], paths: Paths, new_paths: Paths
) -> list[StoreFacts]:
    """Return those of some stores that get the same records as a former one, or else come from the
    same topics; all of them if none does."""
    for near in (
        [s for s in likely if new_paths.above(s, exact=True) == paths.above(old, exact=True)],
        [s for s in likely if new_paths.above(s, exact=False) == paths.above(old, exact=False)],
        [s for s in likely if new_paths.topics_of(s) & paths.topics_of(old)],
    ):
        if near:
            return near
    return likely


def _dropped(name: str, how: str) -> StateOutcome:
    return StateOutcome(kind="store", name=name, former=name, fate=Fate.DROPPED, how=how)


def _listed(names: list[str]) -> str:
    return " or ".join(f'"{name}"' for name in names)


def _listed_texts(found: list[NoteDifference]) -> str:
    return "; ".join(each.text for each in found)


def _part(store: StoreFacts) -> str:
    number = store.subtopology
    return "all tasks" if number is None else f"sub-topology {number}"
