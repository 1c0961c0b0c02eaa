"""Java's streams over collections as comprehensions of Python."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting import comparators
from millstream.porting.drafting.comparators import applied, as_item, free_item
from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.generics import element
from millstream.porting.drafting.kinds import LISTS, kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import inner, text

TO_MAP = '''
def to_map(pairs, merge=None):
    """Return a dict of pairs; a key that comes twice is merged, or refused, as in Java."""
    made = {}
    for key, value in pairs:
        if key in made and merge is None:
            raise IllegalStateException(f"Duplicate key {key}")
        made[key] = merge(made[key], value) if key in made else value
    return made
'''
GROUPED_BY = '''
def grouped_by(pairs):
    """Return a dict with the list of the values that each key has."""
    made = {}
    for key, value in pairs:
        made.setdefault(key, []).append(value)
    return made
'''
STEPS = (
    "map", "filter", "mapToInt", "mapToLong", "mapToDouble", "boxed", "mapToObj", "distinct",
    "sorted", "limit", "skip", "flatMap",
)  # fmt: skip
ENDS = ("collect", "toList", "count", "sum", "anyMatch", "allMatch", "noneMatch", "toArray",
        "reduce")  # fmt: skip
COUNTED = [f"{each}Stream.range{to}" for each in ("Int", "Long") for to in ("", "Closed")]
SUMS = ("summingInt", "summingLong", "summingDouble")
# What gives an Optional.
FOUND = ("findFirst", "findAny", "max", "min")
ASKED = {"orElse": 1, "get": 0, "orElseThrow": 0, "getAsInt": 0, "getAsLong": 0, "getAsDouble": 0}


def comprehension(node: Node, context: Context) -> str | None:
    """Return ``x.stream().map(f).collect(...)`` as a comprehension; None if it is none."""
    method = text(node.child_by_field_name("name"))
    held = node.child_by_field_name("object")
    found = text(held.child_by_field_name("name")) if held is not None else ""
    if found in FOUND and method in ASKED and held is not None:
        return _asked(node, held, method, context)
    if method not in (*ENDS, *FOUND):
        return None
    return _chained(node, method, held, context)


def iterated(node: Node, context: Context) -> str | None:
    """Return what ``x.stream().map(f).forEach(g)`` goes through, without its end; None for others.

    Args:
        node: What ``forEach`` is called on.
        context: The draft.
    """
    steps = text(node.child_by_field_name("name")) in STEPS
    return _chained(node, "forEach", node, context) if steps else None


def _chained(node: Node, method: str, held: Node | None, context: Context) -> str | None:
    steps: list[Node] = []
    while held is not None and held.type == "method_invocation":
        name = text(held.child_by_field_name("name"))
        source = _source(held, name, context)
        if source is not None:
            of = held if name.startswith("range") else held.child_by_field_name("object")
            known = element(kind(of, context))
            return _made(node, method, (source, known), list(reversed(steps)), context)
        if name not in STEPS:
            return None
        steps.append(held)
        held = held.child_by_field_name("object")
    return None


def counted(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``IntStream.range(start, end)``, also with its end."""
    if len(nodes) != 2:
        return None
    start, end = (context.express(each) for each in nodes)
    closed = text(node.child_by_field_name("name")) == "rangeClosed"
    return f"range({start}, {tightened(end)} + 1)" if closed else f"range({start}, {end})"


def _asked(node: Node, held: Node, method: str, context: Context) -> str | None:
    """Return what is made of the Optional that a stream gives: its value, or another one."""
    given, made = inner(node.child_by_field_name("arguments")), comprehension(held, context)
    if made is None or len(given) != ASKED[method]:
        return None
    chained = node.parent is not None and node.parent.child_by_field_name("object") == node
    if chained and ".items()" in made:
        raise UntranslatedError(node, "an entry of a map is a pair")
    without = ", default=None)" if made.endswith(", default=None)") else ", None)"
    if method == "orElse":
        named = "default=" if "default" in without else ""
        return f"{made.removesuffix(without)}, {named}{context.express(given[0])})"
    context.helpers.add("required")
    return f"required({made})"


