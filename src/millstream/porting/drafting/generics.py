"""Types between the angle brackets of a Java type, and which of them its methods give."""

from __future__ import annotations


class NamedType(str):
    """The simple name of a type, with the simple types between its angle brackets."""

    inside: tuple[str, ...] = ()


# By class and method: which of the types inside a method gives.
OF_MAPS = dict.fromkeys(
    ("get", "getOrDefault", "remove", "put", "putIfAbsent", "merge", "compute", "computeIfAbsent",
     "computeIfPresent"), 1
)  # fmt: skip
OF_ENTRIES = {"getKey": 0, "getValue": 1, "key": 0, "value": 1}
OF_LISTS = dict.fromkeys(
    ("get", "getFirst", "getLast", "poll", "peek", "pop", "pollFirst", "pollLast", "peekFirst",
     "peekLast", "next", "element", "first", "last", "floor", "ceiling", "lower", "higher",
     "pollFirst", "orElse", "orElseGet", "orElseThrow"), 0
)  # fmt: skip
# Of maps that sort, before Key or Entry.
OF_NEAR = ("first", "last", "pollFirst", "pollLast", "floor", "lower", "ceiling", "higher")
MAPS = ("Map", "HashMap", "TreeMap", "LinkedHashMap", "ConcurrentHashMap", "ConcurrentMap",
        "SortedMap", "NavigableMap", "ConcurrentSkipListMap", "EnumMap")  # fmt: skip
ENTRIES = ("Entry", "KeyValue", "Record", "ValueAndTimestamp")
HOLDING = (
    "List", "ArrayList", "LinkedList", "Collection", "Set", "HashSet", "TreeSet", "Queue", "Deque",
    "ArrayDeque", "PriorityQueue", "SortedSet", "NavigableSet", "ConcurrentLinkedQueue",
    "ConcurrentLinkedDeque", "Iterator", "Iterable", "Optional", "Supplier", "LinkedHashSet",
)  # fmt: skip
STORES = ("KeyValueStore", "ReadOnlyKeyValueStore")
FUNCTIONS = {"Function": -1, "BiFunction": -1, "UnaryOperator": 0, "BinaryOperator": 0}
ITERATORS = ("KeyValueIterator",)


def _at(held: NamedType, index: int) -> str:
    made = held.inside[index] if index < len(held.inside) else ""
    return "" if len(made) == 1 else made  # a type variable


def _with(name: str, *inside: str) -> NamedType:
    made = NamedType(name)
    made.inside = inside
    return made


def counting() -> NamedType:
    """Return the type of a stream of whole numbers that follow each other."""
    return _with("Iterable", "int")


def given_by(held: str, method: str) -> str:
    """Return the type that a method, or a field of a pair, gives; "" if it is not known."""
    if not isinstance(held, NamedType) or not held.inside:
        return ""
    if held in MAPS:
        if method in ("entrySet", "keySet", "values"):
            entry = _with("Entry", _at(held, 0), _at(held, 1))
            whole = {"entrySet": entry, "keySet": _at(held, 0), "values": _at(held, 1)}[method]
            return _with("Collection" if method == "values" else "Set", whole)
        if method.endswith("Entry") and method.removesuffix("Entry") in OF_NEAR:
            return _with("Entry", *held.inside)
        if method in ("headMap", "tailMap", "subMap"):
            return held
        if method.endswith("Key") and method.removesuffix("Key") in OF_NEAR:
            return _at(held, 0)
        return _at(held, OF_MAPS[method]) if method in OF_MAPS else ""
    if held in FUNCTIONS and method == "apply":
        return _at(held, FUNCTIONS[held] % len(held.inside))
    if held in ENTRIES and method in OF_ENTRIES:
        return _at(held, OF_ENTRIES[method] if len(held.inside) > 1 else 0)
    if held in HOLDING:
        if method == "iterator":
            return _with("Iterator", *held.inside)
        return _at(held, OF_LISTS[method]) if method in OF_LISTS else ""
    if held in STORES:
        if method in ("all", "range"):
            return _with("KeyValueIterator", *held.inside)
        return _at(held, 1) if method in ("get", "delete", "putIfAbsent") else ""
    return _with("KeyValue", *held.inside) if held in ITERATORS and method == "next" else ""


def element(held: str) -> str:
    """Return the type of what a loop over something gets; "" if it is not known."""
    if held.endswith("[]"):
        return held.removesuffix("[]")
    if isinstance(held, NamedType) and held in ITERATORS:
        return _with("KeyValue", *held.inside)
    return _at(held, 0) if isinstance(held, NamedType) and held in HOLDING else ""
