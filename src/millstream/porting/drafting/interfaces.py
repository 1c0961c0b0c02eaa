"""Functions that are given to a method or kept in a field, where Java has an interface for them."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.kinds import kind
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import inner

# The method of an interface that lambdas implement: a lambda's draft is called itself.
METHODS = {
    "Function": "apply", "BiFunction": "apply", "UnaryOperator": "apply",
    "BinaryOperator": "apply", "ToLongFunction": "applyAsLong", "ToIntFunction": "applyAsInt",
    "ToDoubleFunction": "applyAsDouble", "Supplier": "get", "Consumer": "accept",
    "BiConsumer": "accept", "Predicate": "test", "BiPredicate": "test", "Runnable": "run",
    "Callable": "call", "KeyValueMapper": "apply", "ValueMapper": "apply",
    "ValueMapperWithKey": "apply", "ValueJoiner": "apply", "ValueJoinerWithKey": "apply",
    "Initializer": "apply", "Aggregator": "apply", "Reducer": "apply", "Merger": "apply",
    "ForeachAction": "apply", "Comparator": "compare",
    **{f"{each}{to}": f"applyAs{each}" for each in ("Int", "Long", "Double")
       for to in ("UnaryOperator", "BinaryOperator")},
    **{f"{each}Function": "apply" for each in ("Int", "Long", "Double")},
    **{f"{each}Predicate": "test" for each in ("Int", "Long", "Double")},
    **{f"{each}Supplier": f"getAs{each}" for each in ("Int", "Long", "Double", "Boolean")},
    **{f"To{each}BiFunction": f"applyAs{each}" for each in ("Int", "Long", "Double")},
}  # fmt: skip


# Further methods that they have.
MORE = ("andThen", "compose", "negate", "and", "or")


def called(node: Node, receiver: Node, method: str, context: Context) -> str | None:
    """Return a call of a function that was given; None if it may be an object with a method."""
    held = kind(receiver, context)
    if held not in METHODS and context.kafka_owner(node):
        return None  # another class of the program may have a method of that name
    if not is_function(held, method, node, context):
        return None
    given = ", ".join(
        context.express(each) for each in inner(node.child_by_field_name("arguments"))
    )
    return f"{tightened(context.express(receiver))}({given})"


def is_function(held: str, method: str, node: Node, context: Context) -> bool:
    """Tell whether a call is one of a function, by the type of what has the method.

    Raises:
        UntranslatedError: Functions of Python have no such method.
    """
    own = [each for each in context.all_known() if method in each.methods]
    if held in METHODS and context.known(held) is None:
        if any(held in each.interfaces for each in own):
            return False
        if method in MORE:
            raise UntranslatedError(node, "Python's functions have no methods")
        return METHODS[held] == method
    shape = context.known(held) if held else own[0] if len(own) == 1 else None
    if shape is None or not shape.abstract or shape.base or shape.anonymous:
        return False
    if shape.interfaces - {"Serializable"}:  # it has their methods, too
        return False
    if context.below(shape) or (len(shape.abstract) > 1 or method not in shape.methods):
        return False
    if shape.methods != shape.abstract:
        raise UntranslatedError(node, "a lambda has no other methods of its interface")
    return True
