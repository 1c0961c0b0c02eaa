"""Classes within a class whose objects ask for the object around them."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting import captured, words
from millstream.porting.drafting.context import ClassShape, Context, UntranslatedError
from millstream.porting.drafting.members import is_of_tests
from millstream.porting.drafting.names import around
from millstream.porting.reading.nodes import first, has, inner, text, walk

DECLARING = ("formal_parameter", "variable_declarator", "catch_formal_parameter", "resource")


def note(classes: list[tuple[Node, Node | None]], shapes: dict[str, ClassShape]) -> None:
    """Note which classes of a source use members of the object that they are made in.

    Args:
        classes: All with a name, each with the one around it.
        shapes: What they have, by name.
    """
    found: dict[str, tuple[ClassShape, Node]] = {}
    for node, outer in classes:
        name = text(node.child_by_field_name("name"))
        shape = shapes[name]
        if outer is None or not _has_object(node, outer) or name in found:
            continue
        if "outer" in shape.fields or shape.methods & {"outer"}:
            continue
        found[name] = shape, node
        holder = shapes[text(outer.child_by_field_name("name"))]
        if _asks(node, shape, holder, shapes):
            shape.outer = holder.name
    _spread(found, shapes)


def _has_object(node: Node, outer: Node) -> bool:
    """Tell whether objects of a class have one around: it is not static, and no test's class."""
    static = has(first(node, "modifiers"), "static")
    inside = node.type == "class_declaration" and outer.type == "class_declaration"
    return inside and not static and not is_of_tests(node.child_by_field_name("body"))


def _asks(node: Node, shape: ClassShape, holder: ClassShape, shapes: dict[str, ClassShape]) -> bool:
    own: set[str] = set()
    line = [shape]
    while (base := shapes.get(line[-1].base)) is not None and base not in line:
        line.append(base)
    for each in line:
        own |= {*each.fields, *each.methods, *each.static_methods}
    body = node.child_by_field_name("body")
    if body is None:
        return False
    parts = list(walk(body))
    declared = {text(each.child_by_field_name("name")) for each in parts if each.type in DECLARING}
    called = {
        text(each.child_by_field_name("name"))
        for each in parts
        if each.type == "method_invocation" and each.child_by_field_name("object") is None
    }
    fields = set(holder.fields) - holder.static_fields - own - declared
    if fields & set(captured.variables(body)) or (holder.methods - own) & called:
        return True
    return any(
        each.type == "field_access" and text(each) == f"{holder.name}.this" for each in parts
    )


def _spread(found: dict[str, tuple[ClassShape, Node]], shapes: dict[str, ClassShape]) -> None:
    """Note the classes that make or extend one that asks for the object around."""
    asking = {name for name, (shape, _) in found.items() if shape.outer}
    while True:
        more = {
            name
            for name, (shape, node) in found.items()
            if name not in asking and (shape.base in asking or asking & set(_made(node)))
        }
        if not more:
            return
        for name in more:
            shape, node = found[name]
            outer = node.parent.parent if node.parent is not None else None
            holder = shapes.get(text(outer.child_by_field_name("name")) if outer else "")
            shape.outer = "" if holder is None else holder.name
        asking |= more


def _made(node: Node) -> list[str]:
    made = [each for each in walk(node) if each.type == "object_creation_expression"]
    return [text(each.child_by_field_name("type")).partition("<")[0] for each in made]


def given(node: Node, made: str, context: Context) -> list[str]:
    """Return what the constructor of a class within a class takes first: the object around.

    Raises:
        UntranslatedError: No such object is at hand.
    """
    shape = context.shapes.get(made)
    if shape is None or not shape.outer:
        return []
    if node.type == "object_creation_expression" and node.children[0].type != "new":
        # market.new Stall()
        return [context.express(node.children[0])]
    for depth, each in enumerate(reversed(context.around)):
        if shape.outer in [known.name for known in context.line(each)] and not context.static:
            return [around(depth, context)]
    raise UntranslatedError(node, f"an object of {made} asks for one of {shape.outer}")


def referred(node: Node, made: str, context: Context) -> str:
    """Return ``Stall::new`` of such a class as a function; "" for another class."""
    first_ = given(node, made, context)
    if not first_:
        return ""
    shape = context.shapes[made]
    more = "" if not shape.takes or [*shape.takes] == [0] else "*given"
    head = f"lambda {more}".rstrip()
    return f"{head}: {words.name(shape.name)}({', '.join([*first_, *([more] if more else [])])})"


def itself(node: Node, context: Context) -> str:
    """Return ``Market.this``: the object of a class around.

    Raises:
        UntranslatedError: It is not at hand.
    """
    wanted = text(inner(node)[0])
    if (shape := context.known(wanted)) is not None:
        wanted = shape.name
    for depth, each in enumerate(reversed(context.around)):
        if wanted in [known.name for known in context.line(each)]:
            return around(depth, context)
    raise UntranslatedError(node)
