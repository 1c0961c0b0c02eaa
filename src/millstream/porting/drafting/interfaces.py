"""Functions that are given to a method or kept in a field, where Java has an interface for them."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import Context
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
    "ForeachAction": "apply",
}  # fmt: skip


def called(node: Node, receiver: Node, method: str, context: Context) -> str | None:
    """Return a call of a function that was given; None if it may be an object with a method."""
    if METHODS.get(kind(receiver, context)) != method:
        return None
    if any(method in shape.methods for shape in context.all_known()):
        return None
    given = ", ".join(
        context.express(each) for each in inner(node.child_by_field_name("arguments"))
    )
    return f"{tightened(context.express(receiver))}({given})"
