"""Notes on numbers that Java computes otherwise than Python, one of each kind in a draft."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import Context
from millstream.porting.drafting.kinds import kind
from millstream.porting.reading.nodes import text, walk

FLOATS = "a float of Java has 32 bits, and is computed with 64 here: its last digits may be others."
OVERFLOWS = (
    "a whole number of Java overflows, and grows here: cut it where it may become longer than"
    " 32 bits, or than 64 of a long."
)
LOOPS = ("for_statement", "enhanced_for_statement", "while_statement", "do_statement")


def floats(node: Node, operator: str, context: Context) -> None:
    """Tell of a sum or a product of which one side is a float."""
    kinds = {kind(node.child_by_field_name(side), context) for side in ("left", "right")}
    if operator in ("+", "-", "*", "/") and kinds & {"float", "Float"}:
        context.tell(node, FLOATS)


def growth(node: Node, operator: str, context: Context) -> None:
    """Tell of a whole number that a loop multiplies again and again, as that of a hash."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or not _is_repeated(node):
        return
    grows = operator in ("*", "<<") or any(
        text(each.child_by_field_name("operator")) in ("*", "<<")
        and text(left) in map(text, walk(each))
        for each in walk(right)
    )
    if grows and kind(left, context) in ("int", "long", "Integer", "Long"):
        context.tell(node, OVERFLOWS)


def _is_repeated(node: Node) -> bool:
    """Tell whether a statement is in a loop of its method, and does not count the loop's rounds."""
    child, around = node, node.parent
    while around is not None and around.type not in ("method_declaration", "lambda_expression"):
        if around.type in LOOPS:
            return child not in around.children_by_field_name("update")
        child, around = around, around.parent
    return False
