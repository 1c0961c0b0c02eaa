"""Methods of Java's own classes in Python, by the class, the method and the number of arguments."""

from __future__ import annotations

from millstream.porting.drafting.kinds import (
    LISTS,
    MAPS,
    QUEUES,
    SETS,
    SORTED_MAPS,
    SORTED_SETS,
    TEXTS,
)
from millstream.porting.drafting.lists import COUNTERS, OF_COUNTERS, OF_ITERATORS

Table = dict[tuple[str, int], str | None]

OF_TEXTS = {
    ("indexOf", 1): "{o}.find({0})", ("format", 1): "{o} % ({0},)",
    ("indexOf", 2): "{o}.find({0}, {1})", ("replace", 2): "{o}.replace({0}, {1})",
    ("strip", 0): "{o}.strip()", ("startsWith", 2): "{o}.startswith({0}, {1})",
}  # fmt: skip
OF_LISTS = {
    ("indexOf", 1): "{o}.index({0}) if {0} in {o} else -1",
    ("get", 1): "{o}[{0}]", ("add", 1): "{o}.append({0})", ("getFirst", 0): "{o}[0]",
    ("getLast", 0): "{o}[-1]", ("removeIf", 1): None, ("clear", 0): "{o}.clear()",
    ("set", 2): "{o}.__setitem__({0}, {1})", ("add", 2): "{o}.insert({0}, {1})",
    ("remove", 1): None, ("containsAll", 1): "all(part in {o} for part in {0})",
}  # fmt: skip
OF_SETS = {
    ("add", 1): "{o}.add({0})", ("addAll", 1): "{o}.update({0})", ("remove", 1): None,
    ("first", 0): "{o}[0]", ("last", 0): "{o}[-1]", ("clear", 0): "{o}.clear()",
    ("removeAll", 1): "{o}.difference_update({0})",
    ("retainAll", 1): "{o}.intersection_update({0})",
    **{(each, 1): f"{{o}}.{each}({{0}})" for each in ("floor", "lower", "ceiling", "higher")},
}  # fmt: skip
# Of lists that elements are taken from at both ends.
OF_QUEUES = {
    **{(each, 1): "{o}.append({0})" for each in ("add", "addLast", "offer", "offerLast")},
    **{(each, 1): "{o}.insert(0, {0})" for each in ("addFirst", "offerFirst", "push")},
    **{(each, 0): "{o}.pop(0)" for each in ("remove", "removeFirst", "pop")},
    **{(each, 0): "{o}[0]" for each in ("element", "getFirst")},
    **{(each, 0): "taken({o})" for each in ("poll", "pollFirst")},
    ("pollLast", 0): "taken({o}, -1)", ("removeLast", 0): "{o}.pop()", ("getLast", 0): "{o}[-1]",
    **{(each, 0): "next(iter({o}), None)" for each in ("peek", "peekFirst")},
    ("peekLast", 0): "next(reversed({o}), None)", ("clear", 0): "{o}.clear()",
    ("remove", 1): None,
}  # fmt: skip
OF_MAPS = {
    ("get", 1): "{o}.get({0})", ("remove", 1): "{o}.pop({0}, None)", ("values", 0): "{o}.values()",
    ("put", 2): "{o}.__setitem__({0}, {1})", ("setProperty", 2): "{o}.__setitem__({0}, {1})",
    ("putIfAbsent", 2): "{o}.setdefault({0}, {1})", ("clear", 0): "{o}.clear()",
}  # fmt: skip
# Of maps that sort: methods of the class that stands in a draft.
OF_SORTED_MAPS = {
    **{(each, 0): f"{{o}}.{each}()" for each in (
        "firstKey", "lastKey", "firstEntry", "lastEntry", "pollFirstEntry", "pollLastEntry",
        "descendingMap")},
    **{(f"{way}{what}", 1): f"{{o}}.{way}{what}({{0}})" for way in (
        "floor", "lower", "ceiling", "higher") for what in ("Key", "Entry")},
    **{(each, count): f"{{o}}.{each}({{all}})" for each in ("headMap", "tailMap")
       for count in (1, 2)},
    ("subMap", 2): "{o}.subMap({0}, {1})",
}  # fmt: skip
OF_RANDOMS = {
    ("nextInt", 1): "{o}.randrange({0})", ("nextInt", 2): "{o}.randrange({0}, {1})",
    ("nextDouble", 0): "{o}.random()", ("nextBoolean", 0): "{o}.random() < 0.5",
    ("nextLong", 0): "{o}.getrandbits(63)",
}  # fmt: skip


def of(held: str) -> list[Table]:
    """Return the tables of a type, those that count first at the beginning."""
    found: list[Table] = []
    if held in QUEUES:
        found.append(dict(OF_QUEUES))
    if held in SORTED_SETS:
        found.append({key: made for key, made in OF_QUEUES.items() if key[0].startswith("poll")})
    if held in TEXTS:
        found.append(dict(OF_TEXTS))
    if held in SETS:
        found.append(dict(OF_SETS))
    if held in LISTS:
        found.append(dict(OF_LISTS))
    if held in COUNTERS:
        found.append(dict(OF_COUNTERS))
    if held == "Iterator":
        found.append(dict(OF_ITERATORS))
    if held == "Random":
        found.append(dict(OF_RANDOMS))
    if held in SORTED_MAPS:
        found.append(dict(OF_SORTED_MAPS))
    if held in MAPS:
        found.append(dict(OF_MAPS))
    return found
