"""Counters that change within an expression, as a statement before it."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import Context, UntranslatedError
from millstream.porting.drafting.kinds import WHOLE, kind
from millstream.porting.reading.nodes import inner, text, walk

ONCE = ("expression_statement", "local_variable_declaration", "return_statement")
# What runs a part of an expression never, later or again.
NOT_ONCE = (
    "lambda_expression", "ternary_expression", "switch_expression", "class_body",
    "binary_expression",
)  # fmt: skip


def counted(node: Node, context: Context) -> str:
    """Return the value of ``++n`` or ``n++``, which is changed before the statement.

    Raises:
        UntranslatedError: It may be asked for elsewhere in the statement, or not be changed at all.
    """
    around, above = node.parent, [node]
    while around is not None and around.type not in ONCE:
        logical = text(around.child_by_field_name("operator")) in ("&&", "||")
        if around.type in NOT_ONCE and (around.type != "binary_expression" or logical):
            raise UntranslatedError(node, "a counter that changes within an expression")
        above.append(around)
        around = around.parent
    target = inner(node)[0]
    if around is None or kind(target, context) not in WHOLE or not _is_alone(around, target, above):
        raise UntranslatedError(node, "a counter that changes within an expression")
    held = context.express(target)
    up = "++" in text(node)
    context.before[-1].append(f"{held} {'+=' if up else '-='} 1")
    if text(node).startswith(("++", "--")):
        return held
    return f"({held} {'-' if up else '+'} 1)"


def _is_alone(statement: Node, target: Node, above: list[Node]) -> bool:
    """Tell whether nothing else in a statement may read what is counted before it is changed."""
    name = text(target).rpartition(".")[2]
    for each in walk(statement):
        own = each.type == "identifier" and text(each) == name
        if own and not target.start_byte <= each.start_byte < target.end_byte:
            return False
        called = each.type == "method_invocation" and text(each.child_by_field_name("object")) in (
            "", "this", "super",
        )  # fmt: skip
        if called and each not in above and each.start_byte < target.start_byte:
            return False
    return True
