"""Java's loops in Python."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from millstream.porting.drafting import words
from millstream.porting.drafting.context import Context, UntranslatedError, indented, with_code
from millstream.porting.drafting.kinds import MAPS, kind, simple
from millstream.porting.reading.nodes import first, inner, text


def loop(node: Node, context: Context) -> list[str]:
    """Return a loop."""
    body = node.child_by_field_name("body")
    if body is None:
        raise UntranslatedError(node)
    if node.type == "enhanced_for_statement":
        return _each(node, body, context)
    if node.type == "for_statement":
        return _counted(node, body, context)
    condition = node.child_by_field_name("condition")
    if condition is None:
        raise UntranslatedError(node)
    test = context.express(inner(condition)[0])
    with context.looping():
        inside = _block(body, context)
    if node.type == "while_statement":
        return [f"while {test}:", *indented(inside)]
    return ["while True:", *indented([*inside, f"if not ({test}):", "    break"])]


def _block(body: Node, context: Context) -> list[str]:
    return with_code(context.state(body))


def _each(node: Node, body: Node, context: Context) -> list[str]:
    value = node.child_by_field_name("value")
    if value is None:
        raise UntranslatedError(node)
    made = context.express(value)
    with context.looping():
        java = text(node.child_by_field_name("name"))
        target = context.declare(java, simple(node.child_by_field_name("type")))
        inside = _block(body, context)
    return [f"for {target} in {made}:", *indented(inside)]


def _counted(node: Node, body: Node, context: Context) -> list[str]:
    start, test = node.child_by_field_name("init"), node.child_by_field_name("condition")
    step = node.child_by_field_name("update")
    if start is None and test is None and step is None:
        with context.looping():
            return ["while True:", *indented(_block(body, context))]
    if start is None or test is None or step is None:
        raise UntranslatedError(node)
    part = first(start, "variable_declarator")
    left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
    operator = text(test.child_by_field_name("operator"))
    simple_step = step.type == "update_expression" and "++" in text(step)
    if part is None or left is None or right is None or not simple_step:
        raise UntranslatedError(node)
    name = text(part.child_by_field_name("name"))
    begin = part.child_by_field_name("value")
    if begin is None or text(left) != name or operator not in ("<", "<="):
        raise UntranslatedError(node)
    if name in _assigned(body):
        raise UntranslatedError(node, "the counter changes inside")
    first_, last = context.express(begin), context.express(right)
    last = last if operator == "<" else f"{last} + 1"
    with context.looping():
        target = context.declare(name, "int")
        inside = _block(body, context)
    bounds = last if first_ == "0" else f"{first_}, {last}"
    return [f"for {target} in range({bounds}):", *indented(inside)]


def _assigned(node: Node) -> set[str]:
    return {
        text(inner(each)[0])
        for each in _all(node)
        if each.type in ("assignment_expression", "update_expression")
    }


def _all(node: Node) -> Iterator[Node]:
    yield node
    for child in node.named_children:
        yield from _all(child)


def for_each(receiver: Node, function: Node, context: Context) -> list[str]:
    """Return ``x.forEach(f)`` as a loop."""
    made = context.express(receiver)
    pairs = kind(receiver, context) in MAPS
    body = function.child_by_field_name("body")
    declared = function.child_by_field_name("parameters")
    if function.type != "lambda_expression" or body is None or declared is None:
        return _each_given(made, function, context, pairs=pairs)
    with context.looping():
        nodes = [declared] if declared.type == "identifier" else inner(declared)
        javas = [text(each.child_by_field_name("name") or each) for each in nodes]
        names = [context.declare(java, "") for java in javas]
        inside = _block(body, context)
    items = f"{made}.items()" if pairs and len(names) == 2 else made
    return [f"for {', '.join(words.name(java) for java in javas)} in {items}:", *indented(inside)]


def _each_given(made: str, function: Node, context: Context, *, pairs: bool) -> list[str]:
    """Return a loop that calls a function which has a name; that of a map gets key and value."""
    if not pairs:
        return [f"for each in {made}:", f"    {context.express(function)}(each)"]
    if function.type == "method_reference":
        receiver, *rest = inner(function)
        if kind(receiver, context) in MAPS and [text(each) for each in rest] == ["put"]:
            return [f"{context.express(receiver)}.update({made})"]
    return [f"for each in {made}.items():", f"    {context.express(function)}(*each)"]
