"""Java's comparators as what sorted(), max() and list.sort() of Python take."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tree_sitter import Node

from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.generics import element
from millstream.porting.drafting.kinds import LISTS, kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import bare, inner, line, text

FUNCTIONS = ("method_reference", "lambda_expression")
COMPARING = ("comparing", "comparingInt", "comparingLong", "comparingDouble")
OF_ENTRIES = {"comparingByKey": "[0]", "comparingByValue": "[1]"}
# A key of an item; "" for the item itself.
Key = Callable[[Node], str]


def order(node: Node | None, key_of: Key, item: str, context: Context) -> tuple[str, bool]:
    """Return the key that a comparator compares by, and whether the largest one comes first.

    Args:
        node: The comparator; None for the natural order.
        key_of: Applies a function of one value to the item.
        item: The variable of a value.
        context: The draft.

    Raises:
        UntranslatedError: It is a comparator that has a name, or one of several orders.
    """
    if node is None or node.type == "null_literal":
        return "", False
    node = bare(node)
    if node.type in FUNCTIONS:
        context.use("functools", "cmp_to_key")
        return f"cmp_to_key({context.express(node)})", False
    own = any("Comparator" in each.interfaces for each in context.all_known())
    if node.type == "identifier" and kind(node, context) == "Comparator" and not own:
        context.use("functools", "cmp_to_key")
        return f"cmp_to_key({context.express(node)})", False
    held, name = node.child_by_field_name("object"), text(node.child_by_field_name("name"))
    given = inner(node.child_by_field_name("arguments"))
    if text(held) in ("Comparator", "Collections") and name in ("naturalOrder", "reverseOrder"):
        if not given:
            return "", name == "reverseOrder"
    elif text(held) == "Comparator" and name in COMPARING and len(given) == 1:
        return f"lambda {item}: {key_of(given[0])}", False
    elif text(held).endswith("Entry") and name in OF_ENTRIES:
        first = order(given[0], key_of, item, context) if given else ("", False)
        if not first[0]:
            return f"lambda {item}: {item}{OF_ENTRIES[name]}", first[1]
    elif name == "reversed" and held is not None and not given:
        key, reverse = order(held, key_of, item, context)
        return key, not reverse
    elif name.startswith("thenComparing") and held is not None and len(given) == 1:
        key, reverse = order(held, key_of, item, context)
        start = f"lambda {item}: "
        if key.startswith(start) and not reverse and given[0].type in FUNCTIONS:
            return f"{start}({key.removeprefix(start)}, {key_of(given[0])})", False
    raise UntranslatedError(node, "a comparator that has no simple counterpart")


def arguments(key: str, *, reverse: bool = False) -> str:
    """Return the arguments of sorted(), max() or list.sort(), with a comma before them."""
    return (f", key={key}" if key else "") + (", reverse=True" if reverse else "")


def typed(function: Node, held: str, context: Context) -> None:
    """Note the type of what a comparator compares."""
    declared = function.child_by_field_name("parameters")
    if function.type == "lambda_expression" and declared is not None and held:
        for each in inner(declared):
            context.parameters[line(function), text(each)] = held


def sort(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``list.sort(comparator)`` or ``Collections.sort(list, comparator)``."""
    static = text(receiver) == "Collections"
    if static and not nodes:
        return None
    held = nodes[0] if static else receiver
    rest = nodes[1:] if static else nodes
    known = kind(held, context)
    if len(rest) > 1 or (not static and (not rest or known not in LISTS)):
        return None
    if rest:
        typed(rest[0], element(known), context)
    item = free_item(context)
    found = order(
        rest[0] if rest else None,
        lambda function: applied(function, item, element(known), context),
        item,
        context,
    )
    given = arguments(found[0], reverse=found[1]).removeprefix(", ")
    return f"{tightened(context.express(held))}.sort({given})"


def free_item(context: Context) -> str:
    """Return a variable that nothing around has: streams may stand within streams."""
    taken, number, name = set(context.items.values()), 1, "each"
    while name in taken or context.local(name) is not None:
        number += 1
        name = f"each_{number}"
    return name


@contextmanager
def as_item(declared: Node, item: str, held: str, context: Context) -> Iterator[None]:
    """Let a function's only parameter be a variable of the type that is known."""
    names = [declared] if declared.type == "identifier" else inner(declared)
    java = text(names[0].child_by_field_name("name") or names[0])
    before = context.items
    try:
        context.items = {**before, java: item}
        with context.scope():
            context.declare(java, held)
            yield
    finally:
        context.items = before


def applied(function: Node, item: str, held: str, context: Context) -> str:
    """Return a function of one value, applied to a variable of the type that is known."""
    body = function.child_by_field_name("body")
    declared = function.child_by_field_name("parameters")
    if function.type == "lambda_expression" and body is not None and declared is not None:
        if body.type == "block":
            raise UntranslatedError(function)
        with as_item(declared, item, held, context):
            made = context.express(body)
        return tightened(made) if body.type in ("ternary_expression", "lambda_expression") else made
    if held == "Entry" and text(function).startswith(("Map.Entry::get", "Entry::get")):
        return f"{item}[{0 if text(function).endswith('Key') else 1}]"
    made = context.express(function)
    if made.startswith("lambda it: "):
        return re.sub(r"\bit\b", item, made.removeprefix("lambda it: "))
    if made.startswith("str."):
        return f"{item}.{made.removeprefix('str.')}()"
    return f"{tightened(made)}({item})"
