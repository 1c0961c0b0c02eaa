"""Collections that sort, as classes that stand in a draft, and classes with an order."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting import comparators
from millstream.porting.drafting.context import ClassShape, Context, UntranslatedError
from millstream.porting.drafting.kinds import LISTS, MAPS, WHOLE, kind, simple
from millstream.porting.reading.nodes import inner, text

ORDER_BY = '''
def order_by(key, reverse):
    """Return the function by whose values a collection sorts."""
    of = key or (lambda each: each)
    down = functools.cmp_to_key(lambda a, b: (a < b) - (a > b))
    return (lambda each: down(of(each))) if reverse else of
'''
TREE_SET = '''
class TreeSet(list):
    """A set in the order of its elements, as Java's TreeSet: what compares as equal is one."""

    def __init__(self, values=(), key=None, reverse=False):
        super().__init__()
        self.by = order_by(key, reverse)
        self.update(values)

    def place(self, value):
        at = bisect.bisect_left(self, self.by(value), key=self.by)
        return at, at < len(self) and not self.by(value) < self.by(self[at])

    def near(self, value, step, skips):
        at, found = self.place(value)
        at += step + (found and skips)
        return self[at] if 0 <= at < len(self) else None

    def __contains__(self, value):
        return self.place(value)[1]

    def add(self, value):
        at, found = self.place(value)
        if not found:
            self.insert(at, value)

    def remove(self, value):
        at, found = self.place(value)
        if found:
            self.pop(at)

    def update(self, values):
        for each in values:
            self.add(each)

    def difference_update(self, values):
        for each in list(values):
            self.remove(each)

    def intersection_update(self, values):
        self[:] = [each for each in self if each in values]

    def floor(self, value):
        return self.near(value, -1, True)

    def lower(self, value):
        return self.near(value, -1, False)

    def ceiling(self, value):
        return self.near(value, 0, False)

    def higher(self, value):
        return self.near(value, 0, True)
'''
TREE_MAP = '''
class TreeMap(dict):
    """A dict in the order of its keys, as Java's TreeMap."""

    def __init__(self, values=(), key=None, reverse=False):
        super().__init__()
        self.order, self.whole = TreeSet((), key, reverse), None
        self.update(values)

    def own(self, key):
        at, found = self.order.place(key)
        return self.order[at] if found else key

    def plain(self):
        return {key: super(TreeMap, self).__getitem__(key) for key in self.order}

    def __iter__(self):
        return iter(list(self.order))

    def __contains__(self, key):
        return key in self.order

    def __getitem__(self, key):
        return super().__getitem__(self.own(key))

    def __setitem__(self, key, value):
        super().__setitem__(self.own(key), value)
        self.order.add(key)
        if self.whole is not None:
            self.whole[key] = value

    def get(self, key, other=None):
        return super().get(self.own(key), other)

    def setdefault(self, key, value):
        if self.get(key) is None:
            self[key] = value
        return self[key]

    def pop(self, key, other=None):
        value = super().pop(self.own(key), other)
        self.order.remove(key)
        if self.whole is not None:
            self.whole.pop(key)
        return value

    def update(self, values):
        for key, value in dict(values).items():
            self[key] = value

    def clear(self):
        for key in list(self.order):
            self.pop(key)

    def keys(self):
        return self.plain().keys()

    def values(self):
        return self.plain().values()

    def items(self):
        return self.plain().items()

    def pair(self, key, found=True):
        return (key, self[key]) if found and key is not None else None

    def part(self, keys):
        made = TreeMap()
        made.order.by = self.order.by
        made.update({key: self[key] for key in keys})
        made.whole = self
        return made

    def headMap(self, to, inclusive=False):
        at, found = self.order.place(to)
        return self.part(self.order[: at + (found and inclusive)])

    def tailMap(self, start, inclusive=True):
        at, found = self.order.place(start)
        return self.part(self.order[at + (found and not inclusive) :])

    def subMap(self, start, to):
        return self.part(self.order[self.order.place(start)[0] : self.order.place(to)[0]])

    def descendingMap(self):
        return dict(reversed(self.plain().items()))

    def firstKey(self):
        return self.order[0]

    def lastKey(self):
        return self.order[-1]

    def firstEntry(self):
        return self.pair(self.order[0]) if self else None

    def lastEntry(self):
        return self.pair(self.order[-1]) if self else None

    def pollFirstEntry(self):
        return (self.order[0], self.pop(self.order[0])) if self else None

    def pollLastEntry(self):
        return (self.order[-1], self.pop(self.order[-1])) if self else None

    def floorKey(self, key):
        return self.order.floor(key)

    def lowerKey(self, key):
        return self.order.lower(key)

    def ceilingKey(self, key):
        return self.order.ceiling(key)

    def higherKey(self, key):
        return self.order.higher(key)

    def floorEntry(self, key):
        return self.pair(self.order.floor(key))

    def lowerEntry(self, key):
        return self.pair(self.order.lower(key))

    def ceilingEntry(self, key):
        return self.pair(self.order.ceiling(key))

    def higherEntry(self, key):
        return self.pair(self.order.higher(key))
