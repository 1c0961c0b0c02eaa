"""Java's loops in Python."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from millstream.porting.drafting import lombok, sequences, words
from millstream.porting.drafting.context import Context, UntranslatedError, indented, with_code
from millstream.porting.drafting.generics import NamedType, element
from millstream.porting.drafting.kinds import MAPS, kind, simple
from millstream.porting.drafting.layout import tightened
from millstream.porting.reading.nodes import inner, of_kind, text

# Methods that change what they are called on.
CHANGING = (
    "add", "remove", "clear", "poll", "pop", "push", "put", "offer", "append", "insert", "delete",
    "set", "retain", "next",
)  # fmt: skip
OTHERS_JUMPS = (
    "while_statement", "do_statement", "for_statement", "enhanced_for_statement",
    "lambda_expression", "class_body",
)  # fmt: skip


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
    if node.type == "do_statement" and own_jumps(body, "continue_statement"):
        raise UntranslatedError(node, "a round that ends early")
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
    if kind(value, context) == "byte[]":
        raise UntranslatedError(node, "a byte of Java has a sign")
    made = context.express(value)
    with context.looping():
        java = text(node.child_by_field_name("name"))
        declared = simple(node.child_by_field_name("type"))
        known = element(kind(value, context)) if declared in lombok.GUESSED else declared
        target = context.declare(java, known)
        inside = _block(body, context)
    return [f"for {target} in {made}:", *indented(inside)]


def _counted(node: Node, body: Node, context: Context) -> list[str]:
    start, test = node.child_by_field_name("init"), node.child_by_field_name("condition")
    steps = node.children_by_field_name("update")
    if start is None and test is None and not steps:
        with context.looping():
            return ["while True:", *indented(_block(body, context))]
    parts = list(of_kind(start, "variable_declarator"))
    if start is None or test is None or len(parts) != 1:
        raise UntranslatedError(node)
    name, begin = text(parts[0].child_by_field_name("name")), parts[0].child_by_field_name("value")
    if begin is None:
        raise UntranslatedError(node)
    bounds = _range(name, begin, test, steps, body, context) if steps else ""
    with context.looping():
        target = context.declare(name, simple(start.child_by_field_name("type")))
        if bounds:
            return [f"for {target} in range({bounds}):", *indented(_block(body, context))]
        if steps and own_jumps(body, "continue_statement"):
            raise UntranslatedError(node, "a round that ends early")
        first_, condition = context.express(begin), context.express(test)
        after = [row for step in steps for row in context.state(step)]
        inside = [*_block(body, context), *after]
    return [f"{target} = {first_}", f"while {condition}:", *indented(inside)]


def _range(
    name: str, begin: Node, test: Node, steps: list[Node], body: Node, context: Context
) -> str:
    """Return the bounds of a loop whose counter goes straight to an end that stays; else ""."""
    left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
    step, operator = _step(steps[0], name), text(test.child_by_field_name("operator"))
    wanted = ("<", "<=") if step > 0 else (">", ">=")
    if len(steps) != 1 or not step or text(left) != name or operator not in wanted:
        return ""
    changed = _changed(body)
    if right is None or name in changed or not _stays(right, changed):
        return ""
    first_, last = context.express(begin), context.express(right)
    if operator in ("<=", ">="):
        last = f"{last} {'+' if step > 0 else '-'} 1"
    if step != 1:
        return f"{first_}, {last}, {step}"
    return last if first_ == "0" else f"{first_}, {last}"


def _step(node: Node, name: str) -> int:
    """Return by how much a counter changes in each round; 0 if it is not known."""
    if node.type == "update_expression" and text(inner(node)[0]) == name:
        return 1 if "++" in text(node) else -1
    right, operator = node.child_by_field_name("right"), text(node.child_by_field_name("operator"))
    if text(node.child_by_field_name("left")) != name or not text(right).isdecimal():
        return 0
    return {"+=": 1, "-=": -1}.get(operator, 0) * int(text(right))


def _stays(node: Node, changed: set[str]) -> bool:
    """Tell whether an expression has the same value in each round of a loop."""
    match node.type:
        case "decimal_integer_literal":
            return True
        case "identifier" | "field_access":
            return text(node).removesuffix(".length") not in changed
        case "parenthesized_expression" | "binary_expression":
            return all(_stays(each, changed) for each in inner(node))
        case "method_invocation":
            held, method = node.child_by_field_name("object"), node.child_by_field_name("name")
            plain = text(method).startswith(("size", "length", "get", "count"))
            given = inner(node.child_by_field_name("arguments"))
            return plain and not given and text(held) not in changed
    return False


def _changed(node: Node) -> set[str]:
    """Return what a block gives new values, and what it calls methods of that may change it."""
    found: set[str] = set()
    for each in _all(node):
        if each.type in ("assignment_expression", "update_expression"):
            found.add(text(inner(each)[0]))
        elif text(each.child_by_field_name("name")).startswith(CHANGING):
            found.add(text(each.child_by_field_name("object")))
    return found


def own_jumps(node: Node, kind: str) -> bool:
    """Tell whether a block has a jump of its own: out of a switch, or to the next round."""
    for child in node.named_children:
        if child.type == kind:
            return True
        if child.type in OTHERS_JUMPS or (
            child.type == "switch_expression" and kind == "break_statement"
        ):
            continue
        if own_jumps(child, kind):
            return True
    return False


def _all(node: Node) -> Iterator[Node]:
    yield node
    for child in node.named_children:
        yield from _all(child)


def for_each(receiver: Node, function: Node, context: Context) -> list[str]:
    """Return ``x.forEach(f)`` as a loop."""
    made = sequences.iterated(receiver, context) or context.express(receiver)
    pairs = kind(receiver, context) in MAPS
    body = function.child_by_field_name("body")
    declared = function.child_by_field_name("parameters")
    given = function.type != "lambda_expression" or body is None or declared is None
    if given or body is None or declared is None or _returns(body):
        return _each_given(made, function, context, pairs=pairs)
    with context.looping():
        nodes = [declared] if declared.type == "identifier" else inner(declared)
        javas = [text(each.child_by_field_name("name") or each) for each in nodes]
        held = kind(receiver, context)
        inside_ = held.inside if pairs and isinstance(held, NamedType) else (element(held),)
        known = inside_ if len(inside_) == len(javas) else [""] * len(javas)
        names = [context.declare(*each) for each in zip(javas, known, strict=True)]
        inside = _block(body, context)
    items = f"{made}.items()" if pairs and len(names) == 2 else made
    return [f"for {', '.join(words.name(java) for java in javas)} in {items}:", *indented(inside)]


def _returns(node: Node) -> bool:
    """Tell whether a function ends early: a return of Python would leave what is around a loop."""
    if node.type == "return_statement":
        return True
    others = ("lambda_expression", "class_body")
    return any(_returns(each) for each in node.named_children if each.type not in others)


def _each_given(made: str, function: Node, context: Context, *, pairs: bool) -> list[str]:
    """Return a loop that calls a function which has a name; that of a map gets key and value."""
    if not pairs:
        return [f"for each in {made}:", f"    {tightened(context.express(function))}(each)"]
    if function.type == "method_reference":
        receiver, *rest = inner(function)
        if kind(receiver, context) in MAPS and [text(each) for each in rest] == ["put"]:
            return [f"{context.express(receiver)}.update({made})"]
    return [f"for each in {made}.items():", f"    {tightened(context.express(function))}(*each)"]
