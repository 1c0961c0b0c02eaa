"""Methods that change a collection of Java by a function: ``removeIf``, ``merge``, ``compute``."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.generics import NamedType, element
from millstream.porting.drafting.kinds import LISTS, MAPS, kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import bare, inner, line, text

REMOVE_IF = '''
def remove_if(held, test, part=""):
    """Remove what a test is true of; of a dict by its keys, its values, or its pairs."""
    of_dict = isinstance(held, dict)
    pairs = list(held.items()) if of_dict else [(each, each) for each in held]
    at = {"keySet": 0, "values": 1}.get(part) if of_dict else 0
    gone = [test(pair if at is None else pair[at]) for pair in pairs]
    kept = [pair for pair, goes in zip(pairs, gone) if not goes]
    if not any(gone):
        return False
    if isinstance(held, list):
        held[:] = [key for key, value in kept]
    else:
        held.clear()
        held.update(kept if of_dict else [key for key, value in kept])
    return True
'''
MERGED = '''
def merged(held, key, value, function):
    """Give a key of a dict a value, or what a function makes of the old and the new one."""
    return computed(held, key, lambda key, old: value if old is None else function(old, value))
'''
COMPUTED = '''
def computed(held, key, function, present=False):
    """Give a key of a dict what a function makes of its value, none for None, as Java does."""
    old = held.get(key)
    new = None if present and old is None else function(key, old)
    if new is None:
        held.pop(key, None)
    else:
        held[key] = new
    return new
'''
MADE_IF_ABSENT = '''
def made_if_absent(held, key, function):
    """Return the value of a key of a dict; where it has none, it gets what a function makes."""
    if held.get(key) is None:
        new = function(key)
        if new is None:
            return None
        held[key] = new
    return held[key]
'''
OF_PARTS = ("entrySet", "keySet", "values")


def _is_own(method: str, context: Context) -> bool:
    return any(method in shape.methods for shape in context.all_known())


def _typed(function: Node, types: list[str], context: Context) -> None:
    """Note the types of the parameters of a lambda."""
    declared = function.child_by_field_name("parameters")
    if function.type != "lambda_expression" or declared is None:
        return
    names = [declared] if declared.type == "identifier" else inner(declared)
    for each, known in zip(names, types, strict=False):
        if known:
            context.parameters[line(function), text(each)] = known


def _types(held: str) -> list[str]:
    return list(held.inside) if isinstance(held, NamedType) and len(held.inside) == 2 else ["", ""]


def remove_if(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``x.removeIf(test)``, also of the keys, values or entries of a map."""
    known, part = kind(receiver, context), ""
    if len(nodes) != 1 or (known not in LISTS and (known or _is_own("removeIf", context))):
        return None
    held: Node | None = receiver
    if receiver.type == "method_invocation":
        name = text(receiver.child_by_field_name("name"))
        of = receiver.child_by_field_name("object")
        if name in OF_PARTS and of is not None:
            held, part = of, name
    if held is None:
        return None
    _typed(nodes[0], [element(known) or ("Entry" if part == "entrySet" else "")], context)
    given = [context.express(held), context.express(nodes[0]), f'"{part}"']
    context.helpers.add("remove_if")
    return f"remove_if({', '.join(given if part else given[:2])})"


def merge(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``map.merge(key, value, function)``."""
    known = kind(receiver, context)
    if len(nodes) != 3 or (known not in MAPS and (known or _is_own("merge", context))):
        return None
    value = _types(known)[1]
    _typed(nodes[2], [value, value], context)
    context.helpers.update(("merged", "computed"))
    given = [context.express(each) for each in (receiver, *nodes)]
    return f"merged({', '.join(given)})"


def compute(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``map.compute(key, function)``, and that which is for keys with a value only."""
    known, method = kind(receiver, context), text(node.child_by_field_name("name"))
    if len(nodes) != 2 or (known not in MAPS and (known or _is_own(method, context))):
        return None
    _typed(nodes[1], _types(known), context)
    context.helpers.add("computed")
    given = ", ".join(context.express(each) for each in (receiver, *nodes))
    return f"computed({given}{', present=True' if method == 'computeIfPresent' else ''})"


def compute_if_absent(
    node: Node, receiver: Node, nodes: list[Node], context: Context
) -> str | None:
    """Return ``setdefault`` where the new value is an empty object, which nobody misses."""
    if _is_own("computeIfAbsent", context):
        return None
    if len(nodes) != 2:
        raise UntranslatedError(node)
    body = nodes[1].child_by_field_name("body")
    made = bare(body) if body is not None else None
    plain = made is not None and made.type == "object_creation_expression"
    if made is not None and plain and not inner(made.child_by_field_name("arguments")):
        key, value = context.express(nodes[0]), context.express(made)
        return f"{tightened(context.express(receiver))}.setdefault({key}, {value})"
    _typed(nodes[1], _types(kind(receiver, context))[:1], context)
    context.helpers.add("made_if_absent")
    given = [context.express(each) for each in (receiver, *nodes)]
    return f"made_if_absent({', '.join(given)})"


def map_of(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str:
    """Return ``Map.of(key, value, ...)``."""
    if len(nodes) % 2:
        raise UntranslatedError(node)
    given = [context.express(each) for each in nodes]
    pairs = [f"{key}: {value}" for key, value in zip(given[::2], given[1::2], strict=True)]
    return "{" + ", ".join(pairs) + "}"


def set_of(node: Node, receiver: Node, nodes: list[Node], context: Context) -> str | None:
    """Return ``Set.of()`` as an empty set; ``{}`` would be a dict."""
    return None if nodes else "set()"