def _source(node: Node, name: str, context: Context) -> str | None:
    held, given = node.child_by_field_name("object"), inner(node.child_by_field_name("arguments"))
    if held is None:
        return None
    if name == "stream" and not given:
        return context.express(held)
    if f"{text(held)}.{name}" in COUNTED:
        return context.express(node)
    if text(held) in ("Arrays", "Stream") and name in ("stream", "of"):
        made = [context.express(each) for each in given]
        whole = name == "stream" or (len(made) == 1 and kind(given[0], context).endswith("[]"))
        return made[0] if whole and len(made) == 1 else f"[{', '.join(made)}]"
    return None


def _made(node: Node, method: str, of: tuple[str, str], steps: list[Node], context: Context) -> str:
    item, source = free_item(context), of[0]
    value, loops, held = item, source, of[1] or ("Entry" if source.endswith(".items()") else "")
    tests: list[str] = []
    for step in steps:
        name = text(step.child_by_field_name("name"))
        given = inner(step.child_by_field_name("arguments"))
        if name in ("distinct", "sorted", "limit", "skip"):
            whole = loops
            if value != item or tests:
                whole, held = (
                    f"[{value} for {item} in {loops}{_where(tests)}]",
                    held * (value == item),
                )
            tests, value = [], item
            loops = _shifted(name, whole, given, (item, held), context)
            continue
        if not given:
            continue
        if value != item:
            # What follows is about the new value: a comprehension of a comprehension.
            loops, tests, value = f"[{value} for {item} in {loops}{_where(tests)}]", [], item
        if name == "flatMap":
            more = _flattened(given[0], item, held, context)
            part = f"{item}_in"
            loops = f"[{part} for {item} in {loops}{_where(tests)} for {part} in {more}]"
            tests, held = [], ""
            continue
        made = applied(given[0], item, held, context)
        if name == "filter":
            tests.append(made)
        else:
            value, held = f"float({made})" if name == "mapToDouble" else made, ""
    if method == "forEach":
        plain = value == item and not tests
        return loops if plain else f"({value} for {item} in {loops}{_where(tests)})"
    if value != item and method in ("anyMatch", "allMatch", "noneMatch", "max", "min"):
        loops, tests, value = f"[{value} for {item} in {loops}{_where(tests)}]", [], item
    return _ended(node, method, value, (item, held), f"{loops}{_where(tests)}", context)


def _flattened(function: Node, item: str, held: str, context: Context) -> str:
    """Return what a function of ``flatMap`` gives for an item, as something to loop over.

    Raises:
        UntranslatedError: It is no stream over a collection.
    """
    if function.type == "method_reference":
        parts = [text(each) for each in inner(function)]
        if parts[-1:] == ["stream"] and parts[0] in (*LISTS, "Arrays"):
            return item
        raise UntranslatedError(function)
    body = function.child_by_field_name("body")
    declared = function.child_by_field_name("parameters")
    if body is None or declared is None or body.type != "method_invocation":
        raise UntranslatedError(function)
    with as_item(declared, item, held, context):
        source = _source(body, text(body.child_by_field_name("name")), context)
        made = iterated(body, context) if source is None else source
    if made is None:
        raise UntranslatedError(function)
    return tightened(made)


def _shifted(
    name: str, whole: str, given: list[Node], item: tuple[str, str], context: Context
) -> str:
    """Return a step that gives the same values in another order, or fewer of them."""
    if name == "distinct":
        return f"dict.fromkeys({whole})"
    if name == "sorted":
        node = given[0] if given else None
        if node is not None:
            comparators.typed(node, item[1], context)
        key, reverse = comparators.order(
            node, lambda function: applied(function, *item, context), item[0], context
        )
        return f"sorted({whole}{comparators.arguments(key, reverse=reverse)})"
    context.use("itertools", "islice")
    rest = ", None" if name == "skip" else ""
    return f"islice({whole}, {context.express(given[0])}{rest})"


def _where(tests: list[str]) -> str:
    return f" if {' and '.join(tests)}" if tests else ""


