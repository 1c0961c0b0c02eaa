"""Methods of Java's own classes, and of all enums, that a method reference gives to another one."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting import enums, library, words
from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.kinds import LISTS, MAPS, TEXTS, simple
from millstream.porting.drafting.names import class_reference
from millstream.porting.reading.nodes import inner


def referred(node: Node, owner: str, method: str, context: Context) -> str | None:
    """Return ``String::strip`` or ``Level::ordinal`` as a function; None if it is of neither.

    Raises:
        UntranslatedError: A method of Java's that has no counterpart.
    """
    shape = context.known(owner)
    if shape is not None:
        if not shape.enum or method in shape.methods | shape.static_methods:
            return None
        name = class_reference(shape.name, context)
        others = {
            "name": f"lambda it: it.{enums.name_of(shape)}",
            "toString": "lambda it: str(it)",
            "ordinal": f"lambda it: list({name}).index(it)",
            "valueOf": f"lambda it: {name}[it]",
        }
        return others.get(method)
    if owner not in words.TYPES and owner not in words.JDK:
        return None
    made = _pattern(owner, method, context)
    if made is not None:
        return made
    held = {**dict.fromkeys(TEXTS, str), **dict.fromkeys(MAPS, dict), **dict.fromkeys(LISTS, list)}
    if not hasattr(held.get(owner), method):
        raise UntranslatedError(node)
    return None


PLAIN = {
    **dict.fromkeys(("String", "CharSequence"), str),
    **dict.fromkeys(("Map", "HashMap", "LinkedHashMap"), dict),
    **dict.fromkeys(("Set", "HashSet", "LinkedHashSet"), set),
    **dict.fromkeys(("List", "ArrayList", "Collection"), list),
}


def of_object(node: Node, owner: str, held: str, method: str, context: Context) -> str:
    """Return ``known::contains`` of an object that a variable holds.

    Raises:
        UntranslatedError: A method of a collection that has no counterpart.
    """
    if context.known(owner) is None and owner in words.TYPES:
        for names in (("it",), ("a", "b")):
            pattern = library.by_type(owner, method, len(names), context)
            if pattern and pattern not in library.CHANGES:
                return f"lambda {', '.join(names)}: {_written(pattern, names, held, context)}"
        if owner in PLAIN and not hasattr(PLAIN[owner], method):
            raise UntranslatedError(node)
    return f"{held}.{words.method_name(method)}"


def of_literal(literal: Node, method: str, context: Context) -> str:
    """Return ``Ride.class::cast`` or ``Ride.class::isInstance`` as a function.

    Raises:
        UntranslatedError: Another method of a class.
    """
    name = class_reference(simple(inner(literal)[0]), context)
    made = {"cast": "lambda it: it", "isInstance": f"lambda it: isinstance(it, {name})"}
    if method not in made:
        raise UntranslatedError(literal)
    return made[method]


def _pattern(owner: str, method: str, context: Context) -> str | None:
    static = library.STATIC.get(f"{owner}.{method}")
    patterns = [library.by_type(owner, method, count, context) for count in (0, 1)]
    pattern = static or patterns[0] or patterns[1]
    if not pattern or pattern in library.CHANGES:
        return None
    more = "{1}" in pattern if static else pattern != patterns[0]
    names = ("a", "b") if more else ("a",)
    given = names if static else names[1:]
    return f"lambda {', '.join(names)}: {_written(pattern, given, 'a', context)}"


def _written(pattern: str, given: tuple[str, ...], held: str, context: Context) -> str:
    made = pattern.format(*given, all=", ".join(given), o=held)
    for use, module in library.MODULES.items():
        if use in made:
            context.use(module)
    return made
