"""Methods of Java's lists, sets, queues, iterators and atomic values, by functions and classes."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.kinds import LISTS, MAPS, kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.drafting.texts import text_of
from millstream.porting.reading.nodes import text

TAKEN = '''
def taken(held, at=0):
    """Take the first or the last element away, and return it; None if there is none."""
    return held.pop(at) if held else None
'''
REMOVED = '''
def removed(held, value):
    """Remove a value from a list or a set, and tell whether it was there."""
    found = value in held
    if found:
        held.remove(value)
    return found
'''
ITERATING = '''
class Iterating:
    """An iterator of Java's over a list, a set or a part of a dict."""

    def __init__(self, held, part=""):
        self.held, self.at = held, 0
        self.rest = list(getattr(held, part)() if part else held)[::-1]
        self.keys = list(held)[::-1]

    def hasNext(self):
        return bool(self.rest)

    def next(self):
        self.at += 1
        self.key = self.keys.pop()
        return self.rest.pop()

    def remove(self):
        if isinstance(self.held, list):
            self.at -= 1
            self.held.pop(self.at)
        elif isinstance(self.held, dict):
            self.held.pop(self.key)
        else:
            self.held.remove(self.key)
'''
ATOMIC = '''
class Atomic:
    """A value that changes in place, as Java's AtomicInteger and its like."""

    def __init__(self, value=0):
        self.value = value

    def __str__(self):
        return text_of(self.value)

    def get(self):
        return self.value

    def set(self, value):
        self.value = value

    def getAndSet(self, value):
        old, self.value = self.value, value
        return old

    def compareAndSet(self, old, value):
        same = self.value == old
        self.value = value if same else self.value
        return same

    def updateAndGet(self, function):
        self.value = function(self.value)
        return self.value

    def getAndUpdate(self, function):
        return self.getAndSet(function(self.value))

    def addAndGet(self, more):
        self.value += more
        return self.value

    def getAndAdd(self, more):
        return self.addAndGet(more) - more
'''
HELPERS = {"taken": TAKEN, "removed": REMOVED, "Iterating": ITERATING, "Atomic": ATOMIC}
# What each begins with.
COUNTERS = {
    "AtomicInteger": "", "AtomicLong": "", "LongAdder": "", "AtomicBoolean": "False",
    "AtomicReference": "None",
}  # fmt: skip
OF_COUNTERS = {
    **{(each, 0): "{o}.get()" for each in ("get", "sum", "intValue", "longValue", "getPlain")},
    **{(each, 0): "{o}.addAndGet(1)" for each in ("incrementAndGet", "increment")},
    **{(each, 0): "{o}.addAndGet(-1)" for each in ("decrementAndGet", "decrement")},
    ("getAndIncrement", 0): "{o}.getAndAdd(1)", ("getAndDecrement", 0): "{o}.getAndAdd(-1)",
    ("add", 1): "{o}.addAndGet({0})", ("reset", 0): "{o}.set(0)",
    **{(each, 1): f"{{o}}.{each}({{0}})" for each in (
        "set", "getAndSet", "addAndGet", "getAndAdd", "updateAndGet", "getAndUpdate")},
    ("compareAndSet", 2): "{o}.compareAndSet({0}, {1})", ("toString", 0): "str({o})",
}  # fmt: skip
OF_ITERATORS = {
    ("hasNext", 0): "{o}.hasNext()", ("next", 0): "{o}.next()", ("remove", 0): "{o}.remove()",
}  # fmt: skip
PARTS = {"entrySet": "items", "keySet": "keys", "values": "values"}
BY_INDEX = ("List", "ArrayList", "LinkedList")
CHANGING = ("clear", "add", "addAll", "remove", "removeIf", "removeAll", "set", "sort")


def counter(made: str, given: list[str], context: Context) -> str:
    """Return a new atomic value."""
    context.helpers.add("Atomic")
    text_of(context)
    return f"Atomic({', '.join(given) or COUNTERS[made]})"


def iterator(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``x.iterator()`` of a list or a set, or of a part of a map."""
    held, of = kind(receiver, context), receiver.child_by_field_name("object")
    if nodes or held not in LISTS or context.known(held) is not None:
        return None
    context.helpers.add("Iterating")
    part = PARTS.get(text(receiver.child_by_field_name("name")), "")
    if part and of is not None and kind(of, context) in MAPS:
        return f'Iterating({context.express(of)}, "{part}")'
    return f"Iterating({context.express(receiver)})"


def remove(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``x.remove(y)``: by an index of a list, or by a value.

    Raises:
        UntranslatedError: Which of both it is, is not known.
    """
    held = kind(receiver, context)
    if len(nodes) != 1 or held not in LISTS or context.known(held) is not None:
        return None
    given = kind(nodes[0], context)
    made, value = context.express(receiver), context.express(nodes[0])
    if held in BY_INDEX and given in ("int", "short", "byte"):
        return f"{tightened(made)}.pop({value})"
    if held in BY_INDEX and not given:
        raise UntranslatedError(node, "by an index or by a value")
    context.helpers.add("removed")
    return f"removed({made}, {value})"


def part(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``list.subList(from, to)`` where it is only read: in Java it is a view.

    Raises:
        UntranslatedError: It is changed.
    """
    if len(nodes) != 2 or kind(receiver, context) not in BY_INDEX:
        return None
    around = node.parent
    if around is not None and text(around.child_by_field_name("name")) in CHANGING:
        raise UntranslatedError(node, "a part of a list that is changed with it")
    start, end = (context.express(each) for each in nodes)
    return f"{tightened(context.express(receiver))}[{start}:{end}]"