'''
PRIORITY_QUEUE = '''
class PriorityQueue(list):
    """A heap as Java's PriorityQueue: the smallest is the first, the others stand as there."""

    def __init__(self, key=None, reverse=False):
        super().__init__()
        self.by = order_by(key, reverse)

    def append(self, value):
        super().append(value)
        self.up(len(self) - 1, value)

    def up(self, at, value):
        while at and self.by(value) < self.by(self[(at - 1) // 2]):
            self[at] = self[(at - 1) // 2]
            at = (at - 1) // 2
        self[at] = value

    def down(self, at, value):
        while at < len(self) // 2:
            child = 2 * at + 1
            if child + 1 < len(self) and self.by(self[child + 1]) < self.by(self[child]):
                child += 1
            if not self.by(self[child]) < self.by(value):
                break
            self[at], at = self[child], child
        self[at] = value

    def pop(self, at=0):
        value, last = self[at], super().pop()
        if at < len(self):
            self.down(at, last)
            if self[at] is last:
                self.up(at, last)
        return value

    def remove(self, value):
        self.pop(self.index(value))
'''
HELPERS = {
    "TreeMap": TREE_MAP, "TreeSet": TREE_SET, "PriorityQueue": PRIORITY_QUEUE,
    "order_by": ORDER_BY,
}  # fmt: skip
CLASSES = {
    "TreeMap": "TreeMap", "ConcurrentSkipListMap": "TreeMap", "EnumMap": "TreeMap",
    "TreeSet": "TreeSet",
    "ConcurrentSkipListSet": "TreeSet", "PriorityQueue": "PriorityQueue",
}  # fmt: skip


def helper(made: str, node: Node, context: Context) -> str:
    """Return the class that stands in a draft for one of Java's that sorts; "" for no such one.

    Raises:
        UntranslatedError: One that keeps its order.
    """
    if made in context.shapes:
        return ""
    if made == "LinkedHashSet":
        raise UntranslatedError(node, "it keeps its order; the keys of a dict do")
    name = CLASSES.get(made, "")
    if name:
        context.helpers.update((name, "order_by"))
        context.use("functools")
        if name != "PriorityQueue":
            context.helpers.add("TreeSet")
            context.use("bisect")
    return name


def created(name: str, node: Node, context: Context) -> str:
    """Return a new collection that sorts: by nature, by a comparator, or of what another one has.

    Raises:
        UntranslatedError: A comparator that has no simple counterpart.
    """
    given = inner(node.child_by_field_name("arguments"))
    given = [each for each in given if kind(each, context) not in WHOLE]
    given = [each for each in given if each.type != "class_literal"]  # of an EnumMap
    if not given:
        return f"{name}()"
    if kind(given[0], context) in (*MAPS, *LISTS):
        if name == "PriorityQueue":
            raise UntranslatedError(node)
        return f"{name}({context.express(given[0])})"
    item = comparators.free_item(context)
    held = _inside(node)
    key, reverse = comparators.order(
        given[0], lambda one: comparators.applied(one, item, held, context), item, context
    )
    return f"{name}({comparators.arguments(key, reverse=reverse).removeprefix(', ')})"


def enum_set(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``EnumSet.of(...)`` and its like: an enum of a draft has an order."""
    helper("TreeSet", node, context)
    given = [context.express(each) for each in nodes]
    which = text(node.child_by_field_name("name"))
    if which == "noneOf":
        return "TreeSet()"
    return f"TreeSet({given[0]})" if which == "allOf" else f"TreeSet([{', '.join(given)}])"


def _inside(node: Node) -> str:
    """Return the type of what a collection sorts by, from its constructor or its variable."""
    around = node.parent.parent if node.parent is not None else None
    for each in (node, around):
        declared = None if each is None else each.child_by_field_name("type")
        inside = getattr(simple(declared), "inside", ())
        if inside:
            return str(inside[0])
    return ""


def less(shape: ClassShape) -> list[str]:
    """Return what sorted(), min() and max() ask of objects that Java can compare.

    What a loop asks of one that gives an iterator, too.
    """
    if "iterator" in shape.methods and "Iterable" in shape.interfaces:
        return [
            "",
            "def __iter__(self):",
            "    each = self.iterator()",
            "    while each.hasNext():",
            "        yield each.next()",
        ]
    if not shape.enum and ("compareTo" not in shape.methods or "compareTo" in shape.abstract):
        return []
    order = "self.compareTo(other) < 0"
    if shape.enum:
        order = "list(type(self)).index(self) < list(type(self)).index(other)"
    return ["", "def __lt__(self, other):", f"    return {order}"]