def _ended(
    node: Node, method: str, value: str, item: tuple[str, str], loops: str, context: Context
) -> str:
    given = inner(node.child_by_field_name("arguments"))
    body = f"{value} for {item[0]} in {loops}"
    if method in ("anyMatch", "allMatch", "noneMatch"):
        test = applied(given[0], *item, context)
        found = f"{'all' if method == 'allMatch' else 'any'}({test} for {item[0]} in {loops})"
        return f"not {found}" if method == "noneMatch" else found
    if method == "reduce" and len(given) == 2:
        context.use("functools")
        start, function = context.express(given[0]), context.express(given[1])
        return f"functools.reduce({function}, ({body}), {start})"
    if method == "count":
        return f"sum(1 for {item[0]} in {loops})"
    if method in ("findFirst", "findAny"):
        return f"next(({body}), None)"
    if method in ("max", "min"):
        node_ = given[0] if given else None
        key, reverse = comparators.order(
            node_, lambda function: applied(function, *item, context), item[0], context
        )
        way = method if not reverse else {"max": "min", "min": "max"}[method]
        return f"{way}(({body}){comparators.arguments(key)}, default=None)"
    if method == "sum":
        return f"sum(({body}), 0.0)" if value.startswith("float(") else f"sum({body})"
    collector = text(given[0]).removeprefix("Collectors.") if given else "toList()"
    if collector.startswith(("toList", "toUnmodifiableList")) or method == "toArray":
        return f"[{body}]"
    if collector.startswith(("toSet", "toUnmodifiableSet")):
        return "{" + body + "}"
    if collector.startswith("toCollection("):
        return _collected(given[0], body, context)
    if collector.startswith(("toMap(", "groupingBy(")):
        return _as_map(given[0], value, item, loops, context)
    between = inner(given[0].child_by_field_name("arguments")) if given else []
    if collector.startswith("joining") and len(between) == 3:
        with_, start, end = (tightened(context.express(each)) for each in between)
        return f"({start} + {with_}.join({body}) + {end})"
    if collector.startswith("joining") and len(between) < 2:
        with_ = context.express(between[0]) if between else '""'
        return f"{with_}.join({body})"
    raise UntranslatedError(node)


def _collected(collector: Node, body: str, context: Context) -> str:
    """Return ``toCollection(TreeSet::new)``: the collection that is named, made of a stream."""
    made = context.express(inner(collector.child_by_field_name("arguments"))[0])
    if made not in ("list", "set", "TreeSet"):
        raise UntranslatedError(collector)
    return f"{made}({body})"


def _as_map(
    collector: Node, value: str, item: tuple[str, str], loops: str, context: Context
) -> str:
    """Return a stream that is collected by keys."""
    helper = "to_map" if text(collector.child_by_field_name("name")) == "toMap" else "grouped_by"
    given = inner(collector.child_by_field_name("arguments"))
    below = text(given[1].child_by_field_name("name")) if len(given) == 2 else ""
    summed = helper == "grouped_by" and (below in SUMS or below == "counting")
    if not summed and len(given) not in ((2, 3) if helper == "to_map" else (1,)):
        raise UntranslatedError(collector)
    if value != item[0]:
        loops, item = f"[{value} for {item[0]} in {loops}]", (item[0], "")
    key = applied(given[0], *item, context)
    if summed:
        each = "1"
        if below != "counting":
            each = applied(inner(given[1].child_by_field_name("arguments"))[0], *item, context)
            each = f"float({each})" if below == "summingDouble" else each
        context.helpers.add("to_map")
        context.use("millstream", "IllegalStateException")
        return f"to_map((({key}, {each}) for {item[0]} in {loops}), lambda a, b: a + b)"
    held = applied(given[1], *item, context) if helper == "to_map" else item[0]
    merge = f", {context.express(given[2])}" if len(given) == 3 else ""
    context.helpers.add(helper)
    if helper == "to_map":
        context.use("millstream", "IllegalStateException")
    return f"{helper}((({key}, {held}) for {item[0]} in {loops}){merge})"
